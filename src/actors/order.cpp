#include "actors/order.hpp"

#include "codec/event_json.hpp"
#include "codec/order_json.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"

#include <chrono>

namespace parcelflow::actors {

using domain::failure;
using domain::fault;

namespace {

constexpr std::chrono::milliseconds deadline_tick{50};

std::string full_key(const domain::order_request& of) {
  return of.tenant_id + '\n' + of.idempotency_key;
}

place_answer refused(fault why) {
  place_answer answer;
  answer.why = std::move(why);
  return answer;
}

place_answer accepted_answer(std::shared_ptr<const domain::order> order,
                             bool repeated) {
  place_answer answer;
  answer.what = place_answer::kind::accepted;
  answer.order_id = order->order_id;
  answer.order = std::move(order);
  answer.repeated = repeated;
  return answer;
}

fault key_reused() {
  return {failure::idempotency_key_reused,
          "this key was used for another order; use a new key"};
}

std::vector<domain::reserved_line>
lines_of(const domain::order_request& request) {
  std::vector<domain::reserved_line> lines;
  lines.reserve(request.lines.size());
  for (const auto& line : request.lines)
    lines.push_back({line.sku, line.quantity});
  return lines;
}

} // namespace

void order_state::place(const place_ptr& order) {
  auto& request = order->request;
  if (join(*order))
    return;
  if (auto known = known_key(request)) {
    // The answer may rest on a staged row; it waits for that row's round.
    writer_->rows().when_durable(
      [answer = std::move(order->answer), known = std::move(*known)] {
        answer(known);
      });
    return;
  }
  if (draining_)
    return order->answer(
      refused({failure::draining, "the daemon is stopping; try again soon"}));
  if (!with_->disk_ok->load())
    return order->answer(refused(
      {failure::disk_full, "the disk is nearly full; nothing was stored"}));
  if (attempts_.size() >= with_->limits.inflight_orders_max)
    return order->answer(
      refused({failure::overloaded, "too many orders in flight"}));
  const auto id = next_attempt_++;
  attempt on;
  on.deadline = with_->clock->steady() + with_->limits.accept_deadline_ms;
  to_reserve_.push_back({id, request.tenant_id, request.idempotency_key,
                         request.fingerprint, lines_of(request)});
  deadlines_.emplace_back(on.deadline, id);
  by_key_.emplace(full_key(request), id);
  on.request = std::move(request);
  on.answers.push_back(std::move(order->answer));
  attempts_.emplace(id, std::move(on));
  after(true);
}

std::optional<place_answer>
order_state::known_key(const domain::order_request& request) {
  const auto row = writer_->rows().get(
    storage::idempotency_key(request.tenant_id, request.idempotency_key));
  if (!row)
    return std::nullopt;
  const auto key = storage::decode_key(*row);
  if (!key)
    storage::corrupt_row("idempotency key", key.why());
  if (key->fingerprint != request.fingerprint)
    return refused(key_reused());
  auto order = load(request.tenant_id, key->order_id);
  PF_ASSERT(order.has_value()); // I1: key and order are one batch
  repeated_total_.add();
  return accepted_answer(
    std::make_shared<const domain::order>(std::move(*order)), true);
}

bool order_state::join(place_order& order) {
  const auto at = by_key_.find(full_key(order.request));
  if (at == by_key_.end())
    return false;
  auto& on = attempts_.at(at->second);
  if (on.request.fingerprint != order.request.fingerprint)
    order.answer(refused(key_reused()));
  else if (with_->clock->steady() > on.deadline) // staged, the disk is slow
    order.answer(
      refused({failure::request_in_progress,
               "the order is being stored; its outcome will be known soon"}));
  else
    on.answers.push_back(std::move(order.answer));
  return true;
}

void order_state::reserved(const std::vector<reserve_answer>& answers) {
  std::vector<authorize_request> payments;
  for (const auto& answer : answers) {
    const auto at = attempts_.find(answer.attempt);
    if (at == attempts_.end()) {
      release_late(answer);
      continue;
    }
    if (at->second.at != stage::reserving)
      continue; // said before
    if (!answer.reserved) {
      refuse(at, answer.reserved.why());
      continue;
    }
    auto& on = at->second;
    on.reservation_id = answer.reserved->reservation_id;
    on.at = stage::authorizing;
    payment_deadlines_.emplace_back(
      with_->clock->steady() + with_->limits.payment_deadline_ms, at->first);
    const auto& request = on.request;
    payments.push_back(
      {at->first,
       {request.tenant_id, on.reservation_id, request.total_minor,
        request.currency, request.payment_token}});
  }
  support::fault_point("order.after_reserve");
  if (!payments.empty())
    self_->send(with_->payment, authorize_atom::value,
                std::make_shared<const std::vector<authorize_request>>(
                  std::move(payments)));
  after();
}

void order_state::granted(const std::vector<authorize_answer>& answers) {
  const auto now = with_->clock->steady();
  for (const auto& answer : answers) {
    const auto at = attempts_.find(answer.attempt);
    if (at == attempts_.end() || at->second.at != stage::authorizing)
      continue;
    auto& on = at->second;
    if (!answer.granted)
      refuse(at, answer.granted.why());
    else if (now > on.deadline || on.refused_reservation == on.reservation_id)
      refuse(at, {failure::deadline_exceeded,
                  "the order was not accepted in time; nothing was stored"});
    else
      stage_order(at->first, on, *answer.granted);
  }
  after();
}

void order_state::stage_order(std::uint64_t id, attempt& on,
                              domain::authorization granted) {
  const auto& request = on.request;
  auto order = std::make_shared<domain::order>();
  order->tenant_id = request.tenant_id;
  order->order_id = "ord-" + with_->ids->next_ulid();
  order->idempotency_key = request.idempotency_key;
  order->fingerprint = request.fingerprint;
  order->reservation_id = on.reservation_id;
  order->authorization = std::move(granted);
  order->lines = request.lines;
  order->currency = request.currency;
  order->total_minor = request.total_minor;
  order->customer_reference = request.customer_reference;
  order->trace_id = request.trace_id;
  order->traceparent = request.traceparent;
  const auto version = with_->limits.accepted_version.find(order->tenant_id);
  if (version != with_->limits.accepted_version.end())
    order->accepted_version = version->second;
  take_step(*order, domain::order_state::accepted);
  auto event = event_of(*order, order->steps.back());
  if (event->bytes.size() > with_->limits.payload_bytes_max)
    return refuse(attempts_.find(id),
                  {failure::payload_too_large,
                   "the order's event would be larger than the bus takes"});
  auto& rows = writer_->rows();
  rows.put(storage::order_key(order->tenant_id, order->order_id),
           domain::encode(*order));
  rows.put(
    storage::idempotency_key(order->tenant_id, order->idempotency_key),
    storage::encode(storage::key_row{order->order_id, order->fingerprint}));
  stage_event(order->steps.back(), std::move(event));
  on.order = std::move(order);
  on.at = stage::staged;
  staged_.push_back(id);
}

/// The step gets its place in the outbox, and its event its name.
void order_state::take_step(domain::order& of, domain::order_state to) const {
  domain::order_step step{to, of.steps.size() + 1, next_position_,
                          with_->clock->now()};
  if (with_->name_event)
    step.event_id = with_->name_event(of.order_id, step.sequence);
  of.steps.push_back(std::move(step));
}

domain::event_ptr order_state::event_of(const domain::order& of,
                                        const domain::order_step& step) const {
  domain::envelope about;
  about.event_id = domain::event_id_of(of, step);
  about.event_type = domain::event_type_of(step.state);
  about.event_version = 1;
  about.tenant_id = of.tenant_id;
  about.aggregate_id = of.order_id;
  about.aggregate_sequence = step.sequence;
  about.occurred_at = support::to_rfc3339(step.at);
  about.trace_id = of.trace_id;
  about.traceparent = of.traceparent;
  switch (step.state) {
  case domain::order_state::accepted:
    about.event_version = of.accepted_version;
    about.data = of.accepted_version == 1 ? codec::accepted_data(of)
                                          : codec::accepted_data_v2(of);
    break;
  case domain::order_state::cancelled:
    about.data = codec::cancelled_data(of, step.at);
    break;
  case domain::order_state::completed:
    about.data = codec::completed_data(of, step.at);
    break;
  }
  return codec::make_event(std::move(about));
}

void order_state::stage_event(const domain::order_step& step,
                              domain::event_ptr event) {
  PF_ASSERT(step.outbox_position == next_position_);
  writer_->rows().put(
    storage::outbox_key(storage::the_lane, step.outbox_position),
    storage::encode(storage::outbox_row{event->envelope.tenant_id,
                                        event->digest, event->bytes}));
  if (!step.event_id.empty()) { // nothing else leads from it to its order
    PF_ASSERT(domain::is_public_id(step.event_id));
    PF_ASSERT(domain::form_of(event->envelope)
              != domain::id_form::contradictory);
    writer_->rows().put(
      storage::named_event_key(event->envelope.tenant_id, step.event_id),
      storage::encode(
        domain::event_place{event->envelope.aggregate_id, step.sequence}));
  }
  fresh_.push_back({step.outbox_position, std::move(event)});
  next_position_ += 1;
}

void order_state::flush() {
  if (!to_reserve_.empty())
    self_->send(with_->inventory, reserve_atom::value,
                std::make_shared<const std::vector<reserve_request>>(
                  std::exchange(to_reserve_, {})));
  if (!fresh_.empty()) {
    support::fault_point("order.before_commit");
    auto hint = std::make_shared<const std::vector<fresh_event>>(
      std::exchange(fresh_, {}));
    writer_->rows().when_durable(
      [this, ids = std::exchange(staged_, {}), hint]() mutable {
        support::fault_point("order.after_commit");
        accepted(ids);
        self_->send(with_->relay, fresh_atom::value, std::move(hint));
      });
  }
  writer_->flush(self_);
}

void order_state::accepted(const std::vector<std::uint64_t>& ids) {
  for (const auto id : ids) {
    const auto at = attempts_.find(id);
    PF_ASSERT(at != attempts_.end());
    const auto answer = accepted_answer(at->second.order, false);
    for (auto& one : at->second.answers)
      one(answer);
    accepted_total_.add();
    forget(at);
  }
}

void order_state::refuse(attempts_map::iterator at, fault why) {
  PF_ASSERT(at->second.at != stage::staged);
  const auto& on = at->second;
  if (!on.reservation_id.empty())
    release(on.request.tenant_id, on.reservation_id);
  auto& counter = refused_total_[std::string(to_string(why.code))];
  if (counter.value() == 0)
    counter = with_->metrics->counter(
      "parcelflow_orders_refused_total", "Orders refused, by reason",
      {{"reason", std::string(to_string(why.code))}});
  counter.add();
  const auto answer = refused(std::move(why));
  for (const auto& one : on.answers)
    one(answer);
  forget(at);
}

/// The attempt ended before its reservation came. A retry of the same key
/// that is under way, or was accepted, has adopted it; otherwise it goes back
/// at once.
void order_state::release_late(const reserve_answer& answer) {
  if (!answer.reserved)
    return;
  const auto& of = *answer.reserved;
  if (!by_key_.contains(of.tenant_id + '\n' + of.idempotency_key)
      && !is_bound(of))
    release(of.tenant_id, of.reservation_id);
}

void order_state::release(const std::string& tenant,
                          const std::string& reservation) {
  self_->send(with_->inventory, release_atom::value,
              std::make_shared<const std::vector<reservation_ref>>(
                1, reservation_ref{tenant, reservation, {}}));
}

void order_state::forget(attempts_map::iterator at) {
  by_key_.erase(full_key(at->second.request));
  attempts_.erase(at);
}

void order_state::durable() {
  writer_->rows().round_done();
  after();
}

void order_state::tick() {
  ticking_ = false;
  const auto now = with_->clock->steady();
  for (; !payment_deadlines_.empty() && payment_deadlines_.front().first < now;
       payment_deadlines_.pop_front()) {
    const auto at = attempts_.find(payment_deadlines_.front().second);
    if (at != attempts_.end() && at->second.at == stage::authorizing)
      refuse(at, {failure::deadline_exceeded,
                  "the payment was not authorized in time; nothing was "
                  "stored"});
  }
  while (!deadlines_.empty() && deadlines_.front().first < now) {
    const auto at = attempts_.find(deadlines_.front().second);
    deadlines_.pop_front();
    if (at == attempts_.end())
      continue;
    if (at->second.at != stage::staged) {
      refuse(at, {failure::deadline_exceeded,
                  "the order was not accepted in time; nothing was stored"});
      continue;
    }
    place_answer pending;
    pending.what = place_answer::kind::pending;
    pending.order_id = at->second.order->order_id;
    for (auto& one : at->second.answers)
      one(pending);
    at->second.answers.clear();
  }
  after();
}

void order_state::after(bool also) {
  if (attempts_.empty()) {
    deadlines_.clear();
    payment_deadlines_.clear();
  } else if (!ticking_) {
    ticking_ = true; // no timer runs while nothing is in flight
    self_->delayed_send(self_, deadline_tick, tick_atom::value);
  }
  writer_->arm(self_, also);
  if (drained_ && attempts_.empty() && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

} // namespace parcelflow::actors
