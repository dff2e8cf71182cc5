#include "actors/consumer.hpp"

#include "actors/delivery_facts.hpp"
#include "codec/event_json.hpp"
#include "codec/identity.hpp"
#include "codec/utc_time.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <exception>

namespace parcelflow::actors {

using domain::verdict;
namespace log = support::log;

consumer::consumer(domain::consumer_spec spec, consumer_limits limits,
                   storage::family& rows, const support::clock& clock,
                   support::id_source& ids, support::metrics& metrics,
                   consumer_ports ports)
  : spec_(std::move(spec)), limits_(std::move(limits)),
    store_(rows, spec_.name), clock_(clock), ids_(ids),
    ports_(std::move(ports)) {
  for (auto v = static_cast<std::size_t>(verdict::applied);
       v <= static_cast<std::size_t>(verdict::parked); ++v)
    verdicts_[v] = metrics.counter(
      "parcelflow_consumer_verdicts_total", "Deliveries by verdict",
      {{"consumer", spec_.name},
       {"verdict", std::string(to_string(static_cast<verdict>(v)))}});
  latency_ =
    metrics.histogram("parcelflow_acceptance_to_effect_seconds",
                      "From the event's time to its effect, by consumer",
                      {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300, 3600},
                      {{"consumer", spec_.name}});
  rolled_back_ = metrics.counter("parcelflow_consumer_rollbacks_total",
                                 "Effects that failed and left no trace",
                                 {{"consumer", spec_.name}});
  compatible_ =
    metrics.gauge("parcelflow_dead_letters_compatible",
                  "Quarantined as unsupported, and taken since the last start",
                  {{"consumer", spec_.name}});
  resends_asked_ =
    metrics.counter("parcelflow_consumer_resends_asked_total",
                    "Holes asked for again", {{"consumer", spec_.name}});
}

void consumer::count(verdict what, const domain::event* of, domain::via door) {
  verdicts_[static_cast<std::size_t>(what)].add();
  if (ports_.feed == nullptr || of == nullptr || !ports_.feed->heard())
    return;
  const auto& about = of->envelope;
  ports_.feed->tell({clock_.now(), spec_.name, about.tenant_id,
                     about.aggregate_id, about.aggregate_sequence,
                     about.event_id, what, door});
}

void consumer::deliver(const bus::delivery_batch& batch) {
  if (paused()) { // holding their credits is what stops the bus
    held_.insert(held_.end(), batch.begin(), batch.end());
    return;
  }
  if (cautious() || !suspects_.empty()) {
    suspects_.insert(suspects_.end(), batch.begin(), batch.end());
    take_suspects();
    return;
  }
  std::vector<bus::settled> acks;
  acks.reserve(batch.size());
  for (const auto& one : batch)
    if (take(one) == next::ack)
      acks.push_back({one.token, bus::settlement::ack});
  support::fault_point("consumer.before_commit");
  settle_when_durable(std::move(acks));
}

void consumer::settle_when_durable(std::vector<bus::settled> what) {
  if (what.empty())
    return;
  store_.rows().when_durable([this, what = std::move(what)]() mutable {
    support::fault_point("consumer.after_commit");
    support::fault_point("consumer.before_settle");
    ports_.settle(std::move(what));
    support::fault_point("consumer.after_settle");
  });
}

consumer::next consumer::take(const bus::delivery& one) {
  if (!one.event) {
    count(verdict::invalid);
    domain::dead_letter letter;
    const auto tenant = codec::tenant_named_in(*one.raw);
    letter.tenant_id =
      tenant.value_or(std::string(domain::unattributed_tenant));
    letter.dead_letter_id =
      codec::dead_letter_id_of_bytes(spec_.name, one.topic, *one.raw);
    letter.topic = one.topic;
    letter.cause = domain::dead_letter_cause::invalid_envelope;
    letter.reason = one.why.detail;
    letter.replay_role = tenant ? "responder" : "admin";
    return set_aside(std::move(letter), *one.raw, one.token);
  }
  subject of{one.event,
             std::string(one.topic),
             one.offer > 0 ? domain::via::resend : domain::via::delivery,
             std::nullopt,
             {}};
  const auto& about = one.event->envelope;
  auto row = store_.stream(about.tenant_id, about.aggregate_id);
  if (!row.forward_to.empty())
    return ports_.forward(row.forward_to, one) ? next::ack : next::hold;
  delivery_facts facts(store_, *one.event, true);
  const auto judged = domain::judge(*one.event, row, spec_.supported, facts);
  return act(of, std::move(row), judged, one.token);
}

consumer::next consumer::act(const subject& of, domain::stream_row row,
                             const domain::judgement& judged,
                             std::uint64_t token) {
  const auto& about = of.event->envelope;
  using cause = domain::dead_letter_cause;
  if (judged.what != verdict::applied)
    count(judged.what, of.event.get(), of.door);
  const auto aside = [&](cause why) {
    auto letter = letter_of(of, why, judged.expected, judged.reason);
    letter.known_event_id = judged.known_event_id;
    letter.known_digest = judged.known_digest;
    return set_aside(std::move(letter), of.event->bytes, token);
  };
  const auto waits_at_head = [&](cause why, domain::wait_cause waits) {
    quarantine(of, std::move(row), why, waits, judged.reason, {});
    hold_for_tell(about.tenant_id,
                  codec::dead_letter_id(spec_.name, about.tenant_id,
                                        about.event_id, of.event->digest),
                  token);
    return next::hold;
  };
  switch (judged.what) {
  case verdict::applied:
    if (paused({about.tenant_id, about.aggregate_id}))
      park_paused(of, std::move(row));
    else
      apply(of, std::move(row));
    return next::ack;
  case verdict::waiting: park_behind(of, std::move(row)); return next::ack;
  case verdict::gap:
    return waits_at_head(cause::sequence_gap, domain::wait_cause::gap);
  case verdict::unsupported:
    return waits_at_head(cause::unsupported_version,
                         domain::wait_cause::unsupported);
  case verdict::fork: return aside(cause::sequence_fork);
  case verdict::stale: return aside(cause::stale);
  case verdict::invalid: return aside(cause::invalid_envelope);
  case verdict::parked: {
    const auto room = store_.room(about.tenant_id, about.aggregate_id,
                                  about.aggregate_sequence);
    if (!room || room->mode != storage::room_mode::quarantined)
      return next::ack;
    const auto& id = room->dead_letter_id;
    if (tells_.contains({about.tenant_id, id})) {
      hold_for_tell(about.tenant_id, id, token);
      return next::hold;
    }
    ports_.seen_again(about.tenant_id, id);
    return next::ack;
  }
  default: return next::ack;
  }
}

bool consumer::apply(const subject& of, domain::stream_row row) {
  if (cautious() && !of.room && of.door != domain::via::replay) {
    park_retry(of, std::move(row), {}, clock_.now());
    return false;
  }
  effect_buffer changes(store_.rows());
  domain::effect_answer answer;
  try {
    support::fault_point("consumer.in_effect");
    answer = spec_.effect(*of.event, {row.effect, clock_.now()}, changes);
  } catch (const std::exception& thrown) {
    answer = domain::effect_answer::fail(thrown.what());
  } catch (...) {
    answer = domain::effect_answer::fail("an unknown exception");
  }
  if (answer.what == domain::effect_answer::kind::transient) {
    rolled_back_.add();
    fail_attempt(of, std::move(row), std::move(answer.reason));
    return false;
  }
  if (answer.what == domain::effect_answer::kind::applied)
    changes.stage();
  commit_applied(of, std::move(row), answer);
  return true;
}

void consumer::commit_applied(const subject& of, domain::stream_row row,
                              const domain::effect_answer& answer) {
  const auto& about = of.event->envelope;
  const auto now = clock_.now();
  const bool applied = answer.what == domain::effect_answer::kind::applied;
  const bool was_waiting = row.waiting.has_value();
  PF_ASSERT(about.aggregate_sequence == row.position + 1);
  domain::inbox_entry entry;
  entry.sequence = about.aggregate_sequence;
  entry.event_id = about.event_id;
  entry.digest = of.event->digest;
  entry.mark =
    applied ? domain::inbox_mark::applied : domain::inbox_mark::declined;
  entry.door = of.door;
  entry.note = answer.reason;
  entry.replay_id = of.replay_id;
  entry.at = now;
  row.position = about.aggregate_sequence;
  row.recent.push_back(std::move(entry));
  if (applied)
    row.effect = answer.effect;
  count(applied ? verdict::applied : verdict::declined, of.event.get(),
        of.door);
  if (domain::form_of(about) == domain::id_form::foreign)
    store_.put_place(about.tenant_id, about.event_id,
                     {about.aggregate_id, about.aggregate_sequence});
  if (of.room) {
    leave_room(of, row);
    if (of.room->mode == storage::room_mode::quarantined)
      close_letter(about.tenant_id, of.room->dead_letter_id,
                   resolved_step(of, now));
  }
  const stream_id stream(about.tenant_id, about.aggregate_id);
  if (row.waiting && row.waiting->rows == 0) {
    row.waiting.reset();
    askings_.erase(stream);
  } else if (row.waiting) {
    move_past(row, now);
    enqueue_drain(stream);
  }
  save(stream, std::move(row), was_waiting);
  if (applied)
    if (const auto since = codec::parse_utc(about.occurred_at))
      latency_.observe(static_cast<double>(now - *since) / 1e3);
  if (applied && ports_.applied)
    ports_.applied(*of.event);
}

void consumer::fail_attempt(const subject& of, domain::stream_row row,
                            std::string cause) {
  auto attempts = of.room ? of.room->attempts : std::vector<domain::attempt>{};
  const auto now = clock_.now();
  domain::add_attempt(attempts, {now, std::move(cause)});
  const auto tries = static_cast<std::uint32_t>(attempts.size());
  log::warning("consumer", "an effect failed",
               {{"consumer", spec_.name},
                {"tenant", of.event->envelope.tenant_id},
                {"event", of.event->envelope.event_id},
                {"attempts", tries},
                {"cause", attempts.back().cause}});
  if (of.door == domain::via::replay)
    return keep_after_failed_replay(of, std::move(attempts));
  if (limits_.retry.exhausted(tries)) {
    count(verdict::exhausted, of.event.get(), of.door);
    const std::string reason = attempts.back().cause;
    quarantine(of, std::move(row),
               domain::dead_letter_cause::attempts_exhausted,
               domain::wait_cause::exhausted, reason, std::move(attempts));
    return;
  }
  count(verdict::retrying, of.event.get(), of.door);
  const auto pause = limits_.retry.delay(tries, ids_.below(1ULL << 32U));
  park_retry(of, std::move(row), std::move(attempts), now + pause);
}

void consumer::save(const stream_id& stream, domain::stream_row row,
                    bool was_waiting) {
  store_.put_stream(stream.first, stream.second, std::move(row), was_waiting,
                    limits_.inbox_inline_max);
}

bool consumer::quiet() const noexcept {
  if (!tells_.empty() || trial_)
    return false;
  return paused() || (suspects_.empty() && drains_.empty());
}

} // namespace parcelflow::actors
