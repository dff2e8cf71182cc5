#include "actors/relay.hpp"

#include "codec/event_json.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

namespace log = support::log;

namespace {

std::pair<std::string, std::string> stream_of(const domain::event& event) {
  return {event.envelope.tenant_id, event.envelope.aggregate_id};
}

} // namespace

void relay_state::fresh(const std::vector<fresh_event>& hint) {
  poll_ms_ = 1000;
  for (const auto& one : hint) {
    if (one.position < next_read_)
      continue; // read from the store already
    const auto size = one.event->bytes.size();
    if (one.position != next_read_
        || ready_bytes_ + size > with_->limits.hint_bytes_max) {
      behind_ = true;
      break;
    }
    ready_.push_back(one);
    ready_bytes_ += size;
    next_read_ += 1;
  }
  pump();
  after();
}

/// Opens publish batches while the window allows.
void relay_state::pump() {
  if (retry_at_ > with_->clock->steady() || pauses_->relay())
    return;
  while (open_.size() < with_->limits.publish_window && fill()) {
    auto span = next_span();
    if (!span)
      return; // its stream has an event on the way
    publish(std::move(*span));
  }
}

/// Something is ready; if not, reads on from the store.
bool relay_state::fill() {
  if (!ready_.empty())
    return true;
  if (!behind_)
    return false;
  const auto limit = with_->limits.batch_events_max;
  std::size_t found = 0;
  with_->way.store->read().scan(
    storage::owner::order, storage::outbox_key(storage::the_lane, next_read_),
    storage::outbox_key(storage::the_lane + 1, 0),
    [&](std::string_view key, std::string_view value) {
      storage::key_reader at(key);
      at.byte();
      const auto position = at.number();
      PF_ASSERT(position == next_read_); // I1: the outbox has no holes
      const auto row = storage::decode_outbox(value);
      if (!row)
        storage::corrupt_row("outbox", row.why());
      auto event = codec::decode_event(row->bytes);
      if (!event || (*event)->digest != row->digest
          || (*event)->envelope.tenant_id != row->tenant_id)
        storage::corrupt_row("outbox", {domain::failure::storage_corrupt,
                                        "the event does not match its digest"});
      ready_bytes_ += row->bytes.size();
      ready_.push_back({position, *std::move(event)});
      next_read_ += 1;
      return ++found < limit;
    });
  behind_ = found == limit;
  return !ready_.empty();
}

/// The longest run of ready events that may be offered together.
std::optional<relay_state::open_batch> relay_state::next_span() {
  open_batch span;
  std::set<stream_id> inside;
  while (!ready_.empty()
         && span.events.size() < with_->limits.batch_events_max) {
    auto& next = ready_.front();
    const auto stream = stream_of(*next.event);
    if (!held_.contains(stream)) {
      if (open_streams_.contains(stream)
          || (!traits_.atomic_batch && inside.contains(stream)))
        break;
      inside.insert(stream);
      span.events.push_back(next);
    }
    span.last_position = next.position;
    ready_bytes_ -= next.event->bytes.size();
    ready_.pop_front();
  }
  if (span.last_position == 0)
    return std::nullopt;
  open_streams_.merge(inside);
  return span;
}

void relay_state::publish(open_batch span) {
  span.number = next_number_++;
  span.sent_at = with_->clock->steady();
  std::vector<bus::offered> events;
  events.reserve(span.events.size());
  for (const auto& one : span.events)
    events.push_back({one.event, 0});
  const auto number = span.number;
  open_.push_back(std::move(span));
  if (events.empty()) // only held ones: nothing to offer, but to pass
    published(number, {});
  else
    send(number, std::move(events));
}

void relay_state::send(std::uint64_t number, std::vector<bus::offered> events) {
  support::fault_point("relay.before_publish");
  with_->bus->publish(
    domain::order_topic, std::move(events),
    [to = relay_actor(self_),
     number](std::vector<bus::publish_result> results) {
      caf::anon_send(to, published_atom::value, number,
                     std::make_shared<const std::vector<bus::publish_result>>(
                       std::move(results)));
    });
}

void relay_state::published(std::uint64_t number,
                            const std::vector<bus::publish_result>& results) {
  support::fault_point("relay.after_publish");
  const auto extra = extras_.find(number);
  if (extra != extras_.end()) {
    const auto of = std::move(extra->second);
    extras_.erase(extra);
    PF_ASSERT(results.size() == 1);
    settle_extra(of, results.front());
  } else {
    const auto at =
      std::find_if(open_.begin(), open_.end(),
                   [&](const auto& b) { return b.number == number; });
    if (at != open_.end()) { // else it was rewound and is offered again
      PF_ASSERT(results.size() == at->events.size());
      at->results = results;
      settle_front();
    }
  }
  pump();
  after();
}

/// Books complete batches in the order of their positions.
void relay_state::settle_front() {
  while (!open_.empty() && open_.front().results) {
    const auto batch = std::move(open_.front());
    open_.pop_front();
    for (const auto& one : batch.events)
      open_streams_.erase(stream_of(*one.event));
    if (!book(batch))
      return;
  }
}

/// False if the bus could not be reached and everything behind was rewound.
bool relay_state::book(const open_batch& batch) {
  const auto stop = hold_refused(batch);
  if (stop) {
    const auto position = batch.events[*stop].position;
    open_batch accepted = batch;
    accepted.events.resize(*stop);
    accepted.last_position = position - 1;
    put_runs(accepted);
    rewind(position, (*batch.results)[*stop].why());
    return false;
  }
  put_runs(batch);
  failures_ = 0;
  return true;
}

/// Holds the streams of refused events, each at its first event of the batch
/// that was not accepted. First of all: where a batch is accepted whole or not
/// at all, the others fail because of them, and would for ever. Answers the
/// first event that failed for another reason and is not held.
std::optional<std::size_t> relay_state::hold_refused(const open_batch& batch) {
  std::map<stream_id, std::size_t> first_failed;
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    const auto& result = (*batch.results)[i];
    if (result)
      continue;
    failed_total_.add();
    const auto stream = stream_of(*batch.events[i].event);
    const auto first = first_failed.emplace(stream, i).first->second;
    if (result.why().code == domain::failure::bus_refused
        && !held_.contains(stream)
        && held_.size() < with_->limits.held_streams_max)
      hold(batch.events[first], result.why());
  }
  std::optional<std::size_t> stop;
  for (const auto& [stream, first] : first_failed)
    if (!held_.contains(stream))
      stop = std::min(stop.value_or(first), first);
  return stop;
}

/// Receipts of the accepted events, cut into contiguous runs, and the cursor.
void relay_state::put_runs(const open_batch& batch) {
  auto& rows = writer_->rows();
  storage::receipt_run run;
  std::uint64_t last = 0;
  const auto close = [&] {
    if (!run.broker_ids.empty())
      rows.put(storage::receipt_run_key(storage::the_lane, last),
               storage::encode(run));
    run.broker_ids.clear();
  };
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    const auto& result = (*batch.results)[i];
    const auto position = batch.events[i].position;
    if (!result)
      continue;
    if (run.broker_ids.empty() || position != last + 1) {
      close();
      run.first_position = position;
      run.published_at = with_->clock->now();
      run.attempts = failures_ + 1;
    }
    run.broker_ids.push_back(*result);
    last = position;
    published_total_.add();
  }
  close();
  if (batch.last_position <= published_up_to_)
    return;
  published_up_to_ = batch.last_position;
  rows.put(storage::relay_cursor_key(storage::the_lane),
           std::string("\x01\0", 2)
             + storage::outbox_key(storage::the_lane, published_up_to_));
  rows.when_durable([] { support::fault_point("relay.after_receipt"); });
}

/// Nothing is held: the cursor stops and the rest is offered again later.
void relay_state::rewind(std::uint64_t position, const domain::fault& why) {
  failures_ += 1;
  const auto pause =
    with_->limits.retry.delay(failures_, with_->ids->below(1ULL << 32U));
  retry_at_ = with_->clock->steady() + pause;
  log::warning("relay", "the bus did not accept a batch",
               {{"position", position},
                {"why", why.detail},
                {"failures", failures_},
                {"retry_ms", pause}});
  open_.clear();
  open_streams_.clear();
  ready_.clear();
  ready_bytes_ = 0;
  next_read_ = position;
  behind_ = true;
}

void relay_state::flush() {
  support::fault_point("relay.before_receipt");
  writer_->flush(self_);
}

void relay_state::durable() {
  writer_->rows().round_done();
  after();
}

void relay_state::tick() {
  alarm_.rang();
  behind_ = true;
  end_overdue();
  for (auto& [stream, held] : held_)
    if (held.dead_letter_id.empty() && time_left(held) == 0
        && !pauses_->relay())
      offer_held(stream);
  pump();
  poll_ms_ = std::min(poll_ms_ * 2, with_->limits.poll_max_ms);
  after();
}

/// The safety poll is the one timer that runs when all is quiet; it rings
/// earlier for a held stream or a bus that could not be reached.
void relay_state::arm_poll() {
  const auto now = with_->clock->steady();
  auto at = now + poll_ms_;
  if (retry_at_ > now)
    at = std::min(at, retry_at_);
  const auto patience = with_->limits.publish_deadline_ms;
  if (!open_.empty())
    at = std::min(at, open_.front().sent_at + patience);
  if (!extras_.empty())
    at = std::min(at, extras_.begin()->second.sent_at + patience);
  for (const auto& [stream, held] : held_)
    if (held.dead_letter_id.empty() && !pauses_->relay())
      at = std::min(at, now + std::max<unix_ms>(time_left(held), 1));
  alarm_.wake(self_, *with_->clock, at - now);
}

caf::result<bool> relay_state::drain() {
  draining_ = true;
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  behind_ = true;
  pump();
  after();
  return promise;
}

void relay_state::after() {
  writer_->arm(self_);
  arm_poll();
  const bool all_out =
    open_.empty() && (pauses_->relay() || (ready_.empty() && !behind_));
  if (drained_ && all_out && extras_.empty() && tells_.empty()
      && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

} // namespace parcelflow::actors
