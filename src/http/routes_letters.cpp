// Dead letters: the list by the filter grammar, all of it as one export, one
// with its evidence, and its payload, which leaves only after the look is in
// the operator log.
#include "codec/filter_text.hpp"
#include "http/etag.hpp"
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

/// The bytes as they are, for a program to save: no browser may run them.
response payload_response(std::string bytes) {
  response answer;
  answer.headers = {{"Content-Type", "application/octet-stream"},
                    {"Content-Disposition", "attachment"},
                    {"X-Content-Type-Options", "nosniff"},
                    {"Cache-Control", "no-store"}};
  answer.body = std::move(bytes);
  return answer;
}

response too_many(std::uint64_t found, std::size_t most) {
  return problem_response(
    {422, "export_too_large", "More records match than one export holds"},
    std::to_string(found) + " match, at most " + std::to_string(most)
      + " are exported at once: narrow the filter, e.g. "
        "by since and until");
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

void export_dead_letters(route_call&& call) {
  if (!call.only({"state", "cause", "consumer", "type", "version", "order",
                  "since", "until", "text"}))
    return;
  const auto filter = filter_of(call);
  if (!filter)
    return call.refuse(filter.why());
  const auto most = call.with().export_letters_max;
  storage::page_request next{{}, most};
  response answer;
  answer.headers = {{"Content-Type", "application/x-ndjson"},
                    {"Cache-Control", "no-store"}};
  do { // a page ends early where few of many match
    const auto page = call.with().ops.dead_letters(call.tenant, *filter, next);
    if (!page)
      return call.refuse(page.why());
    if (page->total > most)
      return call.answer(too_many(page->total, most));
    for (const auto& one : page->letters.items)
      answer.body += codec::dead_letter_json(one) + '\n';
    next.after = page->letters.next;
  } while (!next.after.empty());
  call.answer(std::move(answer));
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
  auto answer = json_response(200, codec::dead_letter_json(*found, frame));
  // Of the record alone: what stands beside it is of this moment.
  answer.headers.emplace_back("ETag",
                              etag_of(codec::dead_letter_json(found->letter)));
  call.answer(std::move(answer));
}

void show_payload(route_call&& call) {
  if (!call.only({}))
    return;
  auto payload =
    call.with().view.dead_letter_payload(call.tenant, call.segment(2));
  if (!payload)
    return call.refuse(payload.why());
  domain::log_entry look;
  look.at = call.with().clock->now();
  look.actor = call.who.token_id;
  look.tenant_id = call.tenant;
  look.verb = "look";
  look.target = call.segment(2);
  look.reason = "payload over HTTP";
  call.with().desk->note(
    std::move(look),
    [answer = std::move(call.answer), bytes = *std::move(payload)](
      const domain::outcome<std::uint64_t>& logged) mutable {
      answer(logged ? payload_response(std::move(bytes))
                    : problem_response(logged.why()));
    });
}

} // namespace parcelflow::http
