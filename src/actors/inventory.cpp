#include "actors/inventory.hpp"

#include "codec/order_json.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"
#include "support/record.hpp"

namespace parcelflow::actors {

using domain::reservation_state;
namespace log = support::log;

namespace {

std::string key_of(const std::string& tenant, const std::string& key) {
  return tenant + '\n' + key;
}

} // namespace

void inventory_state::put_stock(const set_stock_ptr& what) {
  auto next =
    domain::set_on_hand(stock_of(what->tenant_id, what->sku), what->on_hand);
  if (next)
    put(what->tenant_id, {{what->sku, *next}});
  writer_->rows().when_durable(
    [then = std::move(what->answer), next] { then(next); });
  after();
}

std::optional<domain::stock>
inventory_state::stock_of(const std::string& tenant, std::string_view sku) {
  const auto row = writer_->rows().get(storage::stock_key(tenant, sku));
  if (!row)
    return std::nullopt;
  auto stock = domain::decode_stock(*row);
  if (!stock)
    storage::corrupt_row("stock", stock.why());
  return *stock;
}

void inventory_state::put(const std::string& tenant,
                          const domain::stock_changes& changes) {
  for (const auto& [sku, stock] : changes) {
    PF_ASSERT(stock.on_hand >= stock.reserved && stock.reserved >= 0); // I13
    writer_->rows().put(storage::stock_key(tenant, sku), domain::encode(stock));
  }
}

std::optional<domain::reservation>
inventory_state::load(const std::string& tenant, const std::string& id) {
  const auto row = writer_->rows().get(storage::reservation_key(tenant, id));
  if (!row)
    return std::nullopt;
  auto reservation = domain::decode_reservation(*row);
  if (!reservation)
    storage::corrupt_row("reservation", reservation.why());
  return *std::move(reservation);
}

void inventory_state::reserve(const std::vector<reserve_request>& asked) {
  std::vector<reserve_answer> answers;
  answers.reserve(asked.size());
  for (const auto& one : asked) {
    const auto held =
      held_by_key_.find(key_of(one.tenant_id, one.idempotency_key));
    if (held != held_by_key_.end()
        && resolving_.contains({one.tenant_id, held->second}))
      postponed_.push_back(one); // it may be released; ask again after
    else
      answers.push_back(reserve_one(one));
  }
  // Also a refusal may rest on staged stock: every answer waits.
  if (!answers.empty())
    writer_->rows().when_durable(
      [this, answers = std::move(answers)]() mutable {
        self_->send(order_, reserved_atom::value,
                    std::make_shared<const std::vector<reserve_answer>>(
                      std::move(answers)));
      });
  after();
}

reserve_answer inventory_state::reserve_one(const reserve_request& asked) {
  if (auto id = adopt(asked))
    return {asked.attempt,
            reservation_ref{asked.tenant_id, *id, asked.idempotency_key}};
  const auto changes = domain::reserve(asked.lines, [&](std::string_view sku) {
    return stock_of(asked.tenant_id, sku);
  });
  if (!changes)
    return {asked.attempt, changes.why()};
  put(asked.tenant_id, *changes);
  reservation_ref of{asked.tenant_id, "rsv-" + with_->ids->next_ulid(),
                     asked.idempotency_key};
  domain::reservation held;
  held.idempotency_key = asked.idempotency_key;
  held.fingerprint = asked.fingerprint;
  held.lines = asked.lines;
  held.created_at = with_->clock->now();
  join_chunk(of, held);
  held_by_key_[key_of(of.tenant_id, of.idempotency_key)] = of.reservation_id;
  return {asked.attempt, std::move(of)};
}

/// A held reservation of the same request is taken over, its deadline renewed.
std::optional<std::string>
inventory_state::adopt(const reserve_request& asked) {
  const auto at =
    held_by_key_.find(key_of(asked.tenant_id, asked.idempotency_key));
  if (at == held_by_key_.end())
    return std::nullopt;
  const std::string id = at->second;
  auto held = load(asked.tenant_id, id);
  PF_ASSERT(held && held->state == reservation_state::held);
  if (held->fingerprint != asked.fingerprint)
    return std::nullopt;
  const auto left = chunks_.find(held->chunk);
  if (held->chunk != open_chunk_ && left != chunks_.end()
      && --left->second.held == 0) {
    writer_->rows().erase(storage::held_chunk_key(left->first));
    chunks_.erase(left);
  }
  if (held->chunk != open_chunk_)
    join_chunk({asked.tenant_id, id, asked.idempotency_key}, *held);
  return id;
}

/// Writes the reservation as a member of the chunk that is being filled.
void inventory_state::join_chunk(const reservation_ref& of,
                                 domain::reservation& held) {
  held.chunk = open_chunk_;
  held.deadline = with_->clock->now() + with_->limits.reservation_deadline_ms;
  writer_->rows().put(storage::reservation_key(of.tenant_id, of.reservation_id),
                      domain::encode(held));
  auto& chunk = chunks_[open_chunk_];
  chunk.deadline = held.deadline;
  chunk.members.push_back(of);
  chunk.held += 1;
  chunk_changed_ = true;
  alarm_.wake(self_, *with_->clock, with_->limits.reservation_deadline_ms);
}

void inventory_state::left_held(const reservation_ref& of,
                                const domain::reservation& was) {
  const auto held =
    held_by_key_.find(key_of(of.tenant_id, was.idempotency_key));
  // Another order under the same key may hold a newer one.
  if (held != held_by_key_.end() && held->second == of.reservation_id)
    held_by_key_.erase(held);
  const auto at = chunks_.find(was.chunk);
  if (at == chunks_.end())
    return;
  PF_ASSERT(at->second.held > 0);
  if (--at->second.held > 0)
    return;
  if (at->first == open_chunk_)
    chunk_changed_ = false; // never written
  else
    writer_->rows().erase(storage::held_chunk_key(at->first));
  chunks_.erase(at);
}

void inventory_state::release(const std::vector<reservation_ref>& which) {
  for (const auto& of : which)
    release_one(of);
  after();
}

bool inventory_state::release_one(const reservation_ref& of) {
  auto held = load(of.tenant_id, of.reservation_id);
  if (!held || held->state != reservation_state::held)
    return false; // released before, or its order is accepted
  const auto changes =
    domain::settle(*held, reservation_state::released,
                   [&](auto sku) { return stock_of(of.tenant_id, sku); });
  if (!changes)
    storage::corrupt_row("stock", changes.why());
  put(of.tenant_id, *changes);
  left_held(of, *held);
  held->state = reservation_state::released;
  writer_->rows().put(storage::reservation_key(of.tenant_id, of.reservation_id),
                      domain::encode(*held));
  writer_->rows().when_durable([this, of] {
    support::fault_point("inventory.after_release");
    self_->send(with_->payment, void_atom::value,
                std::make_shared<const std::vector<reservation_ref>>(1, of));
  });
  return true;
}

void inventory_state::resolved(const std::vector<resolve_answer>& answers) {
  for (const auto& [of, bound] : answers) {
    resolving_.erase({of.tenant_id, of.reservation_id});
    if (bound)
      continue; // its OrderAccepted is on the way and will confirm it
    if (release_one(of)) {
      expired_.add();
      log::info("inventory", "a reservation expired",
                {{"tenant", of.tenant_id}, {"reservation", of.reservation_id}});
    }
  }
  alarm_.wake(self_, *with_->clock, with_->limits.resolve_retry_ms);
  if (!postponed_.empty())
    reserve(std::exchange(postponed_, {}));
  after();
}

void inventory_state::deliver(const bus::delivery_batch& batch) {
  consumer_->deliver(batch);
  after();
}

void inventory_state::told(const dead_letter_ref& which) {
  consumer_->told(which.tenant_id, which.dead_letter_id, which.generation,
                  which.waived);
  after();
}

void inventory_state::operate(const stream_op& what) {
  if (what.what == stream_op::verb::redirect)
    what.answer({domain::failure::illegal_transition,
                 "no other consumer shares the effects of " + what.consumer});
  else
    consumer_->operate(what);
  after();
}

void inventory_state::obey(const domain::pause_set_ptr& pauses) {
  consumer_->obey(pauses);
  after();
}

void inventory_state::flush() {
  if (std::exchange(chunk_changed_, false)) {
    support::record_writer out(1);
    const auto& chunk = chunks_.at(open_chunk_);
    out.i64(chunk.deadline).u64(chunk.members.size());
    for (const auto& of : chunk.members)
      out.text(of.tenant_id).text(of.reservation_id).text(of.idempotency_key);
    writer_->rows().put(storage::held_chunk_key(open_chunk_), out.take());
    open_chunk_ += 1;
  }
  writer_->flush(self_);
}

void inventory_state::durable() {
  writer_->rows().round_done();
  after();
}

void inventory_state::tick() {
  alarm_.rang();
  ask_overdue();
  consumer_->step();
  after();
}

void inventory_state::after() {
  const bool quiet = !consumer_ || consumer_->quiet();
  // The stop is clean only if nothing was left to run.
  if (drained_ && quiet && writer_->idle() && !std::exchange(stopped_, true)
      && consumer_)
    consumer_->stop();
  writer_->arm(self_);
  if (drained_ && stopped_ && quiet && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

} // namespace parcelflow::actors
