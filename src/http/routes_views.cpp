// What an order became: one order, its evidence, the list of orders.
#include "codec/filter_text.hpp"
#include "http/etag.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

using domain::failure;
using domain::order_state;

namespace {

std::optional<order_state> state_named(std::string_view name) {
  for (const auto state :
       {order_state::accepted, order_state::completed, order_state::cancelled})
    if (domain::to_string(state) == name)
      return state;
  return std::nullopt;
}

domain::outcome<storage::order_filter> filter_of(const route_call& call) {
  storage::order_filter filter;
  if (const auto name = call.target.parameter("state")) {
    filter.state = state_named(*name);
    if (!filter.state)
      return {failure::invalid_request,
              "state must be accepted, completed or cancelled"};
  }
  if (const auto text = call.target.parameter("not_finished_for")) {
    const auto age = codec::parse_duration(*text);
    if (!age)
      return {failure::invalid_request,
              "not_finished_for must be a number and ms, s, m, h or d, such "
              "as 5m"};
    filter.unfinished_since = call.with().clock->now() - *age;
  }
  return filter;
}

using lookup = domain::outcome<domain::order_view> (storage::status_view::*)(
  std::string_view, std::string_view) const;

/// A list of at most one: the order that has this key, or this event.
void list_one(const route_call& call, std::string_view parameter, lookup by) {
  if (call.target.query.size() != 1)
    return call.refuse(
      {failure::invalid_request,
       std::string(parameter) + " stands alone, without other parameters"});
  const auto found =
    (call.with().view.*by)(call.tenant, *call.target.parameter(parameter));
  if (!found && found.why().code != failure::not_found)
    return call.refuse(found.why());
  std::vector<std::string> items;
  if (found)
    items.push_back(codec::order_json(*found, call.viewer()));
  call.answer(json_response(200, codec::list_json(items, {})));
}

} // namespace

void show_order(route_call&& call) {
  if (!call.only({}))
    return;
  const auto view = call.with().view.order(call.tenant, call.segment(2));
  if (!view)
    return call.refuse(view.why());
  call.answer(with_etag(*call.in, codec::order_json(*view, call.viewer())));
}

void show_evidence(route_call&& call) {
  if (!call.only({}))
    return;
  const auto& with = call.with();
  codec::evidence_frame frame;
  frame.now = with.clock->now();
  const auto found =
    with.view.evidence(call.tenant, call.segment(2), frame.now);
  if (!found)
    return call.refuse(found.why());
  frame.actor = call.who.token_id;
  frame.environment = with.environment;
  frame.counted_since = call.shared->started_at;
  if (with.counts)
    frame.counts = with.counts();
  call.answer(
    json_response(200, codec::evidence_json(*found, frame, call.viewer())));
}

void list_orders(route_call&& call) {
  if (!call.only({"state", "not_finished_for", "idempotency_key", "event_id",
                  "cursor", "limit"}))
    return;
  if (call.target.parameter("idempotency_key"))
    return list_one(call, "idempotency_key",
                    &storage::status_view::order_by_key);
  if (call.target.parameter("event_id"))
    return list_one(call, "event_id", &storage::status_view::order_by_event);
  const auto filter = filter_of(call);
  if (!filter)
    return call.refuse(filter.why());
  const auto query = read_list(call, "orders", {"state", "not_finished_for"});
  if (!query)
    return call.refuse(query.why());
  const auto page = call.with().view.orders(call.tenant, *filter, query->page);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(codec::order_json(one, call.viewer()));
  answer_list(call, *query, items, page->next);
}

} // namespace parcelflow::http
