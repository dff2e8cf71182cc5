// I5: what the consumers' effects left behind. Every id is made of the order's,
// so that a second effect of an order cannot hide behind another order.
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/audit_book.hpp"

#include <set>

namespace parcelflow::storage {
namespace {

using domain::stream_row;

struct subject {
  audit_book& book;
  const audited_row& row;
  const stream_row& stream;
  std::string tenant;
  std::string aggregate;
  std::uint64_t applied = 0;
  bool handed = false; ///< part of its events were applied elsewhere

  void wrong(std::string what) const {
    book.find(audit_rule::one_effect, row, std::move(what));
  }
  /// The order, if all of its events and no others were applied here.
  [[nodiscard]] std::optional<domain::order> whole_order() const {
    auto of = book.order(tenant, aggregate);
    if (of && of->steps.size() == stream.position && applied == stream.position)
      return of;
    return std::nullopt;
  }
};

domain::job_state due_of(domain::order_state state) {
  switch (state) {
  case domain::order_state::completed: return domain::job_state::completed;
  case domain::order_state::cancelled: return domain::job_state::cancelled;
  case domain::order_state::accepted: break;
  }
  return domain::job_state::started;
}

void check_job(const subject& of) {
  const auto decoded =
    of.book.whole(of.row, domain::decode_job(of.stream.effect));
  if (!decoded)
    return;
  const auto& job = *decoded;
  if (!job)
    return of.applied > 0 ? of.wrong("applied events and has no job") : void();
  if (job->fulfillment_id != "ful-" + of.aggregate)
    of.wrong("has job " + printable(job->fulfillment_id)
             + ", which is not its own");
  if ((job->state == domain::job_state::started) != (job->closed_at == 0))
    of.wrong("its job is " + std::string(to_string(job->state))
             + ", its time of closing says otherwise");
  const auto order = of.whole_order();
  if (order && job->state != due_of(order->state()))
    of.wrong("its job is " + std::string(to_string(job->state))
             + ", its order is " + std::string(to_string(order->state())));
}

void check_sends(const subject& of) {
  const auto sends =
    of.book.whole(of.row, domain::decode_sends(of.stream.effect));
  if (!sends)
    return;
  std::set<std::string_view> sent;
  for (const auto& one : *sends) {
    if (!sent.insert(one.template_name).second)
      of.wrong("sent " + printable(one.template_name) + " twice");
    if (one.notification_id != "ntf-" + of.aggregate + "-" + one.template_name)
      of.wrong("sent " + printable(one.notification_id)
               + ", which is not its own");
  }
  if (sends->size() > of.applied && !of.handed)
    of.wrong("sent " + std::to_string(sends->size()) + " notifications by "
             + counted(of.applied, "applied event"));
  const auto order = of.whole_order();
  if (!order)
    return;
  const bool cancelled = order->state() == domain::order_state::cancelled;
  if (!sent.contains(domain::confirmation_template)
      || sent.contains(domain::cancellation_template) != cancelled)
    of.wrong("its sends are not those of an order that is "
             + std::string(to_string(order->state())));
}

void check_reservation_named(const subject& of) {
  const auto order = of.book.order(of.tenant, of.aggregate);
  if (order && of.applied > 0 && of.stream.effect != order->reservation_id)
    of.wrong("acted on " + printable(of.stream.effect)
             + ", which is not the reservation of its order");
}

} // namespace

void check_effect(audit_book& book, const audited_row& row,
                  const stream_row& stream, std::uint64_t applied) {
  auto key = row.parts();
  subject of{book, row, stream, key.text(), {}, applied, false};
  const auto consumer = key.text();
  of.aggregate = key.text();
  // A stream that is handed over takes its effect along.
  of.handed = !stream.came_from.empty();
  if (!stream.forward_to.empty())
    return stream.effect.empty()
             ? void()
             : of.wrong("keeps an effect that it handed over");
  if (applied == 0 && !stream.effect.empty() && !of.handed)
    return of.wrong("has an effect, and no event was applied");
  if (consumer == domain::fulfillment_consumer
      || consumer == domain::fulfillment_v2_consumer)
    check_job(of);
  else if (consumer == domain::notification_consumer)
    check_sends(of);
  else if (consumer == domain::inventory_consumer)
    check_reservation_named(of);
}

} // namespace parcelflow::storage
