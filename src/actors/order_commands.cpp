// The order owner: cancel and complete, questions of inventory, resends, and
// the actor's handlers.
#include "actors/order.hpp"
#include "codec/event_json.hpp"
#include "codec/utc_time.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "support/assert.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::failure;
namespace log = support::log;

namespace {

/// New orders sort after those of the process before, also if the clock was
/// set back meanwhile.
void follow_on(std::string_view last_outbox_row, support::id_source& ids) {
  const auto row = storage::decode_outbox(last_outbox_row);
  if (!row)
    storage::corrupt_row("outbox", row.why());
  const auto event = codec::decode_event(row->bytes);
  if (!event)
    storage::corrupt_row("outbox", event.why());
  const std::string_view order = (*event)->envelope.aggregate_id;
  ids.not_before(codec::parse_utc((*event)->envelope.occurred_at).value_or(0));
  if (order.starts_with("ord-"))
    ids.not_before(support::ulid_time(order.substr(4)));
}

} // namespace

void order_state::init(order_actor::pointer self, order_dependencies with) {
  self_ = self;
  writer_.emplace(std::move(with.rows), with.way);
  const auto& rows = writer_->rows();
  const auto from = storage::outbox_key(storage::the_lane, 0);
  const auto upper = storage::outbox_key(storage::the_lane + 1, 0);
  if (const auto last = rows.last(from, upper)) {
    storage::key_reader key(last->first);
    key.byte();
    next_position_ = key.number() + 1;
    follow_on(last->second, *with.ids);
  }
  accepted_total_ = with.metrics->counter("parcelflow_orders_accepted_total",
                                          "Orders accepted");
  repeated_total_ = with.metrics->counter("parcelflow_orders_repeated_total",
                                          "First answers given again");
  with_.emplace(std::move(with));
}

std::optional<domain::order> order_state::load(const std::string& tenant,
                                               const std::string& order_id) {
  const auto row = writer_->rows().get(storage::order_key(tenant, order_id));
  if (!row)
    return std::nullopt;
  auto order = domain::decode_order(tenant, order_id, *row);
  if (!order)
    storage::corrupt_row("order", order.why());
  return *std::move(order);
}

void order_state::command(const command_ptr& what) {
  const auto answer_when_durable =
    [&](const domain::outcome<command_answer>& answer) {
      writer_->rows().when_durable(
        [then = std::move(what->answer), answer] { then(answer); });
      after();
    };
  auto order = load(what->tenant_id, what->order_id);
  if (!order)
    return answer_when_durable({failure::not_found, "no such order"});
  const auto judged = domain::judge(*order, what->command);
  if (!judged)
    return answer_when_durable(judged.why());
  if (*judged == domain::command_effect::taken_before)
    return answer_when_durable(command_answer{
      std::make_shared<const domain::order>(std::move(*order)), true});
  if (draining_)
    return what->answer({failure::draining, "the daemon is stopping"});
  const auto target = domain::target_of(what->command);
  take_step(*order, target);
  if (target == domain::order_state::cancelled)
    order->authorization.voided_at = order->steps.back().at;
  stage_event(order->steps.back(), event_of(*order, order->steps.back()));
  writer_->rows().put(storage::order_key(order->tenant_id, order->order_id),
                      domain::encode(*order));
  if (target == domain::order_state::cancelled)
    writer_->rows().when_durable(
      [this,
       of = reservation_ref{order->tenant_id, order->reservation_id, {}}] {
        self_->send(
          with_->payment, void_atom::value,
          std::make_shared<const std::vector<reservation_ref>>(1, of));
      });
  answer_when_durable(command_answer{
    std::make_shared<const domain::order>(std::move(*order)), false});
}

bool order_state::is_bound(const reservation_ref& of) {
  const auto row = writer_->rows().get(
    storage::idempotency_key(of.tenant_id, of.idempotency_key));
  if (row) {
    const auto key = storage::decode_key(*row);
    if (!key)
      storage::corrupt_row("idempotency key", key.why());
    const auto order = load(of.tenant_id, key->order_id);
    return order && order->reservation_id == of.reservation_id;
  }
  // Whatever the clock says: from here on this attempt is not staged with a
  // reservation that inventory is about to release.
  const auto at = by_key_.find(of.tenant_id + '\n' + of.idempotency_key);
  if (at != by_key_.end())
    attempts_.at(at->second).refused_reservation = of.reservation_id;
  return false;
}

void order_state::resolve(const std::vector<reservation_ref>& asked) {
  std::vector<resolve_answer> answers;
  answers.reserve(asked.size());
  for (const auto& of : asked)
    answers.push_back({of, is_bound(of)});
  // "Bound" may rest on a staged order: it is said after that order's round.
  writer_->rows().when_durable([this, answers = std::move(answers)]() mutable {
    self_->send(
      with_->inventory, resolved_atom::value,
      std::make_shared<const std::vector<resolve_answer>>(std::move(answers)));
  });
  after();
}

void order_state::resend(const resend_request& what) {
  const auto order = load(what.tenant_id, what.aggregate_id);
  const std::uint64_t committed =
    order ? order->steps.back().sequence : std::uint64_t{0};
  if (what.from > committed || !order) {
    log::warning("order", "asked for a sequence that was never committed",
                 {{"consumer", what.consumer},
                  {"tenant", what.tenant_id},
                  {"aggregate", what.aggregate_id},
                  {"from", what.from},
                  {"committed", committed}});
    if (what.answer) {
      const domain::fault never{domain::failure::not_found,
                                order ? "sequence " + std::to_string(what.from)
                                          + " was never committed; the last is "
                                          + std::to_string(committed)
                                      : "there is no such stream"};
      writer_->rows().when_durable(
        [answer = what.answer, never] { answer(never); });
      after();
    }
    return;
  }
  std::vector<offer_again> again;
  for (const auto& step : order->steps)
    if (step.sequence >= what.from && step.sequence <= what.to)
      again.push_back({step.outbox_position, step.sequence});
  log::info("order", "resending",
            {{"consumer", what.consumer},
             {"tenant", what.tenant_id},
             {"aggregate", what.aggregate_id},
             {"from", what.from},
             {"events", again.size()}});
  writer_->rows().when_durable(
    [this, again = std::move(again), answer = what.answer]() mutable {
      if (answer)
        answer(std::uint64_t{again.size()});
      self_->send(
        with_->relay, offer_atom::value,
        std::make_shared<const std::vector<offer_again>>(std::move(again)));
    });
  after();
}

caf::result<bool> order_state::drain() {
  draining_ = true;
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  after();
  return promise;
}

order_actor::behavior_type
order(order_actor::stateful_pointer<order_state> self,
      order_dependencies with) {
  self->state.init(self, std::move(with));
  return {
    [self](durable_atom) { self->state.durable(); },
    [self](flush_atom) { self->state.flush(); },
    [self](tick_atom) { self->state.tick(); },
    [self](place_atom, const place_ptr& order) { self->state.place(order); },
    [self](command_atom, const command_ptr& what) {
      self->state.command(what);
    },
    [self](reserved_atom, const reserved_batch& answers) {
      self->state.reserved(*answers);
    },
    [self](granted_atom, const granted_batch& answers) {
      self->state.granted(*answers);
    },
    [self](resolve_atom, const reservation_refs& asked) {
      self->state.resolve(*asked);
    },
    [self](resend_atom, const resend_request& what) {
      self->state.resend(what);
    },
    [self](drain_atom) { return self->state.drain(); },
  };
}

} // namespace parcelflow::actors
