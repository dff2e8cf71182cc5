#include "storage/consumer_store.hpp"
#include "support/record.hpp"

namespace parcelflow::storage {
namespace {

constexpr std::uint8_t place_record = 1;
constexpr std::uint8_t room_record = 1;
constexpr std::uint8_t tell_record = 1;
constexpr std::uint8_t skip_record = 1;

} // namespace

std::string encode(const domain::event_place& place) {
  return support::record_writer(place_record)
    .text(place.aggregate_id)
    .u64(place.sequence)
    .take();
}

domain::outcome<domain::event_place> decode_place(std::string_view bytes) {
  support::record_reader in(bytes, place_record);
  domain::event_place place;
  place.aggregate_id = in.text();
  place.sequence = in.u64();
  if (!in.complete())
    return {domain::failure::storage_corrupt,
            "foreign-event record does not parse"};
  return place;
}

std::string encode(const skip_row& row) {
  return support::record_writer(skip_record)
    .text(row.dead_letter_id)
    .text(row.actor)
    .text(row.reason)
    .i64(row.at)
    .take();
}

domain::outcome<skip_row> decode_skip(std::string_view bytes) {
  support::record_reader in(bytes, skip_record);
  skip_row row;
  row.dead_letter_id = in.text();
  row.actor = in.text();
  row.reason = in.text();
  row.at = in.i64();
  if (!in.complete())
    return {domain::failure::storage_corrupt, "skip record does not parse"};
  return row;
}

std::string encode(const room_row& row) {
  support::record_writer out(room_record);
  out.choice(row.mode).text(row.topic).text(row.event_id).digest(row.digest);
  out.text(row.bytes).i64(row.next_at).i64(row.received_at);
  out.text(row.dead_letter_id).u64(row.attempts.size());
  for (const auto& one : row.attempts)
    out.i64(one.at).text(one.cause);
  return out.take();
}

domain::outcome<room_row> decode_room(std::string_view bytes) {
  support::record_reader in(bytes, room_record);
  room_row row;
  row.mode = in.choice(room_mode::retry, room_mode::quarantined);
  row.topic = in.text();
  row.event_id = in.text();
  row.digest = in.digest();
  row.bytes = in.text();
  row.next_at = in.i64();
  row.received_at = in.i64();
  row.dead_letter_id = in.text();
  row.attempts.resize(in.count());
  for (auto& one : row.attempts) {
    one.at = in.i64();
    one.cause = in.text();
  }
  if (!in.complete())
    return {domain::failure::storage_corrupt,
            "waiting-room record does not parse"};
  return row;
}

std::string encode(const tell_row& row) {
  support::record_writer out(tell_record);
  out.flag(row.opened.has_value());
  if (row.opened)
    out.text(domain::encode(*row.opened)).text(row.opened->payload);
  out.flag(row.closed.has_value());
  if (row.closed)
    out.choice(row.closed->to)
      .text(row.closed->actor)
      .text(row.closed->reason)
      .i64(row.closed->at);
  return out.take();
}

domain::outcome<tell_row> decode_tell(std::string_view tenant,
                                      std::string_view id,
                                      std::string_view bytes) {
  support::record_reader in(bytes, tell_record);
  tell_row row;
  if (in.flag()) {
    auto opened = domain::decode_dead_letter(tenant, id, in.text_view());
    if (!opened)
      return opened.why();
    row.opened = *opened;
    row.opened->payload = in.text();
  }
  if (in.flag()) {
    domain::dead_letter_step step;
    step.to = in.choice(domain::dead_letter_state::open,
                        domain::dead_letter_state::waived);
    step.actor = in.text();
    step.reason = in.text();
    step.at = in.i64();
    row.closed = step;
  }
  if (!in.complete())
    return {domain::failure::storage_corrupt, "to-tell record does not parse"};
  return row;
}

} // namespace parcelflow::storage
