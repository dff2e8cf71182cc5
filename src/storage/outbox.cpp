#include "storage/outbox.hpp"

#include "support/record.hpp"

namespace parcelflow::storage {
namespace {

using domain::failure;

constexpr std::uint8_t outbox_record = 1;
constexpr std::uint8_t key_record = 1;
constexpr std::uint8_t run_record = 1;
constexpr std::uint8_t held_record = 1;

} // namespace

std::string encode(const outbox_row& row) {
  return support::record_writer(outbox_record)
    .text(row.tenant_id)
    .digest(row.digest)
    .text(row.bytes)
    .take();
}

domain::outcome<outbox_row> decode_outbox(std::string_view bytes) {
  support::record_reader in(bytes, outbox_record);
  outbox_row row;
  row.tenant_id = in.text();
  row.digest = in.digest();
  row.bytes = in.text();
  if (!in.complete())
    return {failure::storage_corrupt, "outbox record does not parse"};
  return row;
}

std::string encode(const key_row& row) {
  return support::record_writer(key_record)
    .text(row.order_id)
    .digest(row.fingerprint)
    .take();
}

domain::outcome<key_row> decode_key(std::string_view bytes) {
  support::record_reader in(bytes, key_record);
  key_row row;
  row.order_id = in.text();
  row.fingerprint = in.digest();
  if (!in.complete())
    return {failure::storage_corrupt, "key record does not parse"};
  return row;
}

std::string encode(const receipt_run& row) {
  support::record_writer out(run_record);
  out.u64(row.first_position).i64(row.published_at).u64(row.attempts);
  out.u64(row.broker_ids.size());
  for (const auto& id : row.broker_ids)
    out.text(id);
  return out.take();
}

domain::outcome<receipt_run> decode_receipt_run(std::string_view bytes) {
  support::record_reader in(bytes, run_record);
  receipt_run row;
  row.first_position = in.u64();
  row.published_at = in.i64();
  row.attempts = in.u32();
  row.broker_ids.resize(in.count());
  for (auto& id : row.broker_ids)
    id = in.text();
  if (!in.complete())
    return {failure::storage_corrupt, "receipt record does not parse"};
  return row;
}

std::string encode(const held_stream& row) {
  support::record_writer out(held_record);
  out.u64(row.first_position).u64(row.sequence).i64(row.next_at);
  out.text(row.dead_letter_id).u64(row.attempts.size());
  for (const auto& one : row.attempts)
    out.i64(one.at).text(one.cause);
  return out.take();
}

domain::outcome<held_stream> decode_held_stream(std::string_view bytes) {
  support::record_reader in(bytes, held_record);
  held_stream row;
  row.first_position = in.u64();
  row.sequence = in.u64();
  row.next_at = in.i64();
  row.dead_letter_id = in.text();
  row.attempts.resize(in.count());
  for (auto& one : row.attempts) {
    one.at = in.i64();
    one.cause = in.text();
  }
  if (!in.complete())
    return {failure::storage_corrupt, "held-stream record does not parse"};
  return row;
}

} // namespace parcelflow::storage
