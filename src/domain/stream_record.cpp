#include "domain/sequence_rule.hpp"
#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t stream_record = 1;
constexpr std::uint8_t inbox_record = 1;

void write(support::record_writer& out, const inbox_entry& entry) {
  out.u64(entry.sequence).text(entry.event_id).digest(entry.digest);
  out.choice(entry.mark).choice(entry.door).text(entry.note);
  out.text(entry.replay_id).i64(entry.at);
}

inbox_entry read_entry(support::record_reader& in) {
  inbox_entry entry;
  entry.sequence = in.u64();
  entry.event_id = in.text();
  entry.digest = in.digest();
  entry.mark = in.choice(inbox_mark::applied, inbox_mark::skipped);
  entry.door = in.choice(via::delivery, via::history);
  entry.note = in.text();
  entry.replay_id = in.text();
  entry.at = in.i64();
  return entry;
}

} // namespace

std::string encode(const stream_row& row) {
  support::record_writer out(stream_record);
  out.u64(row.position).flag(row.waiting.has_value());
  if (row.waiting)
    out.choice(row.waiting->cause)
      .i64(row.waiting->since)
      .u64(row.waiting->rows);
  out.u64(row.recent.size());
  for (const auto& entry : row.recent)
    write(out, entry);
  out.text(row.effect).u64(row.start_mark);
  out.text(row.forward_to).text(row.came_from);
  return out.take();
}

outcome<stream_row> decode_stream(std::string_view bytes) {
  support::record_reader in(bytes, stream_record);
  stream_row row;
  row.position = in.u64();
  if (in.flag()) {
    wait_mark mark;
    mark.cause = in.choice(wait_cause::gap, wait_cause::paused);
    mark.since = in.i64();
    mark.rows = in.u64();
    row.waiting = mark;
  }
  row.recent.resize(in.count());
  for (auto& entry : row.recent)
    entry = read_entry(in);
  row.effect = in.text();
  row.start_mark = in.u64();
  row.forward_to = in.text();
  row.came_from = in.text();
  if (!in.complete())
    return {failure::storage_corrupt, "stream record does not parse"};
  return row;
}

std::string encode(const inbox_entry& entry) {
  support::record_writer out(inbox_record);
  write(out, entry);
  return out.take();
}

outcome<inbox_entry> decode_inbox_entry(std::string_view bytes) {
  support::record_reader in(bytes, inbox_record);
  auto entry = read_entry(in);
  if (!in.complete())
    return {failure::storage_corrupt, "inbox record does not parse"};
  return entry;
}

std::string_view to_string(verdict of) noexcept {
  switch (of) {
  case verdict::applied: return "applied";
  case verdict::declined: return "declined";
  case verdict::duplicate: return "duplicate";
  case verdict::skipped: return "skipped";
  case verdict::stale: return "stale";
  case verdict::waiting: return "waiting";
  case verdict::gap: return "gap";
  case verdict::fork: return "fork";
  case verdict::unsupported: return "unsupported";
  case verdict::exhausted: return "exhausted";
  case verdict::invalid: return "invalid";
  case verdict::retrying: return "retrying";
  case verdict::parked: return "parked";
  }
  return "unknown";
}

std::string_view to_string(via door) noexcept {
  switch (door) {
  case via::delivery: return "delivery";
  case via::drain: return "drain";
  case via::resend: return "resend";
  case via::retry: return "retry";
  case via::replay: return "replay";
  case via::history: return "history";
  }
  return "unknown";
}

std::string_view to_string(inbox_mark mark) noexcept {
  switch (mark) {
  case inbox_mark::applied: return "applied";
  case inbox_mark::declined: return "declined";
  case inbox_mark::skipped: return "skipped";
  }
  return "unknown";
}

std::string_view to_string(wait_cause cause) noexcept {
  switch (cause) {
  case wait_cause::gap: return "gap";
  case wait_cause::unsupported: return "unsupported";
  case wait_cause::exhausted: return "exhausted";
  case wait_cause::retry: return "retry";
  case wait_cause::paused: return "paused";
  }
  return "unknown";
}

} // namespace parcelflow::domain
