// Stock: an absolute count in, what is there and what is reserved out.
#include "http/list_query.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

void put_stock(route_call&& call) {
  if (!call.only({}) || !call.has_json())
    return;
  const auto sku = call.segment(2);
  if (!domain::is_public_id(sku))
    return call.refuse({domain::failure::invalid_request,
                        "a sku is 1 to 128 characters of A-Z a-z 0-9 . _ : -"});
  const auto on_hand = codec::parse_on_hand(call.in->body);
  if (!on_hand)
    return call.refuse(on_hand.why());
  call.with().gateway->set_stock(
    call.tenant, sku, *on_hand,
    [answer = std::move(call.answer),
     sku](const domain::outcome<domain::stock>& stock) {
      answer(stock ? json_response(200, codec::stock_json(sku, *stock))
                   : problem_response(stock.why()));
    });
}

void show_stock(route_call&& call) {
  if (!call.only({}))
    return;
  const auto stock = call.with().view.stock(call.tenant, call.segment(2));
  if (!stock)
    return call.refuse(stock.why());
  call.answer(json_response(200, codec::stock_json(call.segment(2), *stock)));
}

void list_stock(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "stock", {});
  if (!query)
    return call.refuse(query.why());
  const auto page = call.with().view.stock_list(call.tenant, query->page);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(codec::stock_json(one.sku, one.stock));
  answer_list(call, *query, items, page->next);
}

} // namespace parcelflow::http
