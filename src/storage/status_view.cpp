#include "storage/status_view.hpp"

#include "storage/dead_letter_join.hpp"
#include "storage/event_place.hpp"
#include "storage/keys.hpp"
#include "storage/order_join.hpp"
#include "storage/page_walk.hpp"

namespace parcelflow::storage {

namespace {

constexpr std::string_view no_order = "there is no such order";
constexpr std::string_view no_letter = "there is no such dead letter";

bool wanted(row_reader& in, const order_filter& filter, const domain::order& of,
            domain::order_view& view) {
  if (filter.state && of.state() != *filter.state)
    return false;
  if (filter.unfinished_since && of.accepted_at() > *filter.unfinished_since)
    return false; // before the reads that cost more
  view = view_of(in, of);
  const auto& progress = view.progress;
  return !filter.unfinished_since || !progress.fulfillment_started.finished()
         || !progress.notified.finished();
}

} // namespace

domain::outcome<domain::order_view>
status_view::order(std::string_view tenant, std::string_view order_id) const {
  row_reader in(*rows_);
  std::optional<domain::order_view> view;
  if (auto order = in.order(tenant, order_id))
    view = view_of(in, *std::move(order));
  return answer(in, std::move(view), no_order);
}

domain::outcome<domain::order_view>
status_view::order_by_key(std::string_view tenant, std::string_view key) const {
  row_reader in(*rows_);
  std::optional<domain::order_view> view;
  const auto row = in.get(owner::order, idempotency_key(tenant, key),
                          [](auto bytes) { return decode_key(bytes); });
  if (row)
    if (auto order = in.order(tenant, row->order_id))
      view = view_of(in, *std::move(order));
  return answer(in, std::move(view), no_order);
}

domain::outcome<domain::order_view>
status_view::order_by_event(std::string_view tenant,
                            std::string_view event_id) const {
  row_reader in(*rows_);
  std::optional<domain::order_view> view;
  if (const auto place = committed_place(in, tenant, event_id))
    if (auto order = in.order(tenant, place->aggregate_id))
      view = view_of(in, *std::move(order));
  return answer(in, std::move(view), no_order);
}

domain::outcome<domain::order_evidence>
status_view::evidence(std::string_view tenant, std::string_view order_id,
                      support::unix_ms now) const {
  row_reader in(*rows_);
  std::optional<domain::order_evidence> shown;
  if (auto order = in.order(tenant, order_id))
    shown = evidence_of(in, *std::move(order), now);
  return answer(in, std::move(shown), no_order);
}

domain::outcome<domain::page<domain::order_view>>
status_view::orders(std::string_view tenant, const order_filter& filter,
                    const page_request& page) const {
  row_reader in(*rows_);
  return answer(
    in, walk<domain::order_view>(
          in, owner::order, kind::order, tenant, page,
          [&](const std::string& id, std::string_view value, auto& items) {
            const auto order =
              in.whole(domain::decode_order(tenant, id, value));
            domain::order_view view;
            if (order && wanted(in, filter, *order, view))
              items.push_back(std::move(view));
          }));
}

domain::outcome<domain::stock> status_view::stock(std::string_view tenant,
                                                  std::string_view sku) const {
  row_reader in(*rows_);
  const auto found =
    in.get(owner::inventory, stock_key(tenant, sku),
           [](auto bytes) { return domain::decode_stock(bytes); });
  return answer(in, found, "there is no such sku");
}

domain::outcome<domain::page<domain::stock_entry>>
status_view::stock_list(std::string_view tenant,
                        const page_request& page) const {
  row_reader in(*rows_);
  return answer(
    in, walk<domain::stock_entry>(
          in, owner::inventory, kind::stock, tenant, page,
          [&](const std::string& sku, std::string_view value, auto& items) {
            if (const auto stock = in.whole(domain::decode_stock(value)))
              items.push_back({sku, *stock});
          }));
}

domain::outcome<domain::dead_letter>
status_view::dead_letter(std::string_view tenant, std::string_view id) const {
  row_reader in(*rows_);
  return answer(in, letter_of(in, tenant, id), no_letter);
}

domain::outcome<std::string>
status_view::dead_letter_payload(std::string_view tenant,
                                 std::string_view id) const {
  row_reader in(*rows_);
  if (!letter_of(in, tenant, id))
    return answer(in, std::optional<std::string>(), no_letter);
  return answer(in, payload_of(in, tenant, id), "its payload has expired");
}

domain::outcome<domain::dead_letter_evidence> status_view::dead_letter_evidence(
  std::string_view tenant, std::string_view id,
  const std::vector<std::string>& control_tenants) const {
  row_reader in(*rows_);
  std::optional<domain::dead_letter_evidence> shown;
  if (auto letter = letter_of(in, tenant, id))
    shown = evidence_of(in, *std::move(letter), control_tenants);
  return answer(in, std::move(shown), no_letter);
}

} // namespace parcelflow::storage
