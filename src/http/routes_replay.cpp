// What responders change: plans, replays, waive, skip, redirect, resend,
// pauses. Each goes to the desk, which writes the operator log first.
#include "codec/ops_json.hpp"
#include "codec/ops_request_json.hpp"
#include "http/etag.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"
#include "support/digest.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace parcelflow::http {

using domain::failure;

namespace {

constexpr std::string_view replayed_header = "Idempotent-Replayed";

actors::ops_caller caller_of(const route_call& call, std::string reason) {
  return {call.who.token_id, call.tenant, std::move(reason)};
}

/// Answers with what the desk said, put into words by `write`.
template <class Value, class Write>
actors::ops_answer<Value> reply(const route_call& call, Write write) {
  return [answer = call.answer, write](const domain::outcome<Value>& given) {
    answer(given ? write(*given) : problem_response(given.why()));
  };
}

std::string plan_tag(const domain::replay_plan& of) {
  return '"' + support::hex(of.digest) + '"';
}

response plan_response(const domain::replay_plan& of, int status) {
  auto out = json_response(status, codec::plan_json(of, false));
  if (status == 202)
    out.headers.emplace_back("Location", "/v1/replay-plans/" + of.plan_id);
  if (of.state == domain::plan_state::ready)
    out.headers.emplace_back("ETag", plan_tag(of));
  return out;
}

response position_response(std::uint64_t position) {
  return json_response(200, "{\"position\":" + std::to_string(position) + "}");
}

/// A body that is JSON, or none where none is needed.
bool takes_body(const route_call& call) {
  return call.only({}) && (call.in->body.empty() || call.has_json());
}

bool asks_if_match(const route_call& call) {
  return call.in->header_count("if-match") > 0;
}

response precondition_failed() {
  return problem_response({412, "precondition_failed",
                           "The object is not the one that was looked at"},
                          "If-Match names another version: look again");
}

} // namespace

void plan_replay(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto terms = codec::parse_plan_request(call.in->body);
  if (!terms)
    return call.refuse(terms.why());
  auto filter = codec::parse_filter(*terms, call.with().clock->now());
  if (!filter)
    return call.refuse(filter.why());
  call.with().desk->plan(caller_of(call, {}), *std::move(filter),
                         reply<actors::plan_ptr>(call, [](const auto& of) {
                           return plan_response(*of, 202);
                         }));
}

void show_plan(route_call&& call) {
  if (!call.only({}))
    return;
  call.with().desk->show_plan(call.tenant, call.segment(2),
                              reply<actors::plan_ptr>(call, [](const auto& of) {
                                return plan_response(*of, 200);
                              }));
}

void list_plan_items(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "plan-items " + call.segment(2), {});
  if (!query)
    return call.refuse(query.why());
  call.with().desk->show_plan(
    call.tenant, call.segment(2),
    [call, query = *query](const domain::outcome<actors::plan_ptr>& of) {
      if (!of)
        return call.refuse(of.why());
      const auto& all = (*of)->items;
      std::size_t at = 0;
      const auto& after = query.page.after;
      std::from_chars(after.data(), after.data() + after.size(), at);
      const auto end = std::min(all.size(), at + query.page.limit);
      std::vector<std::string> items;
      for (; at < end; ++at)
        items.push_back(codec::replay_item_json(all[at]));
      answer_list(call, query, items,
                  end < all.size() ? std::to_string(end) : std::string());
    });
}

void execute_plan(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto body = codec::parse_execute(call.in->body);
  if (!body)
    return call.refuse(body.why());
  const auto run = [call, body = *body] {
    call.with().desk->execute(
      caller_of(call, body.reason), call.segment(2), body.rate_per_s,
      reply<actors::replay_ticket>(call, [](const auto& ticket) {
        auto out =
          json_response(202, R"({"replayId":")" + ticket.replay_id + R"("})");
        out.headers.emplace_back("Location", "/v1/replays/" + ticket.replay_id);
        if (ticket.repeated)
          out.headers.emplace_back(replayed_header, "true");
        return out;
      }));
  };
  if (!asks_if_match(call))
    return run();
  call.with().desk->show_plan(
    call.tenant, call.segment(2),
    [call, run](const domain::outcome<actors::plan_ptr>& of) {
      if (!of)
        return call.refuse(of.why());
      if (!meets_if_match(*call.in, plan_tag(**of)))
        return call.answer(precondition_failed());
      run();
    });
}

void cancel_replay(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto reason = codec::parse_reason(call.in->body);
  if (!reason)
    return call.refuse(reason.why());
  if (asks_if_match(call)) {
    const auto now = call.with().ops.replay(call.tenant, call.segment(2));
    if (!now)
      return call.refuse(now.why());
    if (!meets_if_match(*call.in, etag_of(codec::replay_json(*now))))
      return call.answer(precondition_failed());
  }
  call.with().desk->cancel(caller_of(call, *reason), call.segment(2),
                           reply<domain::replay>(call, [](const auto& of) {
                             return json_response(202, codec::replay_json(of));
                           }));
}

void waive_letter(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto reason = codec::parse_reason(call.in->body);
  if (!reason)
    return call.refuse(reason.why());
  if (asks_if_match(call)) {
    const auto now = call.with().view.dead_letter(call.tenant, call.segment(2));
    if (!now)
      return call.refuse(now.why());
    if (!meets_if_match(*call.in, etag_of(codec::dead_letter_json(*now))))
      return call.answer(precondition_failed());
  }
  call.with().desk->waive(caller_of(call, *reason), call.segment(2),
                          reply<domain::dead_letter>(call, [](const auto& of) {
                            return json_response(
                              200, codec::dead_letter_row_json(of));
                          }));
}

void skip_sequence(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto body = codec::parse_skip(call.in->body);
  if (!body)
    return call.refuse(body.why());
  call.with().desk->skip(caller_of(call, body->reason),
                         {body->consumer, body->aggregate_id}, body->sequence,
                         reply<std::uint64_t>(call, position_response));
}

void redirect_stream(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto body = codec::parse_redirect(call.in->body);
  if (!body)
    return call.refuse(body.why());
  call.with().desk->redirect(
    caller_of(call, body->reason), {body->consumer, body->aggregate_id},
    body->to_consumer, reply<std::uint64_t>(call, position_response));
}

void resend_events(route_call&& call) {
  if (!takes_body(call))
    return;
  const auto body = codec::parse_resend(call.in->body);
  if (!body)
    return call.refuse(body.why());
  call.with().desk->resend(
    caller_of(call, body->reason), {body->consumer, body->aggregate_id},
    body->from, body->to, reply<std::uint64_t>(call, [](auto events) {
      return json_response(202, "{\"events\":" + std::to_string(events) + "}");
    }));
}

namespace {

void change_pause(const route_call& call, bool resumes) {
  if (!takes_body(call))
    return;
  auto body = codec::parse_pause(call.in->body);
  if (!body)
    return call.refuse(body.why());
  auto& target = body->target;
  const bool whole = target.scope == domain::pause_scope::relay
                     || target.scope == domain::pause_scope::consumer;
  if (whole
      && !(call.who.granted == domain::role::admin && call.who.tenants.all))
    return call.refuse({failure::forbidden,
                        "the relay and whole consumers are paused by an admin "
                        "of all tenants"});
  if (!whole)
    target.tenant_id = call.tenant;
  auto answer = reply<domain::pause_set_ptr>(call, [target](const auto& set) {
    domain::pause_set own;
    if (const auto at = set->paused.find(target); at != set->paused.end())
      own.paused.insert(*at);
    return json_response(200, codec::pauses_json(own));
  });
  auto who = caller_of(call, body->reason);
  if (resumes)
    call.with().desk->resume(std::move(who), target, std::move(answer));
  else
    call.with().desk->pause(std::move(who), target, std::move(answer));
}

} // namespace

void pause_target(route_call&& call) {
  change_pause(call, false);
}

void resume_target(route_call&& call) {
  change_pause(call, true);
}

} // namespace parcelflow::http
