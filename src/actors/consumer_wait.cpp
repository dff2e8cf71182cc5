// The consumer core's patience: waiting rooms, retries, drains, holes.
#include "actors/consumer.hpp"
#include "actors/delivery_facts.hpp"
#include "codec/event_json.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::verdict;
namespace log = support::log;

namespace {

constexpr std::string_view death = "the process ended during this attempt";
constexpr std::size_t drains_a_step = 16;

} // namespace

void consumer::start(domain::pause_set_ptr pauses) {
  pauses_ = std::move(pauses);
  if (!store_.take_clean_stop())
    cautious_left_ = limits_.in_flight_max;
  // From here on a death shows; no effect runs before that is durable.
  store_.rows().when_durable([this] { recover(); });
}

void consumer::recover() {
  std::vector<tell> untold;
  store_.each_untold([&](std::string tenant, std::string id, auto row) {
    if (row.opened && row.opened->consumer != spec_.name)
      return; // another spec of the same owner tells it
    untold.push_back({std::move(tenant), std::move(id), 0, std::move(row)});
  });
  for (auto& one : untold) {
    one.generation = next_generation_++;
    tells_[{one.tenant_id, one.dead_letter_id}].generation = one.generation;
    ports_.tell_dead_letter(std::move(one));
  }
  store_.each_waiting_stream([&](std::string tenant, std::string aggregate) {
    enqueue_drain({std::move(tenant), std::move(aggregate)});
  });
  list_compatible();
}

void consumer::stop() {
  PF_ASSERT(quiet());
  store_.mark_clean_stop();
}

void consumer::park_behind(const subject& of, domain::stream_row row) {
  const auto& about = of.event->envelope;
  PF_ASSERT(row.waiting.has_value());
  storage::room_row room;
  room.mode = storage::room_mode::behind;
  room.topic = of.topic;
  room.event_id = about.event_id;
  room.digest = of.event->digest;
  room.bytes = of.event->bytes;
  room.received_at = clock_.now();
  store_.put_room(about.tenant_id, about.aggregate_id, about.aggregate_sequence,
                  room);
  row.waiting->rows += 1;
  save({about.tenant_id, about.aggregate_id}, std::move(row), true);
}

void consumer::park_retry(const subject& of, domain::stream_row row,
                          std::vector<domain::attempt> attempts,
                          unix_ms next_at) {
  const auto& about = of.event->envelope;
  const auto now = clock_.now();
  const bool was_waiting = row.waiting.has_value();
  storage::room_row room;
  if (of.room)
    room = *of.room;
  room.topic = of.topic;
  room.event_id = about.event_id;
  room.digest = of.event->digest;
  room.bytes = of.event->bytes;
  if (!of.room)
    room.received_at = now;
  // A head that was quarantined for a gap keeps its record while it retries.
  if (room.mode != storage::room_mode::quarantined)
    room.mode = storage::room_mode::retry;
  room.attempts = std::move(attempts);
  room.next_at = next_at;
  store_.put_room(about.tenant_id, about.aggregate_id, about.aggregate_sequence,
                  room);
  if (!was_waiting || row.waiting->cause != domain::wait_cause::retry)
    row.waiting = {domain::wait_cause::retry, now,
                   row.waiting ? row.waiting->rows : 0};
  if (!of.room)
    row.waiting->rows += 1;
  const stream_id stream(about.tenant_id, about.aggregate_id);
  save(stream, std::move(row), was_waiting);
  // The row is durable before its timer starts.
  store_.rows().when_durable([this, stream, next_at] {
    support::fault_point("consumer.after_park");
    if (const auto pause =
          support::wait_for(next_at, clock_.now(), limits_.retry.longest()))
      schedule(pause, stream);
    else
      enqueue_drain(stream);
  });
}

/// A paused stream keeps what comes: its rows are durable, and it goes on
/// from them at resume.
void consumer::park_paused(const subject& of, domain::stream_row row) {
  const auto& about = of.event->envelope;
  const bool was_waiting = row.waiting.has_value();
  if (!was_waiting) {
    row.waiting = {domain::wait_cause::paused, clock_.now(), 0};
    store_.put_stream(about.tenant_id, about.aggregate_id, row, false,
                      limits_.inbox_inline_max);
  }
  park_behind(of, std::move(row));
}

void consumer::schedule(unix_ms pause, const stream_id& stream) {
  const auto now = clock_.steady();
  timers_.emplace(now + pause, stream);
  ports_.wake(timers_.begin()->first - now);
}

void consumer::enqueue_drain(const stream_id& stream) {
  if (draining_.insert(stream).second)
    drains_.push_back(stream);
  ports_.wake(0);
}

void consumer::step() {
  if (paused())
    return;
  const auto now = clock_.steady();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto stream = timers_.begin()->second;
    timers_.erase(timers_.begin());
    const auto row = store_.stream(stream.first, stream.second);
    if (!row.waiting)
      continue;
    if (row.waiting->cause != domain::wait_cause::gap
        || store_.room(stream.first, stream.second, row.position + 1))
      enqueue_drain(stream);
    else if (askings_[stream].at <= now)
      ask_for_hole(stream, row);
  }
  for (std::size_t i = 0; i < drains_a_step && !drains_.empty(); ++i) {
    if (trial_)
      break; // one at a time after an unclean stop
    const auto stream = drains_.front();
    drains_.pop_front();
    drain(stream);
  }
  take_suspects();
  if (!drains_.empty() && !trial_)
    ports_.wake(0);
  else if (!timers_.empty())
    ports_.wake(timers_.begin()->first - now);
}

void consumer::drain(const stream_id& stream) {
  for (std::size_t i = 0; i < limits_.drain_slice; ++i)
    if (!drain_one(stream)) {
      if (trial_ != stream)
        draining_.erase(stream);
      return;
    }
  drains_.push_back(stream); // others first, then on
}

bool consumer::drain_one(const stream_id& stream) {
  auto row = store_.stream(stream.first, stream.second);
  if (!row.waiting) {
    askings_.erase(stream);
    return false;
  }
  if (row.waiting->cause == domain::wait_cause::unsupported
      || row.waiting->cause == domain::wait_cause::exhausted)
    return false; // a responder's turn
  if (paused(stream))
    return false; // resume enqueues it again
  auto room = store_.room(stream.first, stream.second, row.position + 1);
  if (!room) {
    wait_for_hole(stream, std::move(row));
    return false;
  }
  askings_.erase(stream); // a further hole is asked for afresh
  if (const auto pause = support::wait_for(room->next_at, clock_.now(),
                                           limits_.retry.longest())) {
    schedule(pause, stream);
    return false;
  }
  if (cautious()) {
    try_cautiously(stream, std::move(row), std::move(*room));
    return false;
  }
  return run_from_room(stream, std::move(row), std::move(*room));
}

bool consumer::run_from_room(const stream_id& stream, domain::stream_row row,
                             storage::room_row room) {
  const auto event = codec::decode_event(room.bytes);
  if (!event)
    storage::corrupt_row("waiting room", event.why());
  delivery_facts facts(store_, **event, false);
  const auto judged = domain::judge(**event, row, spec_.supported, facts);
  auto door = domain::via::drain;
  if (room.mode == storage::room_mode::retry) // kept first only to be careful?
    door = room.attempts.empty() ? domain::via::delivery : domain::via::retry;
  subject of{*event, room.topic, door, std::move(room), {}};
  if (judged.what == verdict::applied) {
    const bool applied = apply(of, std::move(row));
    if (applied && door == domain::via::drain)
      log::info("consumer", "drained",
                {{"consumer", spec_.name},
                 {"tenant", stream.first},
                 {"aggregate", stream.second},
                 {"sequence", of.event->envelope.aggregate_sequence}});
    return applied;
  }
  count(judged.what, event->get(), door);
  if (judged.what == verdict::fork) {
    // Its id was used elsewhere while it waited: the hole is still a hole.
    auto letter = letter_of(of, domain::dead_letter_cause::sequence_fork,
                            judged.expected, judged.reason);
    letter.known_event_id = judged.known_event_id;
    letter.known_digest = judged.known_digest;
    keep_aside(std::move(letter), of.event->bytes);
    leave_room(of, row);
    if (row.waiting->rows == 0)
      row.waiting.reset();
    const bool on = row.waiting.has_value();
    save(stream, std::move(row), true);
    return on;
  }
  PF_ASSERT(judged.what == verdict::unsupported);
  auto attempts = of.room->attempts;
  quarantine(of, std::move(row), domain::dead_letter_cause::unsupported_version,
             domain::wait_cause::unsupported, judged.reason,
             std::move(attempts));
  return false;
}

void consumer::leave_room(const subject& of, domain::stream_row& row) {
  const auto& about = of.event->envelope;
  PF_ASSERT(row.waiting && row.waiting->rows > 0);
  store_.erase_room(about.tenant_id, about.aggregate_id,
                    about.aggregate_sequence);
  row.waiting->rows -= 1;
}

/// The head is gone: whatever the stream waited for, now it waits for the next.
void consumer::move_past(domain::stream_row& row, unix_ms now) {
  if (row.waiting->cause != domain::wait_cause::gap)
    row.waiting = {domain::wait_cause::gap, now, row.waiting->rows};
}

void consumer::wait_for_hole(const stream_id& stream, domain::stream_row row) {
  if (row.waiting->cause != domain::wait_cause::gap) {
    move_past(row, clock_.now());
    save(stream, row, true);
  }
  expect_hole(stream, row.waiting->since);
}

/// One running timer a stream asks for its hole.
void consumer::expect_hole(const stream_id& stream, unix_ms since) {
  auto& ask = askings_[stream];
  const auto now = clock_.steady();
  if (ask.at > now)
    return;
  const auto grace = limits_.gap_grace_ms;
  const auto pause = support::wait_for(since + grace, clock_.now(), grace);
  ask.at = now + pause;
  schedule(pause, stream);
}

void consumer::ask_for_hole(const stream_id& stream,
                            const domain::stream_row& row) {
  auto& ask = askings_[stream];
  const auto upto = store_.first_in_room(stream.first, stream.second);
  missing_range missing{stream, row.position + 1, row.position + 1};
  if (upto && *upto > missing.from)
    missing.to = *upto - 1;
  log::info("consumer", "asking for a hole",
            {{"consumer", spec_.name},
             {"tenant", stream.first},
             {"aggregate", stream.second},
             {"from", missing.from},
             {"to", missing.to}});
  resends_asked_.add();
  ports_.ask_resend(missing);
  unix_ms pause = std::max<unix_ms>(limits_.gap_grace_ms, 1);
  for (auto i = ask.asked; i > 0 && pause < limits_.resend_retry_max_ms; --i)
    pause *= 2;
  ask.asked += 1;
  pause = std::min(pause, limits_.resend_retry_max_ms);
  ask.at = clock_.steady() + pause;
  schedule(pause, stream);
}

void consumer::take_suspects() {
  while (!suspects_.empty() && !trial_ && drains_.empty()) {
    const auto one = std::move(suspects_.front());
    suspects_.pop_front();
    if (take(one) == next::ack)
      settle_when_durable({{one.token, bus::settlement::ack}});
    if (store_.rows().must_commit())
      break; // its row first; the drain that follows brings us back
  }
  if (!suspects_.empty() && !trial_)
    store_.rows().when_durable([this] { ports_.wake(0); });
}

void consumer::try_cautiously(const stream_id& stream, domain::stream_row row,
                              storage::room_row room) {
  const auto deaths = static_cast<std::uint32_t>(
    std::count_if(room.attempts.begin(), room.attempts.end(),
                  [](const auto& a) { return a.cause == death; }));
  if (deaths >= limits_.deaths_max) {
    const auto event = codec::decode_event(room.bytes);
    if (!event)
      storage::corrupt_row("waiting room", event.why());
    count(verdict::exhausted, event->get(), domain::via::retry);
    auto attempts = room.attempts;
    quarantine({*event, room.topic, domain::via::retry, std::move(room), {}},
               std::move(row), domain::dead_letter_cause::attempts_exhausted,
               domain::wait_cause::exhausted, std::string(death),
               std::move(attempts));
    return;
  }
  room.attempts.push_back({clock_.now(), std::string(death)});
  store_.put_room(stream.first, stream.second, row.position + 1, room);
  trial_ = stream;
  store_.rows().when_durable([this, stream] {
    support::fault_point("consumer.after_attempt");
    run_trial(stream);
  });
}

void consumer::run_trial(const stream_id& stream) {
  auto row = store_.stream(stream.first, stream.second);
  auto room = store_.room(stream.first, stream.second, row.position + 1);
  PF_ASSERT(room && !room->attempts.empty());
  room->attempts.pop_back(); // this attempt did not end the process
  const bool from_bus =
    room->mode == storage::room_mode::retry && room->attempts.empty();
  if (from_bus && cautious_left_ > 0)
    cautious_left_ -= 1;
  trial_.reset();
  draining_.erase(stream);
  if (run_from_room(stream, std::move(row), std::move(*room)))
    enqueue_drain(stream);
  ports_.wake(0);
}

} // namespace parcelflow::actors
