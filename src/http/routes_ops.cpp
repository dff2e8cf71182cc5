// For whoever runs it: dead letters, probes, metrics.
#include "codec/json_text.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

using domain::dead_letter_cause;
using domain::dead_letter_state;
using domain::failure;

namespace {

template <class Value>
std::optional<Value> value_named(std::string_view name, int last) {
  for (int i = 1; i <= last; ++i)
    if (domain::to_string(static_cast<Value>(i)) == name)
      return static_cast<Value>(i);
  return std::nullopt;
}

domain::outcome<storage::dead_letter_filter> filter_of(const route_call& call) {
  storage::dead_letter_filter filter;
  if (const auto name = call.target.parameter("state")) {
    filter.state = value_named<dead_letter_state>(
      *name, static_cast<int>(dead_letter_state::waived));
    if (!filter.state)
      return {failure::invalid_request,
              "state must be open, replaying, resolved or waived"};
  }
  if (const auto name = call.target.parameter("cause")) {
    filter.cause = value_named<dead_letter_cause>(
      *name, static_cast<int>(dead_letter_cause::publish_refused));
    if (!filter.cause)
      return {failure::invalid_request,
              "cause must be SEQUENCE_GAP, SEQUENCE_FORK, "
              "UNSUPPORTED_VERSION, ATTEMPTS_EXHAUSTED, INVALID_ENVELOPE, "
              "STALE or PUBLISH_REFUSED"};
  }
  if (const auto name = call.target.parameter("consumer"))
    filter.consumer = *name;
  return filter;
}

} // namespace

void list_dead_letters(route_call&& call) {
  if (!call.only({"state", "cause", "consumer", "cursor", "limit"}))
    return;
  const auto filter = filter_of(call);
  if (!filter)
    return call.refuse(filter.why());
  const auto query =
    read_list(call, "dead-letters", {"state", "cause", "consumer"});
  if (!query)
    return call.refuse(query.why());
  const auto page =
    call.with().view.dead_letters(call.tenant, *filter, query->page);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(codec::dead_letter_row_json(one));
  answer_list(call, *query, items, page->next);
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

void show_liveness(route_call&& call) {
  if (call.only({}))
    call.answer(json_response(200, R"({"live":true})"));
}

std::string readiness_json(const readiness& of, bool verbose) {
  std::string text;
  codec::object_writer out(text);
  out.raw("ready", of.ready ? "true" : "false");
  auto& reasons = out.member("reasons") += '[';
  for (std::size_t i = 0; i < of.reasons.size(); ++i) {
    reasons += i > 0 ? "," : "";
    codec::append_quoted(reasons, of.reasons[i]);
  }
  reasons += ']';
  if (verbose) {
    codec::object_writer detail(out.member("detail"));
    for (const auto& [name, value] : of.detail)
      detail.raw(name, value);
    detail.close();
  }
  out.close();
  return text;
}

void show_readiness(route_call&& call) {
  if (!call.only({"verbose"}))
    return;
  const auto now = call.with().ready();
  call.answer(json_response(
    now.ready ? 200 : 503,
    readiness_json(now, call.target.parameter("verbose").has_value())));
}

void show_metrics(route_call&& call) {
  if (!call.only({}))
    return;
  response answer;
  answer.headers.emplace_back("Content-Type",
                              "text/plain; version=0.0.4; charset=utf-8");
  answer.body = call.with().metrics->render();
  call.answer(std::move(answer));
}

} // namespace parcelflow::http
