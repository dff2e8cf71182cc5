// Looking at a tenant: what waits, what failed, and why.
#include "codec/filter_text.hpp"
#include "codec/json_text.hpp"
#include "codec/ops_json.hpp"
#include "codec/view_json.hpp"
#include "ops/verb_call.hpp"
#include "support/digest.hpp"
#include "support/json_text.hpp"

#include <algorithm>

namespace parcelflow::ops {

using domain::failure;

namespace {

codec::evidence_frame frame_of(const verb_call& call) {
  codec::evidence_frame frame;
  frame.actor = call.given.who.token_id;
  frame.environment = call.with.environment;
  frame.now = call.with.clock->now();
  frame.counted_since = call.with.started_at;
  frame.counts = call.with.counts();
  return frame;
}

/// A page of JSON items.
template <class Item, class Write>
void answer_page(const verb_call& call, std::string_view list,
                 std::string_view filter,
                 const domain::outcome<domain::page<Item>>& found,
                 Write&& write) {
  if (!found)
    return call.answer(found.why());
  std::vector<std::string> items;
  for (const auto& one : found->items)
    items.push_back(write(one));
  call.answer(codec::list_json(items, call.cursor(list, filter, found->next)));
}

/// The report of a replay: what became of each of its events.
void report_replay(const verb_call& call) {
  const std::string id(call.word(0));
  const auto page = call.page("report", id);
  if (!page)
    return call.answer(page.why());
  answer_page(call, "report", id,
              call.with.ops.replay_items(call.given.tenant, id, *page),
              [](const auto& one) { return codec::replay_item_json(one); });
}

domain::outcome<std::string> letter_evidence(const verb_call& call) {
  const auto found = call.with.view.dead_letter_evidence(
    call.given.tenant, call.word(0), call.given.who.tenants.names);
  if (!found)
    return found.why();
  return codec::dead_letter_json(*found, frame_of(call));
}

/// As text if it is UTF-8, else as base64url.
std::string payload_json(std::string_view id, const std::string& bytes) {
  bool is_text = true;
  for (std::size_t at = 0; is_text && at < bytes.size();) {
    const auto length = support::utf8_length_at(bytes, at);
    is_text = length > 0;
    at += length;
  }
  std::string text;
  codec::object_writer out(text);
  out.text("deadLetterId", id)
    .text("encoding", is_text ? "utf-8" : "base64url")
    .text("payload", is_text ? bytes : support::base64url(bytes))
    .close();
  return text;
}

/// Each look is in the operator log before it is one.
void show_payload(verb_call&& call) {
  const auto bytes =
    call.with.view.dead_letter_payload(call.given.tenant, call.word(0));
  if (!bytes)
    return call.answer(bytes.why());
  domain::log_entry look;
  look.at = call.with.clock->now();
  look.actor = call.given.who.token_id;
  look.tenant_id = call.given.tenant;
  look.verb = "look";
  look.target = call.word(0);
  look.reason = "payload on the console";
  call.with.desk->note(std::move(look),
                       [answer = std::move(call.answer),
                        shown = payload_json(call.word(0), *bytes)](
                         const domain::outcome<std::uint64_t>& written) {
                         if (!written)
                           return answer(written.why());
                         answer(shown);
                       });
}

/// A page of what a plan froze, with what the classifier says of each.
void report_plan(verb_call&& call) {
  const std::string id(call.word(0));
  const auto page = call.page("report", id);
  if (!page)
    return call.answer(page.why());
  const auto from = number_of(page->after).value_or(0);
  const auto to = from + page->limit;
  const auto next = call.cursor("report", id, std::to_string(to));
  call.with.desk->show_plan(
    call.given.tenant, id,
    [from, to, next,
     answer = std::move(call.answer)](domain::outcome<actors::plan_ptr> found) {
      if (!found)
        return answer(found.why());
      const auto& all = (*found)->items;
      std::vector<std::string> items;
      for (auto i = from; i < std::min<std::size_t>(to, all.size()); ++i)
        items.push_back(codec::replay_item_json(all[i]));
      answer(codec::list_json(items, to < all.size() ? next : std::string(),
                              all.size()));
    });
}

} // namespace

void list_streams(verb_call&& call) {
  const auto consumer = call.term("consumer");
  const auto page = call.page("streams", consumer);
  if (!page)
    return call.answer(page.why());
  answer_page(call, "streams", consumer,
              call.with.ops.streams(call.given.tenant, consumer, *page),
              [](const auto& one) { return codec::waiting_stream_json(one); });
}

domain::outcome<domain::dead_letter_filter> filter_of(const verb_call& call) {
  codec::filter_terms terms;
  for (const auto& [name, value] : call.given.what.terms)
    if (name != "limit" && name != "cursor" && name != "reason")
      terms.emplace_back(name, value);
  return codec::parse_filter(terms, call.with.clock->now());
}

namespace {

/// What a cursor is bound to: the terms as they were given, for an age means
/// another time at each request.
std::string terms_of(const verb_call& call) {
  std::string text;
  for (const auto name : codec::filter_names())
    if (const auto value = call.term(name); !value.empty())
      text.append(name)
        .append("=")
        .append(std::to_string(value.size()))
        .append(":")
        .append(value);
  return text;
}

/// The same pages, with the same cursors, for both verbs.
void answer_letters(const verb_call& call,
                    std::string (*json)(const domain::dead_letter&)) {
  const auto filter = filter_of(call);
  if (!filter)
    return call.answer(filter.why());
  const auto text = terms_of(call);
  const auto page = call.page("dead-letters", text);
  if (!page)
    return call.answer(page.why());
  const auto found =
    call.with.ops.dead_letters(call.given.tenant, *filter, *page);
  if (!found)
    return call.answer(found.why());
  std::vector<std::string> items;
  for (const auto& one : found->letters.items)
    items.push_back(json(one));
  call.answer(codec::list_json(
    items, call.cursor("dead-letters", text, found->letters.next),
    found->total));
}

} // namespace

void list_dead_letters(verb_call&& call) {
  answer_letters(call, codec::dead_letter_row_json);
}

void export_dead_letters(verb_call&& call) {
  answer_letters(call, codec::dead_letter_json);
}

void show_dead_letter(verb_call&& call) {
  if (!call.term("payload").empty())
    return show_payload(std::move(call));
  call.answer(letter_evidence(call));
}

void find_by_id(verb_call&& call) {
  const auto found = call.with.ops.find(call.given.tenant, call.word(0));
  if (!found)
    return call.answer(found.why());
  std::vector<std::string> items;
  for (const auto& one : *found)
    items.push_back(codec::found_json(one));
  call.answer(codec::list_json(items, {}));
}

void show_evidence(verb_call&& call) {
  if (call.word(0).starts_with("rpl-"))
    return report_replay(call);
  if (call.word(0).starts_with("pln-"))
    return report_plan(std::move(call));
  if (!call.term("limit").empty() || !call.term("cursor").empty())
    return call.answer(
      domain::fault{failure::invalid_request,
                    "limit and cursor are for reports of a plan or a replay"});
  const auto frame = frame_of(call);
  const auto order =
    call.with.view.evidence(call.given.tenant, call.word(0), frame.now);
  if (order)
    return call.answer(codec::evidence_json(*order, frame, call.viewer()));
  if (order.why().code != failure::not_found)
    return call.answer(order.why());
  call.answer(letter_evidence(call));
}

void explain_order(verb_call&& call) {
  const auto found = call.with.ops.explain(call.given.tenant, call.word(0),
                                           call.with.clock->now());
  if (!found)
    return call.answer(found.why());
  call.answer(codec::causal_line_json(*found, call.viewer()));
}

void list_replays(verb_call&& call) {
  const auto page = call.page("replays");
  if (!page)
    return call.answer(page.why());
  answer_page(call, "replays", {},
              call.with.ops.replays(call.given.tenant, *page),
              [](const auto& one) { return codec::replay_json(one); });
}

void show_progress(verb_call&& call) {
  if (call.word(0).starts_with("pln-"))
    return call.with.desk->show_plan(
      call.given.tenant, std::string(call.word(0)),
      [answer =
         std::move(call.answer)](domain::outcome<actors::plan_ptr> found) {
        if (!found)
          return answer(found.why());
        answer(codec::plan_json(**found, false));
      });
  const auto found = call.with.ops.replay(call.given.tenant, call.word(0));
  if (!found)
    return call.answer(found.why());
  call.answer(codec::replay_json(*found));
}

std::string tail_row(const command& of, std::string_view tenant,
                     const actors::tail_line& line) {
  const auto verdict = domain::to_string(line.what);
  const auto matches = [&](std::string_view name, std::string_view value) {
    const auto wanted = of.term(name);
    return wanted.empty() || wanted == value;
  };
  if (line.tenant_id != tenant || !matches("consumer", line.consumer)
      || !matches("order", line.aggregate_id) || !matches("verdict", verdict))
    return {};
  std::string text;
  codec::object_writer out(text);
  out.text("at", support::to_rfc3339(line.at))
    .text("verdict", verdict)
    .text("consumer", line.consumer)
    .text("aggregateId", line.aggregate_id)
    .number("aggregateSequence", line.sequence)
    .text("eventId", line.event_id)
    .text("via", domain::to_string(line.door))
    .close();
  return text;
}

} // namespace parcelflow::ops
