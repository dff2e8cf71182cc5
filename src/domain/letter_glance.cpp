#include "domain/letter_glance.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t dead_letter_record = 1; // as in dead_letter.cpp

/// Passes by a history of that many groups; the last step is the state.
void read_history(support::record_reader& in, letter_glance& of) {
  for (auto attempts = in.count(); attempts > 0 && in.ok(); --attempts) {
    in.i64();
    in.text_view();
  }
  for (auto steps = in.count(); steps > 0 && in.ok(); --steps) {
    of.state = in.choice(dead_letter_state::open, dead_letter_state::waived);
    in.text_view();
    in.text_view();
    in.i64();
  }
  for (auto replays = in.count(); replays > 0 && in.ok(); --replays)
    in.text_view();
}

} // namespace

letter_glance glance_at(const dead_letter& of) {
  letter_glance glance;
  glance.dead_letter_id = of.dead_letter_id;
  glance.consumer = of.consumer;
  glance.reason = of.reason;
  glance.aggregate_id = of.aggregate_id;
  glance.event_id = of.event_id;
  glance.event_type = of.event_type;
  glance.trace_id = of.trace_id;
  glance.cause = of.cause;
  glance.state = of.state();
  glance.event_version = of.event_version;
  glance.first_seen = of.first_seen;
  return glance;
}

outcome<letter_glance> glance_at(std::string_view id, std::string_view bytes) {
  support::record_reader in(bytes, dead_letter_record);
  letter_glance of;
  of.dead_letter_id = id;
  of.consumer = in.text_view();
  in.text_view(); // topic
  of.cause = in.choice(dead_letter_cause::sequence_gap,
                       dead_letter_cause::publish_refused);
  of.reason = in.text_view();
  of.aggregate_id = in.text_view();
  of.event_id = in.text_view();
  of.event_type = in.text_view();
  of.event_version = in.u32();
  in.u64(); // expected, observed
  in.u64();
  in.text_view(); // digests
  in.text_view();
  in.text_view(); // who stands there
  in.text_view();
  of.trace_id = in.text_view();
  in.text_view(); // environment, decision, role
  in.text_view();
  in.text_view();
  of.first_seen = in.i64();
  in.i64(); // last seen, how often
  in.u64();
  read_history(in, of);
  if (!in.complete())
    return {failure::storage_corrupt, "dead-letter record does not parse"};
  return of;
}

} // namespace parcelflow::domain
