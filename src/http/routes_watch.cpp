// What responders look at within one tenant: streams that wait, replays, and
// whatever bears an id.
#include "codec/ops_json.hpp"
#include "http/etag.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

using domain::failure;

namespace {

template <class Item>
void answer_page(const route_call& call, const list_query& query,
                 const domain::outcome<domain::page<Item>>& page,
                 std::string (*json)(const Item&)) {
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(json(one));
  answer_list(call, query, items, page->next);
}

} // namespace

void list_streams(route_call&& call) {
  if (!call.only({"consumer", "cursor", "limit"}))
    return;
  const auto query = read_list(call, "streams", {"consumer"});
  if (!query)
    return call.refuse(query.why());
  const auto consumer = call.target.parameter("consumer").value_or("");
  answer_page(call, *query,
              call.with().ops.streams(call.tenant, consumer, query->page),
              codec::waiting_stream_json);
}

void list_replays(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "replays", {});
  if (!query)
    return call.refuse(query.why());
  answer_page(call, *query, call.with().ops.replays(call.tenant, query->page),
              codec::replay_json);
}

void show_replay(route_call&& call) {
  if (!call.only({}))
    return;
  const auto found = call.with().ops.replay(call.tenant, call.segment(2));
  if (!found)
    return call.refuse(found.why());
  call.answer(with_etag(*call.in, codec::replay_json(*found)));
}

void list_replay_items(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "replay-items " + call.segment(2), {});
  if (!query)
    return call.refuse(query.why());
  answer_page(
    call, *query,
    call.with().ops.replay_items(call.tenant, call.segment(2), query->page),
    codec::replay_item_json);
}

void find_id(route_call&& call) {
  if (!call.only({"id"}))
    return;
  const auto id = call.target.parameter("id").value_or("");
  constexpr std::size_t id_bytes_max = 255;
  if (id.empty() || id.size() > id_bytes_max)
    return call.refuse({failure::invalid_request,
                        "id must be what is looked for, 1 to 255 bytes"});
  const auto all = call.with().ops.find(call.tenant, id);
  if (!all)
    return call.refuse(all.why());
  std::vector<std::string> items;
  for (const auto& one : *all)
    items.push_back(codec::found_json(one));
  call.answer(json_response(200, codec::list_json(items, {})));
}

void explain_order(route_call&& call) {
  if (!call.only({}))
    return;
  const auto line = call.with().ops.explain(call.tenant, call.segment(2),
                                            call.with().clock->now());
  if (!line)
    return call.refuse(line.why());
  call.answer(
    json_response(200, codec::causal_line_json(*line, call.viewer())));
}

} // namespace parcelflow::http
