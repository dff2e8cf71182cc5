#include "storage/status_view.hpp"

#include "storage/dead_letter_join.hpp"
#include "storage/keys.hpp"
#include "storage/order_join.hpp"

#include <algorithm>

namespace parcelflow::storage {

using domain::failure;

namespace {

constexpr std::string_view no_order = "there is no such order";
constexpr std::string_view no_letter = "there is no such dead letter";

/// What an event id of our own form names.
std::optional<domain::event_place> place_of(std::string_view event_id) {
  domain::envelope about;
  about.event_id = event_id;
  constexpr std::size_t head = 4; // "evt-"
  constexpr std::size_t ulid_size = 26;
  if (event_id.size() <= head + ulid_size + 1)
    return std::nullopt;
  about.aggregate_id = "ord-" + std::string(event_id.substr(head, ulid_size));
  for (const char c : event_id.substr(head + ulid_size + 1)) {
    if (c < '0' || c > '9' || about.aggregate_sequence > 1'000'000'000)
      return std::nullopt;
    about.aggregate_sequence =
      about.aggregate_sequence * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (domain::form_of(about) != domain::id_form::own)
    return std::nullopt;
  return domain::event_place{about.aggregate_id, about.aggregate_sequence};
}

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

template <class Value>
domain::outcome<Value> answer(const row_reader& in, std::optional<Value> found,
                              std::string_view missing) {
  if (in.failed())
    return in.why();
  if (!found)
    return {failure::not_found, std::string(missing)};
  return *std::move(found);
}

/// Walks the rows of one tenant and kind from a page's start. `take` answers
/// whether the row belongs on the page; the walk ends when the page is full or
/// enough rows were looked at, and then says where to go on.
template <class Item, class Take>
domain::page<Item> walk(row_reader& in, owner of, kind what,
                        std::string_view tenant, const page_request& request,
                        const Take& take) {
  domain::page<Item> page;
  const auto all = key_writer(what).text(tenant).take();
  auto from = all;
  if (!request.after.empty()) // a key is no prefix of another: +NUL is next
    from = key_writer(what).text(tenant).text(request.after).take() + '\0';
  std::size_t looked_at = 0;
  std::string last;
  bool more = false;
  in.rows().scan(of, from, prefix_end(all),
                 [&](std::string_view key, std::string_view value) {
                   if (page.items.size() >= request.limit
                       || looked_at >= status_view::rows_looked_at_max) {
                     more = true;
                     return false;
                   }
                   looked_at += 1;
                   key_reader parts(key);
                   parts.text();
                   last = parts.text();
                   take(last, value, page.items);
                   return !in.failed();
                 });
  if (more)
    page.next = std::move(last);
  return page;
}

template <class Item>
domain::outcome<domain::page<Item>> answer(const row_reader& in,
                                           domain::page<Item> page) {
  if (in.failed())
    return in.why();
  return page;
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
  auto place = place_of(event_id);
  if (!place)
    place = in.get(owner::order, named_event_key(tenant, event_id),
                   [](auto bytes) { return decode_place(bytes); });
  std::optional<domain::order_view> view;
  if (place)
    if (auto order = in.order(tenant, place->aggregate_id))
      if (std::any_of(order->steps.begin(), order->steps.end(),
                      [&](const auto& step) {
                        return domain::event_id_of(*order, step) == event_id;
                      }))
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

domain::outcome<domain::page<domain::dead_letter>>
status_view::dead_letters(std::string_view tenant,
                          const dead_letter_filter& filter,
                          const page_request& page) const {
  row_reader in(*rows_);
  return answer(
    in,
    walk<domain::dead_letter>(
      in, owner::dead_letter, kind::dead_letter, tenant, page,
      [&](const std::string& id, std::string_view value, auto& items) {
        auto letter = in.whole(domain::decode_dead_letter(tenant, id, value));
        if (letter && (!filter.state || letter->state() == *filter.state)
            && (!filter.cause || letter->cause == *filter.cause)
            && (filter.consumer.empty() || letter->consumer == filter.consumer))
          items.push_back(*std::move(letter));
      }));
}

domain::outcome<domain::dead_letter>
status_view::dead_letter(std::string_view tenant, std::string_view id) const {
  row_reader in(*rows_);
  return answer(in, letter_of(in, tenant, id), no_letter);
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
