// The consumer core's evidence: dead letters, and telling their owner.
#include "actors/consumer.hpp"
#include "codec/identity.hpp"
#include "support/digest.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

namespace parcelflow::actors {

namespace log = support::log;

domain::dead_letter consumer::letter_of(const subject& of,
                                        domain::dead_letter_cause cause,
                                        std::uint64_t expected,
                                        const std::string& reason) const {
  const auto& about = of.event->envelope;
  domain::dead_letter letter;
  letter.tenant_id = about.tenant_id;
  letter.dead_letter_id = codec::dead_letter_id(
    spec_.name, about.tenant_id, about.event_id, of.event->digest);
  letter.topic = of.topic;
  letter.cause = cause;
  letter.reason = reason;
  letter.aggregate_id = about.aggregate_id;
  letter.event_id = about.event_id;
  letter.event_type = about.event_type;
  letter.event_version = about.event_version;
  letter.expected_sequence = expected;
  letter.observed_sequence = about.aggregate_sequence;
  letter.digest = of.event->digest;
  letter.trace_id = about.trace_id;
  letter.replay_role = "responder";
  return letter;
}

void consumer::quarantine(const subject& of, domain::stream_row row,
                          domain::dead_letter_cause cause,
                          domain::wait_cause waits, const std::string& reason,
                          std::vector<domain::attempt> attempts) {
  const auto& about = of.event->envelope;
  const auto now = clock_.now();
  const bool was_waiting = row.waiting.has_value();
  auto letter = letter_of(of, cause, row.position + 1, reason);
  letter.attempts = attempts;
  storage::room_row room;
  room.mode = storage::room_mode::quarantined;
  room.topic = of.topic;
  room.event_id = about.event_id;
  room.digest = of.event->digest;
  room.bytes = of.event->bytes;
  room.attempts = std::move(attempts);
  room.received_at = of.room ? of.room->received_at : now;
  room.dead_letter_id = letter.dead_letter_id;
  store_.put_room(about.tenant_id, about.aggregate_id, about.aggregate_sequence,
                  room);
  const std::uint64_t rows =
    (row.waiting ? row.waiting->rows : 0) + (of.room ? 0 : 1);
  row.waiting = {waits, now, rows};
  const stream_id stream(about.tenant_id, about.aggregate_id);
  save(stream, std::move(row), was_waiting);
  if (waits == domain::wait_cause::gap)
    expect_hole(stream, now);
  letter.payload = of.event->bytes;
  letter.decision = waits == domain::wait_cause::gap
                      ? "the stream waits for the missing events"
                      : "the stream waits for a responder";
  storage::tell_row told;
  told.opened = std::move(letter);
  const auto id = told.opened->dead_letter_id;
  stage_tell(about.tenant_id, id, std::move(told));
}

consumer::next consumer::set_aside(domain::dead_letter letter,
                                   std::string bytes, std::uint64_t token) {
  const std::string tenant = letter.tenant_id;
  const std::string id = letter.dead_letter_id;
  if (store_.has_aside(tenant, id)) {
    if (!tells_.contains({tenant, id})) {
      ports_.seen_again(tenant, id);
      return next::ack;
    }
    hold_for_tell(tenant, id, token);
    return next::hold;
  }
  keep_aside(std::move(letter), std::move(bytes));
  hold_for_tell(tenant, id, token);
  return next::hold;
}

void consumer::keep_aside(domain::dead_letter letter, std::string bytes) {
  const std::string tenant = letter.tenant_id;
  const std::string id = letter.dead_letter_id;
  storage::room_row room;
  room.mode = storage::room_mode::quarantined;
  room.topic = letter.topic;
  room.event_id = letter.event_id;
  room.digest = letter.digest;
  room.bytes = bytes;
  room.received_at = clock_.now();
  room.dead_letter_id = id;
  store_.put_aside(tenant, id, room);
  letter.payload = std::move(bytes);
  letter.decision = "set aside; the stream goes on";
  storage::tell_row told;
  told.opened = std::move(letter);
  stage_tell(tenant, id, std::move(told));
}

void consumer::stage_tell(const std::string& tenant, const std::string& id,
                          storage::tell_row row) {
  const auto now = clock_.now();
  if (row.opened) {
    auto& letter = *row.opened;
    letter.consumer = spec_.name;
    letter.environment = limits_.environment;
    letter.payload_sha256 = support::sha256_of(letter.payload);
    letter.first_seen = now;
    letter.last_seen = now;
    letter.steps = {{domain::dead_letter_state::open, "system",
                     std::string(to_string(letter.cause)), now}};
    log::warning("consumer", "quarantined",
                 {{"consumer", spec_.name},
                  {"tenant", tenant},
                  {"dead_letter", id},
                  {"cause", to_string(letter.cause)},
                  {"event", letter.event_id},
                  {"reason", letter.reason}});
  }
  if (auto before = store_.to_tell(tenant, id)) {
    if (!row.opened)
      row.opened = std::move(before->opened);
    if (!row.closed && !row.opened)
      row.closed = std::move(before->closed);
  }
  store_.put_to_tell(tenant, id, row);
  const auto generation = next_generation_++;
  tells_[{tenant, id}].generation = generation;
  store_.rows().when_durable(
    [this, what = tell{tenant, id, generation, std::move(row)}]() mutable {
      support::fault_point("consumer.after_park");
      ports_.tell_dead_letter(std::move(what));
    });
}

domain::dead_letter_step consumer::resolved_step(const subject& of,
                                                 unix_ms now) const {
  auto how = "applied via " + std::string(to_string(of.door));
  if (!of.replay_id.empty())
    how += " " + of.replay_id;
  return {domain::dead_letter_state::resolved, "system", std::move(how), now};
}

void consumer::close_letter(const std::string& tenant, const std::string& id,
                            const domain::dead_letter_step& step) {
  storage::tell_row told;
  told.closed = step;
  stage_tell(tenant, id, std::move(told));
}

void consumer::hold_for_tell(const std::string& tenant, const std::string& id,
                             std::uint64_t token) {
  auto& waits = tells_[{tenant, id}];
  if (token != of_no_delivery)
    waits.tokens.push_back(token);
}

void consumer::told(const std::string& tenant, const std::string& id,
                    std::uint64_t generation, bool waived) {
  const auto at = tells_.find({tenant, id});
  if (at == tells_.end() || at->second.generation != generation)
    return; // a later tell of the same record is on its way
  support::fault_point("consumer.after_tell");
  std::vector<bus::settled> acks;
  for (const auto token : at->second.tokens)
    acks.push_back({token, bus::settlement::ack});
  tells_.erase(at);
  store_.erase_to_tell(tenant, id);
  if (waived)
    store_.erase_aside(tenant, id);
  settle_when_durable(std::move(acks));
}

} // namespace parcelflow::actors
