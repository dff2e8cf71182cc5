#include "domain/dead_letter.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t dead_letter_record = 1;

void write_history(support::record_writer& out, const dead_letter& of) {
  out.u64(of.attempts.size());
  for (const auto& one : of.attempts)
    out.i64(one.at).text(one.cause);
  out.u64(of.steps.size());
  for (const auto& step : of.steps)
    out.choice(step.to).text(step.actor).text(step.reason).i64(step.at);
  out.u64(of.replay_ids.size());
  for (const auto& id : of.replay_ids)
    out.text(id);
}

void read_history(support::record_reader& in, dead_letter& of) {
  of.attempts.resize(in.count());
  for (auto& one : of.attempts) {
    one.at = in.i64();
    one.cause = in.text();
  }
  of.steps.resize(in.count());
  for (auto& step : of.steps) {
    step.to = in.choice(dead_letter_state::open, dead_letter_state::waived);
    step.actor = in.text();
    step.reason = in.text();
    step.at = in.i64();
  }
  of.replay_ids.resize(in.count());
  for (auto& id : of.replay_ids)
    id = in.text();
}

} // namespace

std::string_view to_string(dead_letter_cause cause) noexcept {
  switch (cause) {
  case dead_letter_cause::sequence_gap: return "SEQUENCE_GAP";
  case dead_letter_cause::sequence_fork: return "SEQUENCE_FORK";
  case dead_letter_cause::unsupported_version: return "UNSUPPORTED_VERSION";
  case dead_letter_cause::attempts_exhausted: return "ATTEMPTS_EXHAUSTED";
  case dead_letter_cause::invalid_envelope: return "INVALID_ENVELOPE";
  case dead_letter_cause::stale: return "STALE";
  case dead_letter_cause::publish_refused: return "PUBLISH_REFUSED";
  }
  return "UNKNOWN";
}

std::string_view to_string(dead_letter_state state) noexcept {
  switch (state) {
  case dead_letter_state::open: return "open";
  case dead_letter_state::replaying: return "replaying";
  case dead_letter_state::resolved: return "resolved";
  case dead_letter_state::waived: return "waived";
  }
  return "unknown";
}

void add_step(dead_letter& letter, dead_letter_step step) {
  auto& steps = letter.steps;
  if (steps.size() >= history_max)
    steps.erase(steps.begin() + 1);
  steps.push_back(std::move(step));
}

void add_replay(dead_letter& letter, const std::string& replay_id) {
  auto& ids = letter.replay_ids;
  if (!ids.empty() && ids.back() == replay_id)
    return;
  if (ids.size() >= history_max)
    ids.erase(ids.begin());
  ids.push_back(replay_id);
}

void add_attempt(std::vector<attempt>& attempts, attempt one) {
  if (attempts.size() >= history_max)
    attempts.erase(attempts.begin());
  attempts.push_back(std::move(one));
}

std::string encode(const dead_letter& of) {
  support::record_writer out(dead_letter_record);
  out.text(of.consumer).text(of.topic);
  out.choice(of.cause).text(of.reason);
  out.text(of.aggregate_id).text(of.event_id).text(of.event_type);
  out.u64(of.event_version).u64(of.expected_sequence);
  out.u64(of.observed_sequence).digest(of.digest).digest(of.payload_sha256);
  out.text(of.known_event_id).digest(of.known_digest);
  out.text(of.trace_id).text(of.environment).text(of.decision);
  out.text(of.replay_role).i64(of.first_seen).i64(of.last_seen).u64(of.seen);
  write_history(out, of);
  return out.take();
}

outcome<dead_letter> decode_dead_letter(std::string_view tenant,
                                        std::string_view id,
                                        std::string_view bytes) {
  support::record_reader in(bytes, dead_letter_record);
  dead_letter of;
  of.tenant_id = tenant;
  of.dead_letter_id = id;
  of.consumer = in.text();
  of.topic = in.text();
  of.cause = in.choice(dead_letter_cause::sequence_gap,
                       dead_letter_cause::publish_refused);
  of.reason = in.text();
  of.aggregate_id = in.text();
  of.event_id = in.text();
  of.event_type = in.text();
  of.event_version = in.u32();
  of.expected_sequence = in.u64();
  of.observed_sequence = in.u64();
  of.digest = in.digest();
  of.payload_sha256 = in.digest();
  of.known_event_id = in.text();
  of.known_digest = in.digest();
  of.trace_id = in.text();
  of.environment = in.text();
  of.decision = in.text();
  of.replay_role = in.text();
  of.first_seen = in.i64();
  of.last_seen = in.i64();
  of.seen = in.u64();
  read_history(in, of);
  if (!in.complete() || of.steps.empty())
    return {failure::storage_corrupt, "dead-letter record does not parse"};
  return of;
}

} // namespace parcelflow::domain
