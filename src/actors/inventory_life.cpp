// The inventory owner's life: recovery, overdue reservations, its effect as a
// consumer of order events, and the actor's handlers.
#include "actors/inventory.hpp"
#include "codec/order_json.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/log.hpp"
#include "support/record.hpp"

namespace parcelflow::actors {

using domain::effect_answer;
using domain::reservation_state;
namespace log = support::log;

namespace {

reservation_state state_after(std::string_view event_type) {
  if (event_type == domain::order_accepted)
    return reservation_state::confirmed;
  return event_type == domain::order_cancelled ? reservation_state::released
                                               : reservation_state::consumed;
}

} // namespace

void inventory_state::init(inventory_actor::pointer self,
                           inventory_dependencies with) {
  self_ = self;
  writer_.emplace(std::move(with.rows), with.way);
  expired_ = with.metrics->counter("parcelflow_reservations_expired_total",
                                   "Reservations released at their deadline");
  with_.emplace(std::move(with));
}

void inventory_state::meet(const order_actor& order) {
  PF_ASSERT(!order_);
  order_ = order;
  with_->links.resend = [this](resend_request what) {
    self_->send(order_, resend_atom::value, std::move(what));
  };
  domain::consumer_spec spec;
  spec.name = domain::inventory_consumer;
  spec.topics = {std::string(domain::order_topic)};
  spec.supported = {{std::string(domain::order_accepted), 1},
                    {std::string(domain::order_cancelled), 1},
                    {std::string(domain::order_completed), 1}};
  spec.effect = [this](const domain::event& of, const domain::effect_context&,
                       domain::effect_rows& rows) { return effect(of, rows); };
  if (with_->adjust_spec)
    with_->adjust_spec(spec);
  auto ports = ports_of(self_, with_->links, spec, alarm_, *with_->clock);
  ports.applied = [this](const domain::event&) {
    if (leaving_)
      left_held(leaving_->first, leaving_->second);
    leaving_.reset();
  };
  consumer_ = std::make_unique<consumer>(
    std::move(spec), with_->consuming, writer_->rows(), *with_->clock,
    *with_->ids, *with_->metrics, std::move(ports));
  load_held();
  consumer_->start(pauses_of(*with_->way.store));
  writer_->rows().when_durable([this] {
    auto subscribed =
      subscribe(*with_->links.bus, *consumer_, with_->consuming.in_flight_max,
                false, inventory_actor(self_));
    if (!subscribed)
      log::error("inventory", subscribed.why().detail);
    PF_ASSERT(subscribed.ok());
    if (with_->links.recovered)
      with_->links.recovered();
  });
  after();
}

void inventory_state::load_held() {
  const auto from = storage::key_writer(storage::kind::held_chunk).take();
  std::map<std::uint64_t, held_chunk> found;
  writer_->rows().scan(
    from, storage::prefix_end(from), [&](auto key, auto value) {
      const auto number = storage::key_reader(key).number();
      support::record_reader in(value, 1);
      auto& chunk = found[number];
      chunk.deadline = in.i64();
      chunk.members.resize(in.count());
      for (auto& of : chunk.members) {
        of.tenant_id = in.text();
        of.reservation_id = in.text();
        of.idempotency_key = in.text();
      }
      if (!in.complete())
        storage::corrupt_row("held chunk",
                             {domain::failure::storage_corrupt, ""});
      open_chunk_ = number + 1;
      return true;
    });
  for (auto& [number, chunk] : found) {
    for (const auto& of : chunk.members) {
      const auto held = load(of.tenant_id, of.reservation_id);
      if (!held || held->state != reservation_state::held
          || held->chunk != number)
        continue;
      chunk.held += 1;
      held_by_key_[of.tenant_id + '\n' + of.idempotency_key] =
        of.reservation_id;
    }
    if (chunk.held == 0) {
      writer_->rows().erase(storage::held_chunk_key(number));
      continue;
    }
    alarm_.wake(self_, *with_->clock, time_left(chunk));
    chunks_.emplace(number, std::move(chunk));
  }
}

unix_ms inventory_state::time_left(const held_chunk& of) const {
  return support::wait_for(of.deadline, with_->clock->now(),
                           with_->limits.reservation_deadline_ms);
}

void inventory_state::ask_overdue() {
  std::vector<reservation_ref> overdue;
  for (auto& [number, chunk] : chunks_) {
    if (const auto left = time_left(chunk)) {
      alarm_.wake(self_, *with_->clock, left);
      continue; // a later one may be due before, if the clock was set
    }
    for (const auto& of : chunk.members) {
      const auto held = load(of.tenant_id, of.reservation_id);
      if (held && held->state == reservation_state::held
          && held->chunk == number) {
        resolving_.insert({of.tenant_id, of.reservation_id});
        overdue.push_back(of);
      }
    }
  }
  if (overdue.empty())
    return;
  self_->send(
    order_, resolve_atom::value,
    std::make_shared<const std::vector<reservation_ref>>(std::move(overdue)));
  alarm_.wake(self_, *with_->clock, with_->limits.resolve_retry_ms);
}

effect_answer inventory_state::effect(const domain::event& of,
                                      domain::effect_rows& rows) {
  leaving_.reset();
  const auto& about = of.envelope;
  const auto id = codec::reservation_named_by(about.data);
  if (!id)
    return effect_answer::fail(id.why().detail);
  const auto key = storage::reservation_key(about.tenant_id, *id);
  const auto row = rows.get(key);
  if (!row)
    return effect_answer::decline("no reservation " + *id);
  auto reservation = domain::decode_reservation(*row);
  if (!reservation)
    return effect_answer::fail(reservation.why().detail);
  const auto to = state_after(about.event_type);
  const auto legal_from = to == reservation_state::confirmed
                            ? reservation_state::held
                            : reservation_state::confirmed;
  if (reservation->state != legal_from)
    return effect_answer::decline("the reservation is "
                                  + std::string(to_string(reservation->state)));
  if (to == reservation_state::confirmed)
    leaving_ = {{about.tenant_id, *id, reservation->idempotency_key},
                *reservation};
  else {
    const auto changes =
      domain::settle(*reservation, to, [&](std::string_view sku) {
        return stock_of(about.tenant_id, sku);
      });
    if (!changes)
      return effect_answer::fail(changes.why().detail);
    for (const auto& [sku, stock] : *changes)
      rows.put(storage::stock_key(about.tenant_id, sku), domain::encode(stock));
  }
  reservation->state = to;
  rows.put(key, domain::encode(*reservation));
  return effect_answer::apply(*id);
}

caf::result<bool> inventory_state::drain() {
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  after();
  return promise;
}

inventory_actor::behavior_type
inventory(inventory_actor::stateful_pointer<inventory_state> self,
          inventory_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](meet_atom, const order_actor& order) { state.meet(order); },
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tick_atom) { state.tick(); },
    [&state](stock_atom, const set_stock_ptr& what) { state.put_stock(what); },
    [&state](reserve_atom, const reserve_batch& b) { state.reserve(*b); },
    [&state](release_atom, const reservation_refs& r) { state.release(*r); },
    [&state](resolved_atom, const resolved_batch& b) { state.resolved(*b); },
    [&state](deliver_atom, const std::string&, const delivery_ptr& b) {
      state.deliver(*b);
    },
    [&state](told_atom, const dead_letter_ref& which) { state.told(which); },
    [&state](operate_atom, const stream_op_ptr& what) { state.operate(*what); },
    [&state](obey_atom, const domain::pause_set_ptr& pauses) {
      state.obey(pauses);
    },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
