// The consumer core's other door: what responders do to one stream. A replay
// runs the same judgement and the same application as a delivery; skip and
// waive change one batch; a pause changes nothing that is durable here.
#include "actors/consumer.hpp"
#include "actors/delivery_facts.hpp"
#include "codec/event_json.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::failure;
using domain::item_state;
using domain::verdict;
namespace log = support::log;

namespace {

/// What an attempt row says until the attempt is over.
std::string death_in(const std::string& replay_id) {
  return "the process ended during " + replay_id;
}

/// Takes the attempt back: it did not end the process.
void survive(std::vector<domain::attempt>& attempts,
             const std::string& replay_id) {
  const auto at =
    std::find_if(attempts.rbegin(), attempts.rend(), [&](const auto& one) {
      return one.cause == death_in(replay_id);
    });
  if (at != attempts.rend())
    attempts.erase(std::next(at).base());
}

std::uint32_t deaths_in(const std::vector<domain::attempt>& attempts,
                        const std::string& replay_id) {
  return static_cast<std::uint32_t>(
    std::count_if(attempts.begin(), attempts.end(), [&](const auto& one) {
      return one.cause == death_in(replay_id);
    }));
}

stream_result refused(std::string why) {
  stream_result result;
  result.reason = std::move(why);
  return result;
}

std::string next_is(std::uint64_t position) {
  return "the stream's next is sequence " + std::to_string(position + 1);
}

constexpr std::string_view while_paused =
  "the stream is paused: resume it first";

} // namespace

void consumer::operate(const stream_op& what) {
  switch (what.what) {
  case stream_op::verb::replay: return replay(what);
  case stream_op::verb::waive: return waive(what);
  case stream_op::verb::skip: return skip(what);
  case stream_op::verb::redirect: break; // the host's
  }
  PF_ASSERT(false);
}

void consumer::answer_when_durable(const stream_op& what,
                                   domain::outcome<stream_result> result) {
  store_.rows().when_durable(
    [answer = what.answer, result = std::move(result)]() mutable {
      answer(std::move(result));
    });
}

// --- replay ----------------------------------------------------------------

void consumer::replay(const stream_op& what) {
  const auto row = store_.stream(what.tenant_id, what.aggregate_id);
  if (paused() || paused({what.tenant_id, what.aggregate_id}))
    return answer_when_durable(what, refused(std::string(while_paused)));
  if (auto aside = store_.aside(what.tenant_id, what.dead_letter_id))
    return replay_aside(what, *std::move(aside));
  auto room = store_.room(what.tenant_id, what.aggregate_id, what.sequence);
  if (room && room->dead_letter_id == what.dead_letter_id)
    return replay_parked(what, row, *std::move(room));
  answer_when_durable(what, result_of_used(what));
}

void consumer::replay_parked(const stream_op& what,
                             const domain::stream_row& row,
                             storage::room_row room) {
  if (what.sequence != row.position + 1)
    return answer_when_durable(what, refused(next_is(row.position)));
  if (deaths_in(room.attempts, what.replay_id) >= limits_.deaths_max)
    return answer_when_durable(what, refused(death_in(what.replay_id)));
  // Durable before the effect runs: an event that ends the process does so a
  // bounded number of times a replay, not at every start.
  domain::add_attempt(room.attempts, {clock_.now(), death_in(what.replay_id)});
  store_.put_room(what.tenant_id, what.aggregate_id, what.sequence, room);
  store_.rows().when_durable([this, what] {
    support::fault_point("replay.after_attempt");
    run_replay(what);
  });
}

void consumer::run_replay(const stream_op& what) {
  auto row = store_.stream(what.tenant_id, what.aggregate_id);
  auto room = store_.room(what.tenant_id, what.aggregate_id, what.sequence);
  if (!room || what.sequence != row.position + 1)
    return answer_when_durable(what, result_of_used(what)); // drained meanwhile
  survive(room->attempts, what.replay_id);
  const auto event = codec::decode_event(room->bytes);
  if (!event)
    storage::corrupt_row("waiting room", event.why());
  delivery_facts facts(store_, **event, false);
  const auto judged = domain::judge(**event, row, spec_.supported, facts);
  if (judged.what != verdict::applied) {
    count(judged.what, event->get(), domain::via::replay);
    store_.put_room(what.tenant_id, what.aggregate_id, what.sequence, *room);
    return answer_when_durable(what, refused(std::string(to_string(judged.what))
                                             + ": " + judged.reason));
  }
  const subject of{*event, room->topic, domain::via::replay, room,
                   what.replay_id};
  if (apply(of, std::move(row)))
    return answer_when_durable(what, result_of_used(what));
  const auto kept =
    store_.room(what.tenant_id, what.aggregate_id, what.sequence);
  PF_ASSERT(kept && !kept->attempts.empty());
  answer_when_durable(
    what, refused("the effect failed: " + kept->attempts.back().cause));
}

/// The event stays where it was, with one attempt more in its history.
void consumer::keep_after_failed_replay(const subject& of,
                                        std::vector<domain::attempt> attempts) {
  count(verdict::exhausted, of.event.get(), of.door);
  if (!of.room)
    return; // it stands aside; run_replay_aside keeps it
  auto room = *of.room;
  room.attempts = std::move(attempts);
  const auto& about = of.event->envelope;
  store_.put_room(about.tenant_id, about.aggregate_id, about.aggregate_sequence,
                  room);
}

/// What was set aside stands in no stream: it is judged as if it came again.
void consumer::replay_aside(const stream_op& what, storage::room_row room) {
  if (deaths_in(room.attempts, what.replay_id) >= limits_.deaths_max)
    return answer_when_durable(what, refused(death_in(what.replay_id)));
  domain::add_attempt(room.attempts, {clock_.now(), death_in(what.replay_id)});
  store_.put_aside(what.tenant_id, what.dead_letter_id, room);
  store_.rows().when_durable([this, what] {
    support::fault_point("replay.after_attempt");
    run_replay_aside(what);
  });
}

void consumer::run_replay_aside(const stream_op& what) {
  auto room = store_.aside(what.tenant_id, what.dead_letter_id);
  if (!room) // waived meanwhile
    return answer_when_durable(what, result_of_used(what));
  survive(room->attempts, what.replay_id);
  const auto keep = [&](std::string why) {
    store_.put_aside(what.tenant_id, what.dead_letter_id, *room);
    answer_when_durable(what, refused(std::move(why)));
  };
  const auto event = codec::decode_event(room->bytes);
  if (!event)
    return keep("invalid: " + event.why().detail);
  const auto& about = (*event)->envelope;
  if (about.tenant_id != what.tenant_id)
    return keep("invalid: its envelope names another tenant");
  if (paused({about.tenant_id, about.aggregate_id}))
    return keep(std::string(while_paused));
  auto row = store_.stream(about.tenant_id, about.aggregate_id);
  delivery_facts facts(store_, **event, true);
  const auto judged = domain::judge(**event, row, spec_.supported, facts);
  auto used = what;
  used.aggregate_id = about.aggregate_id;
  used.sequence = about.aggregate_sequence;
  used.event_id = about.event_id;
  used.digest = (*event)->digest;
  const subject of{*event, room->topic, domain::via::replay, std::nullopt,
                   what.replay_id};
  if (judged.what == verdict::applied) {
    if (!apply(of, std::move(row)))
      return keep("the effect failed");
  } else {
    count(judged.what, event->get(), domain::via::replay);
    if (judged.what != verdict::duplicate)
      return keep(std::string(to_string(judged.what)) + ": " + judged.reason);
  }
  store_.erase_aside(what.tenant_id, what.dead_letter_id);
  close_letter(what.tenant_id, what.dead_letter_id,
               resolved_step(of, clock_.now()));
  answer_when_durable(what, result_of_used(used));
}

/// What the inbox says of it: right whatever came between, a crash included.
stream_result consumer::result_of_used(const stream_op& what) {
  const auto row = store_.stream(what.tenant_id, what.aggregate_id);
  if (what.aggregate_id.empty() || what.sequence > row.position)
    return refused("nothing of it is kept here: it was waived");
  const auto inlined =
    std::find_if(row.recent.begin(), row.recent.end(), [&](const auto& one) {
      return one.sequence == what.sequence;
    });
  const auto entry =
    inlined != row.recent.end()
      ? std::optional(*inlined)
      : store_.inbox_entry(what.tenant_id, what.aggregate_id, what.sequence);
  if (!entry)
    return refused("its inbox entry is gone: it cannot be applied any more");
  if (entry->mark == domain::inbox_mark::skipped)
    return refused("its sequence was skipped for " + entry->note);
  if (entry->event_id != what.event_id || entry->digest != what.digest)
    return refused("another event stands at its sequence: " + entry->event_id);
  stream_result result;
  result.position = row.position;
  result.door = entry->door;
  const bool ours = entry->replay_id == what.replay_id;
  if (entry->mark == domain::inbox_mark::declined) {
    result.state = item_state::declined;
    result.reason = entry->note;
  } else {
    result.state = ours ? item_state::created_now : item_state::existed_before;
  }
  if (!ours)
    result.earlier_replay = entry->replay_id;
  return result;
}

/// A version that is taken now may be quarantined from before. That is said;
/// what is done about it is a responder's choice.
void consumer::list_compatible() {
  constexpr std::size_t looked_at_max = 10'000;
  constexpr std::size_t named_max = 5;
  std::size_t looked_at = 0;
  std::size_t found = 0;
  std::string names;
  store_.each_waiting_stream([&](const auto& tenant, const auto& aggregate) {
    if (++looked_at > looked_at_max)
      return;
    const auto row = store_.stream(tenant, aggregate);
    if (!row.waiting || row.waiting->cause != domain::wait_cause::unsupported)
      return;
    const auto head = store_.room(tenant, aggregate, row.position + 1);
    const auto event =
      head ? codec::decode_event(head->bytes)
           : domain::outcome<domain::event_ptr>{failure::not_found, ""};
    if (!event)
      return;
    const auto& about = (*event)->envelope;
    const domain::event_kind kind{about.event_type, about.event_version};
    if (std::find(spec_.supported.begin(), spec_.supported.end(), kind)
        == spec_.supported.end())
      return;
    if (++found <= named_max)
      names += (names.empty() ? "" : " ") + head->dead_letter_id;
  });
  compatible_.set(static_cast<double>(found));
  if (found > 0)
    log::warning(
      "consumer", "quarantined events are taken now: plan a replay of them",
      {{"consumer", spec_.name}, {"count", found}, {"dead_letters", names}});
}

// --- waive and skip ----------------------------------------------------------

void consumer::waive(const stream_op& what) {
  const auto row = store_.stream(what.tenant_id, what.aggregate_id);
  const auto room =
    store_.room(what.tenant_id, what.aggregate_id, what.sequence);
  if (room && room->dead_letter_id == what.dead_letter_id)
    return answer_when_durable(
      what,
      domain::fault{failure::illegal_transition,
                    "the event waits in its stream (" + next_is(row.position)
                      + "): replay it, or skip what is next"});
  store_.erase_aside(what.tenant_id, what.dead_letter_id);
  close_letter(
    what.tenant_id, what.dead_letter_id,
    {domain::dead_letter_state::waived, what.actor, what.reason, clock_.now()});
  stream_result result;
  result.position = row.position;
  answer_when_durable(what, std::move(result));
}

namespace {

domain::status may_skip(const domain::stream_row& row,
                        const std::optional<storage::room_row>& head,
                        std::uint64_t sequence) {
  if (!row.waiting)
    return {failure::illegal_transition,
            "the stream does not wait: there is nothing to skip"};
  if (sequence != row.position + 1)
    return {failure::illegal_transition,
            next_is(row.position) + ": only that can be skipped"};
  if (head && head->mode != storage::room_mode::quarantined)
    return {failure::illegal_transition,
            "the event is no dead letter: it goes on by itself"};
  if (!head && row.waiting->cause != domain::wait_cause::gap)
    return {failure::illegal_transition, "nothing is missing there"};
  return domain::done();
}

} // namespace

void consumer::skip(const stream_op& what) {
  const stream_id stream(what.tenant_id, what.aggregate_id);
  auto row = store_.stream(stream.first, stream.second);
  const auto head = store_.room(stream.first, stream.second, what.sequence);
  if (const auto allowed = may_skip(row, head, what.sequence); !allowed)
    return answer_when_durable(what, allowed.why());
  const auto now = clock_.now();
  domain::inbox_entry entry;
  entry.sequence = what.sequence;
  entry.mark = domain::inbox_mark::skipped;
  entry.at = now;
  entry.note = head ? head->dead_letter_id
                    : store_.first_letter(stream.first, stream.second);
  if (entry.note.empty())
    entry.note = "hole";
  storage::skip_row skipped{entry.note, what.actor, what.reason, now};
  if (head) {
    entry.event_id = head->event_id;
    entry.digest = head->digest;
    store_.erase_room(stream.first, stream.second, what.sequence);
    row.waiting->rows -= 1;
    close_letter(stream.first, head->dead_letter_id,
                 {domain::dead_letter_state::waived, what.actor,
                  "skipped: " + what.reason, now});
  }
  store_.put_skip(stream.first, stream.second, what.sequence, skipped);
  row.position = what.sequence;
  row.recent.push_back(std::move(entry));
  log::warning("consumer", "skipped",
               {{"consumer", spec_.name},
                {"tenant", stream.first},
                {"aggregate", stream.second},
                {"sequence", what.sequence},
                {"actor", what.actor}});
  if (row.waiting->rows == 0) {
    row.waiting.reset();
    askings_.erase(stream);
  } else {
    move_past(row, now);
    enqueue_drain(stream);
  }
  save(stream, std::move(row), true);
  stream_result result;
  result.position = what.sequence;
  answer_when_durable(what, std::move(result));
}

// --- pausing -----------------------------------------------------------------

bool consumer::paused(const stream_id& stream) const {
  return pauses_->stream(stream.first, spec_.name, stream.second);
}

void consumer::obey(domain::pause_set_ptr pauses) {
  pauses_ = std::move(pauses);
  if (paused())
    return;
  // What was parked a moment ago is in the index once it is durable.
  store_.rows().when_durable([this] {
    store_.each_waiting_stream([&](std::string tenant, std::string aggregate) {
      stream_id stream(std::move(tenant), std::move(aggregate));
      if (!paused(stream))
        enqueue_drain(stream);
    });
  });
  if (!held_.empty())
    deliver(std::exchange(held_, {}));
  ports_.wake(0);
}

} // namespace parcelflow::actors
