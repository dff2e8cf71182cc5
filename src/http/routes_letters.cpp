// Dead letters: the list by the filter grammar, and one with its evidence.
#include "codec/filter_text.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

namespace {

domain::outcome<domain::dead_letter_filter> filter_of(const route_call& call) {
  codec::filter_terms terms;
  for (const auto name : codec::filter_names())
    if (const auto value = call.target.parameter(name))
      terms.emplace_back(name, *value);
  return codec::parse_filter(terms, call.with().clock->now());
}

} // namespace

void list_dead_letters(route_call&& call) {
  if (!call.only({"state", "cause", "consumer", "type", "version", "order",
                  "since", "until", "text", "cursor", "limit"}))
    return;
  const auto filter = filter_of(call);
  if (!filter)
    return call.refuse(filter.why());
  const auto query = read_list(call, "dead-letters", codec::filter_names());
  if (!query)
    return call.refuse(query.why());
  const auto page =
    call.with().ops.dead_letters(call.tenant, *filter, query->page);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->letters.items)
    items.push_back(codec::dead_letter_row_json(one));
  answer_list(call, *query, items, page->letters.next, page->total);
}

void show_dead_letter(route_call&& call) {
  if (!call.only({}))
    return;
  const auto found = call.with().view.dead_letter_evidence(
    call.tenant, call.segment(2), call.who.tenants.names);
  if (!found)
    return call.refuse(found.why());
  codec::evidence_frame frame;
  frame.actor = call.who.token_id;
  frame.now = call.with().clock->now();
  call.answer(json_response(200, codec::dead_letter_json(*found, frame)));
}

} // namespace parcelflow::http
