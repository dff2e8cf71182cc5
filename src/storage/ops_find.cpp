// What bears an id, tried as each kind of id that a responder may hold; and how
// an order came to be what it is.
#include "domain/letter_glance.hpp"
#include "storage/causal_join.hpp"
#include "storage/dead_letter_join.hpp"
#include "storage/event_place.hpp"
#include "storage/keys.hpp"
#include "storage/ops_view.hpp"
#include "storage/order_join.hpp"
#include "storage/page_walk.hpp"

#include <algorithm>

namespace parcelflow::storage {

using domain::found;

namespace {

constexpr std::size_t letters_shown_max = 100;

class finder {
public:
  finder(row_reader& in, std::string_view tenant, std::string_view id)
    : in_(&in), tenant_(tenant), id_(id) {}

  std::vector<found> all() {
    by_order();
    by_event();
    by_key();
    by_effect();
    by_letter();
    by_replay();
    by_trace();
    among_letters();
    return std::move(all_);
  }

private:
  void add(std::string_view kind, std::string id, std::string order_id,
           std::string_view matched) {
    all_.push_back({std::string(kind), std::move(id), std::move(order_id),
                    std::string(matched)});
  }

  void by_order() {
    if (in_->order(tenant_, id_))
      add("order", id_, id_, "order_id");
  }
  void by_event() {
    if (const auto place = place_of_event(*in_, tenant_, id_))
      add("event", id_, place->aggregate_id, "event_id");
  }
  void by_key() {
    const auto row = in_->get(owner::order, idempotency_key(tenant_, id_),
                              [](auto bytes) { return decode_key(bytes); });
    if (row)
      add("order", row->order_id, row->order_id, "idempotency_key");
  }

  /// Ids of effects are made of the order's: the order says if they are real.
  void by_effect() {
    constexpr std::size_t head = 4;        // "ful-", "ntf-"
    constexpr std::size_t order_size = 30; // "ord-" and a ULID
    if (!id_.starts_with("ful-") && !id_.starts_with("ntf-"))
      return;
    auto order = in_->order(tenant_, id_.substr(head, order_size));
    if (!order)
      order = in_->order(tenant_, id_.substr(head));
    if (!order)
      return;
    const auto view = view_of(*in_, *std::move(order));
    if (view.job && view.job->fulfillment_id == id_)
      add("fulfillment", id_, view.order.order_id, "fulfillment_id");
    for (const auto& send : view.sends)
      if (send.notification_id == id_)
        add("notification", id_, view.order.order_id, "notification_id");
  }

  void by_letter() {
    if (const auto letter = letter_of(*in_, tenant_, id_))
      add("dead_letter", id_, letter->aggregate_id, "dead_letter_id");
  }

  /// A replay has its plan's ULID.
  void by_replay() {
    const bool is_plan = id_.starts_with("pln-");
    const auto id = is_plan ? "rpl-" + id_.substr(4) : id_;
    const auto row =
      in_->get(owner::dead_letter, replay_key(tenant_, id), [&](auto bytes) {
        return domain::decode_replay(tenant_, id, bytes);
      });
    if (row && (!is_plan || row->plan_id == id_))
      add("replay", id, {}, is_plan ? "plan_id" : "replay_id");
  }

  [[nodiscard]] bool may_be_a_trace() const {
    constexpr std::size_t trace_size = 32;
    return id_.size() == trace_size
           && id_.find_first_not_of("0123456789abcdef") == std::string::npos;
  }

  void by_trace() {
    if (!may_be_a_trace())
      return;
    std::size_t looked_at = 0;
    const auto all = key_writer(kind::order).text(tenant_).take();
    in_->rows().scan_back(
      owner::order, all, prefix_end(all),
      [&](std::string_view key, std::string_view value) {
        if (value.find(id_) != std::string_view::npos) // spares the decoding
          add_if_traced(key, value);
        return !in_->failed() && ++looked_at < ops_view::orders_traced_max;
      });
  }
  void add_if_traced(std::string_view key, std::string_view value) {
    key_reader parts(key);
    parts.text();
    const auto order =
      in_->whole(domain::decode_order(tenant_, parts.text(), value));
    if (order && order->trace_id == id_)
      add("order", order->order_id, order->order_id, "trace_id");
  }

  /// Records of an event, or of a trace.
  void among_letters() {
    std::size_t looked_at = 0;
    std::size_t shown = 0;
    const auto all = key_writer(kind::dead_letter).text(tenant_).take();
    in_->rows().scan(
      owner::dead_letter, all, prefix_end(all),
      [&](std::string_view key, std::string_view value) {
        const auto one = in_->whole(domain::glance_at({}, value));
        if (!one)
          return false;
        if (one->event_id == id_
            || (may_be_a_trace() && one->trace_id == id_)) {
          key_reader parts(key);
          parts.text();
          add("dead_letter", parts.text(), std::string(one->aggregate_id),
              one->event_id == id_ ? "event_id" : "trace_id");
          shown += 1;
        }
        return shown < letters_shown_max
               && ++looked_at < ops_view::letters_passed_by_max;
      });
  }

  row_reader* in_;
  std::string tenant_;
  std::string id_;
  std::vector<found> all_;
};

} // namespace

domain::outcome<std::vector<found>> ops_view::find(std::string_view tenant,
                                                   std::string_view id) const {
  row_reader in(*rows_);
  return answer(in, finder(in, tenant, id).all());
}

domain::outcome<domain::causal_line>
ops_view::explain(std::string_view tenant, std::string_view id,
                  support::unix_ms now) const {
  row_reader in(*rows_);
  auto line = causal_line_of(in, tenant, id, now);
  if (!line)
    if (const auto place = place_of_event(in, tenant, id))
      line = causal_line_of(in, tenant, place->aggregate_id, now);
  return answer(in, std::move(line), "there is no such order");
}

} // namespace parcelflow::storage
