// The relay's other books: held streams, resends, dead letters of publishing;
// and the actor's handlers.
#include "actors/relay.hpp"
#include "codec/event_json.hpp"
#include "codec/identity.hpp"
#include "domain/order.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/digest.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

namespace log = support::log;

void relay_state::init(relay_actor::pointer self, relay_dependencies with) {
  self_ = self;
  writer_.emplace(std::move(with.rows), with.way);
  traits_ = with.bus->traits();
  auto& metrics = *with.metrics;
  published_total_ = metrics.counter("parcelflow_events_published_total",
                                     "Outbox events that the bus accepted");
  failed_total_ = metrics.counter("parcelflow_publish_failures_total",
                                  "Publish results that were not accepted");
  resent_total_ = metrics.counter("parcelflow_events_resent_total",
                                  "Events offered again on request");
  held_now_ = metrics.gauge("parcelflow_held_streams",
                            "Streams whose next event the bus refused");
  with_.emplace(std::move(with));
  pauses_ = pauses_of(*with_->way.store);
  load_books();
  pump();
  after();
}

void relay_state::load_books() {
  auto& rows = writer_->rows();
  if (const auto cursor =
        rows.get(storage::relay_cursor_key(storage::the_lane))) {
    storage::key_reader at(std::string_view(*cursor).substr(2));
    at.byte();
    published_up_to_ = at.number();
    if (!at.complete())
      storage::corrupt_row("relay cursor",
                           {domain::failure::storage_corrupt, ""});
  }
  next_read_ = published_up_to_ + 1;
  const auto held = storage::key_writer(storage::kind::held_stream).take();
  rows.scan(held, storage::prefix_end(held), [&](auto key, auto value) {
    storage::key_reader in(key);
    const auto tenant = in.text();
    const auto aggregate = in.text();
    auto row = storage::decode_held_stream(value);
    if (!row)
      storage::corrupt_row("held stream", row.why());
    held_.emplace(stream_id(tenant, aggregate), *std::move(row));
    return true;
  });
  held_now_.set(static_cast<double>(held_.size()));
  const auto untold =
    storage::key_writer(storage::kind::publish_to_tell).take();
  std::vector<std::pair<dead_letter_ref, storage::tell_row>> tells;
  rows.scan(untold, storage::prefix_end(untold), [&](auto key, auto value) {
    storage::key_reader in(key);
    dead_letter_ref which;
    which.tenant_id = in.text();
    which.dead_letter_id = in.text();
    auto row =
      storage::decode_tell(which.tenant_id, which.dead_letter_id, value);
    if (!row)
      storage::corrupt_row("to tell", row.why());
    tells.emplace_back(std::move(which), *std::move(row));
    return true;
  });
  for (auto& [which, row] : tells)
    tell(which.tenant_id, which.dead_letter_id, std::move(row));
}

void relay_state::hold(const fresh_event& event, const domain::fault& why) {
  const auto now = with_->clock->now();
  const auto& about = event.event->envelope;
  storage::held_stream held;
  held.first_position = event.position;
  held.sequence = about.aggregate_sequence;
  held.attempts.push_back({now, why.detail});
  held.next_at =
    now + with_->limits.retry.delay(1, with_->ids->below(1ULL << 32U));
  log::warning("relay", "the bus refused an event; its stream is held",
               {{"tenant", about.tenant_id},
                {"event", about.event_id},
                {"why", why.detail}});
  const stream_id stream(about.tenant_id, about.aggregate_id);
  if (with_->limits.retry.exhausted(1))
    give_up(stream, held, event);
  writer_->rows().put(storage::held_stream_key(stream.first, stream.second),
                      storage::encode(held));
  held_[stream] = std::move(held);
  held_now_.set(static_cast<double>(held_.size()));
}

unix_ms relay_state::time_left(const storage::held_stream& of) const {
  return support::wait_for(of.next_at, with_->clock->now(),
                           with_->limits.retry.longest());
}

std::optional<fresh_event> relay_state::read(std::uint64_t position) {
  const auto bytes = with_->way.store->read().get(
    storage::owner::order, storage::outbox_key(storage::the_lane, position));
  if (!bytes)
    return std::nullopt;
  const auto row = storage::decode_outbox(*bytes);
  if (!row)
    storage::corrupt_row("outbox", row.why());
  auto event = codec::decode_event(row->bytes);
  if (!event || (*event)->digest != row->digest)
    storage::corrupt_row("outbox", {domain::failure::storage_corrupt,
                                    "the event does not match its digest"});
  return fresh_event{position, *std::move(event)};
}

void relay_state::offer_held(const stream_id& stream, stream_op_ptr replay) {
  auto& held = held_.at(stream);
  auto event = read(held.first_position);
  PF_ASSERT(event.has_value()); // an outbox row outlives its publication
  // Until its result comes, it is not due again.
  held.next_at = with_->clock->now() + with_->limits.retry.max_ms;
  offer_extra({*std::move(event),
               static_cast<std::uint32_t>(held.attempts.size()), true, 0,
               std::move(replay)});
}

/// A bus that does not answer in time leaves the outcome unknown: the event
/// is offered again, and its consumers take the second one as a duplicate.
void relay_state::end_overdue() {
  const auto now = with_->clock->steady();
  const domain::fault silent{domain::failure::bus_unknown_outcome,
                             "the bus did not answer in time"};
  const auto patience = with_->limits.publish_deadline_ms;
  while (!extras_.empty()
         && extras_.begin()->second.sent_at + patience <= now) {
    const auto of = std::move(extras_.begin()->second);
    extras_.erase(extras_.begin());
    settle_extra(of, silent);
  }
  if (!open_.empty() && open_.front().sent_at + patience <= now)
    rewind(published_up_to_ + 1, silent);
}

void relay_state::offer_extra(extra_offer what) {
  what.sent_at = with_->clock->steady();
  const auto number = next_number_++;
  std::vector<bus::offered> events{{what.event.event, what.offer}};
  extras_.emplace(number, std::move(what));
  send(number, std::move(events));
}

void relay_state::again(const std::vector<offer_again>& offers) {
  const auto room = with_->limits.batch_events_max;
  for (const auto& offer : offers) {
    if (extras_.size() >= room)
      break; // whoever misses it asks again
    auto event = read(offer.position);
    if (!event)
      continue;
    const auto& about = event->event->envelope;
    if (offer.position > published_up_to_
        || held_.contains({about.tenant_id, about.aggregate_id}))
      continue; // its first publication is still to come
    const auto from =
      storage::receipt_single_key(storage::the_lane, offer.position, 0);
    const auto upper =
      storage::receipt_single_key(storage::the_lane, offer.position + 1, 0);
    std::uint32_t count = 1;
    if (const auto last = writer_->rows().last(from, upper)) {
      storage::key_reader at(last->first);
      at.byte();
      at.number();
      count = static_cast<std::uint32_t>(at.number()) + 1;
    }
    for (const auto& [number, under_way] : extras_)
      if (under_way.event.position == offer.position)
        count = std::max(count, under_way.offer + 1);
    resent_total_.add();
    offer_extra({*std::move(event), count, false, 0, nullptr});
  }
  after();
}

void relay_state::settle_extra(const extra_offer& of,
                               const bus::publish_result& result) {
  const auto& about = of.event.event->envelope;
  const stream_id stream(about.tenant_id, about.aggregate_id);
  const auto now = with_->clock->now();
  if (result) {
    storage::receipt_run single{
      of.event.position, now, of.offer + 1, {*result}};
    writer_->rows().put(storage::receipt_single_key(
                          storage::the_lane, of.event.position, of.offer),
                        storage::encode(single));
    published_total_.add();
  } else {
    failed_total_.add();
  }
  const auto at = held_.find(stream);
  if (!of.held || at == held_.end())
    return;
  auto& held = at->second;
  if (of.replay && !settle_replay(of, held, result))
    return;
  if (result)
    return next_of_held(stream, held.sequence);
  if (result.why().code == domain::failure::bus_refused)
    held.attempts.push_back({now, result.why().detail});
  const auto tries = static_cast<std::uint32_t>(held.attempts.size());
  held.next_at =
    now + with_->limits.retry.delay(tries, with_->ids->below(1ULL << 32U));
  if (with_->limits.retry.exhausted(tries))
    give_up(stream, held, of.event);
  writer_->rows().put(storage::held_stream_key(stream.first, stream.second),
                      storage::encode(held));
}

/// The head of a held stream was accepted; what the cursor passed meanwhile
/// follows one by one, then the stream is free.
void relay_state::next_of_held(const stream_id& stream,
                               std::uint64_t accepted_sequence) {
  const auto key = storage::held_stream_key(stream.first, stream.second);
  const auto bytes = with_->way.store->read().get(
    storage::owner::order, storage::order_key(stream.first, stream.second));
  if (bytes) {
    const auto order =
      domain::decode_order(stream.first, stream.second, *bytes);
    if (!order)
      storage::corrupt_row("order", order.why());
    for (const auto& step : order->steps)
      if (step.sequence == accepted_sequence + 1
          && step.outbox_position < next_read_
          && (ready_.empty()
              || step.outbox_position < ready_.front().position)) {
        storage::held_stream next;
        next.first_position = step.outbox_position;
        next.sequence = step.sequence;
        next.next_at = with_->clock->now();
        writer_->rows().put(key, storage::encode(next));
        held_[stream] = next;
        return offer_held(stream);
      }
  }
  writer_->rows().erase(key);
  held_.erase(stream);
  held_now_.set(static_cast<double>(held_.size()));
}

void relay_state::give_up(const stream_id& stream, storage::held_stream& held,
                          const fresh_event& event) {
  const auto& about = event.event->envelope;
  const auto now = with_->clock->now();
  domain::dead_letter letter;
  letter.tenant_id = stream.first;
  letter.dead_letter_id =
    codec::dead_letter_id(domain::publish_consumer, stream.first,
                          about.event_id, event.event->digest);
  letter.consumer = domain::publish_consumer;
  letter.topic = domain::order_topic;
  letter.cause = domain::dead_letter_cause::publish_refused;
  letter.reason = held.attempts.back().cause;
  letter.aggregate_id = stream.second;
  letter.event_id = about.event_id;
  letter.event_type = about.event_type;
  letter.event_version = about.event_version;
  letter.expected_sequence = about.aggregate_sequence;
  letter.observed_sequence = about.aggregate_sequence;
  letter.digest = event.event->digest;
  letter.payload_sha256 = support::sha256_of(event.event->bytes);
  letter.attempts = held.attempts;
  letter.trace_id = about.trace_id;
  letter.environment = with_->limits.environment;
  letter.decision = "the stream is held at the producer";
  letter.replay_role = "responder";
  letter.first_seen = held.attempts.front().at;
  letter.last_seen = now;
  letter.steps = {{domain::dead_letter_state::open, "system",
                   std::string(to_string(letter.cause)), now}};
  letter.payload = event.event->bytes;
  held.dead_letter_id = letter.dead_letter_id;
  storage::tell_row row;
  row.opened = std::move(letter);
  writer_->rows().put(storage::key_writer(storage::kind::publish_to_tell)
                        .text(stream.first)
                        .text(held.dead_letter_id)
                        .take(),
                      storage::encode(row));
  tell(stream.first, held.dead_letter_id, std::move(row));
}

void relay_state::tell(const std::string& tenant, const std::string& id,
                       storage::tell_row row) {
  const auto generation = next_number_++;
  tells_[{tenant, id}] = generation;
  auto what = std::make_shared<const dead_letter_tell>(
    dead_letter_tell{tenant, id, std::string(domain::publish_consumer),
                     generation, std::move(row)});
  writer_->rows().when_durable([this, what = std::move(what)] {
    self_->send(with_->dead_letters, tell_atom::value, what,
                told_listener(self_));
  });
}

void relay_state::told(const dead_letter_ref& which) {
  const auto at = tells_.find({which.tenant_id, which.dead_letter_id});
  if (at == tells_.end() || at->second != which.generation)
    return;
  tells_.erase(at);
  writer_->rows().erase(storage::key_writer(storage::kind::publish_to_tell)
                          .text(which.tenant_id)
                          .text(which.dead_letter_id)
                          .take());
  after();
}

relay_actor::behavior_type
relay(relay_actor::stateful_pointer<relay_state> self,
      relay_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tick_atom) { state.tick(); },
    [&state](fresh_atom, const fresh_batch& hint) { state.fresh(*hint); },
    [&state](published_atom, std::uint64_t number, const publish_results& r) {
      state.published(number, *r);
    },
    [&state](offer_atom, const offer_batch& offers) { state.again(*offers); },
    [&state](told_atom, const dead_letter_ref& which) { state.told(which); },
    [&state](operate_atom, const stream_op_ptr& what) { state.operate(what); },
    [&state](obey_atom, const domain::pause_set_ptr& pauses) {
      state.obey(pauses);
    },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
