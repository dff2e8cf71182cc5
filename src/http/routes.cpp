#include "http/routes.hpp"

#include "http/route_call.hpp"
#include "support/assert.hpp"

#include <algorithm>

namespace parcelflow::http {

using domain::failure;
using domain::role;

namespace {

/// A name in braces stands for any one segment that is not empty.
struct route {
  std::string_view method;
  std::string_view path;
  void (*serve)(route_call&&);
  role needed = role::tenant_operator;
  reach over = reach::one_tenant;
  bool open = false; ///< asks for no token
};

const std::vector<route>& routes() {
  static const std::vector<route> all = {
    {"POST", "/v1/orders", place_order},
    {"GET", "/v1/orders", list_orders},
    {"GET", "/v1/orders/{id}", show_order},
    {"POST", "/v1/orders/{id}/cancel", cancel_order},
    {"POST", "/v1/orders/{id}/complete", complete_order},
    {"GET", "/v1/orders/{id}/evidence", show_evidence},
    {"GET", "/v1/inventory", list_stock},
    {"GET", "/v1/inventory/{sku}", show_stock},
    {"PUT", "/v1/inventory/{sku}", put_stock},
    {"GET", "/v1/dead-letters", list_dead_letters, role::responder},
    {"GET", "/v1/dead-letters/export", export_dead_letters, role::responder},
    {"GET", "/v1/dead-letters/{id}", show_dead_letter, role::responder},
    {"GET", "/v1/dead-letters/{id}/payload", show_payload, role::responder},
    {"GET", "/v1/streams", list_streams, role::responder},
    {"GET", "/v1/replays", list_replays, role::responder},
    {"GET", "/v1/replays/{id}", show_replay, role::responder},
    {"GET", "/v1/replays/{id}/items", list_replay_items, role::responder},
    {"POST", "/v1/dead-letters/{id}/waive", waive_letter, role::responder},
    {"POST", "/v1/replay-plans", plan_replay, role::responder},
    {"GET", "/v1/replay-plans/{id}", show_plan, role::responder},
    {"GET", "/v1/replay-plans/{id}/items", list_plan_items, role::responder},
    {"POST", "/v1/replay-plans/{id}/execute", execute_plan, role::responder},
    {"POST", "/v1/replays/{id}/cancel", cancel_replay, role::responder},
    {"POST", "/v1/streams/skip", skip_sequence, role::responder},
    {"POST", "/v1/streams/redirect", redirect_stream, role::responder},
    {"POST", "/v1/streams/resend", resend_events, role::responder},
    {"POST", "/v1/pauses", pause_target, role::responder},
    {"POST", "/v1/pauses/resume", resume_target, role::responder},
    {"GET", "/v1/find", find_id, role::responder},
    {"GET", "/v1/orders/{id}/explain", explain_order},
    {"GET", "/v1/operator-log", list_operator_log, role::responder,
     reach::token},
    {"GET", "/v1/operator-log/verify", verify_operator_log, role::admin,
     reach::everything},
    {"GET", "/v1/outbox", show_outbox, role::admin, reach::everything},
    {"GET", "/v1/pauses", list_pauses, role::admin, reach::everything},
    {"GET", "/v1/tenants", list_tenants, role::responder, reach::token},
    {.method = "GET", .path = "/livez", .serve = show_liveness, .open = true},
    {.method = "GET", .path = "/readyz", .serve = show_readiness, .open = true},
    {.method = "GET", .path = "/metrics", .serve = show_metrics, .open = true},
  };
  return all;
}

bool matches(std::string_view pattern, const std::vector<std::string>& path) {
  for (const auto& segment : path) {
    if (pattern.empty())
      return false;
    pattern.remove_prefix(1); // the slash
    const auto name = pattern.substr(0, pattern.find('/'));
    if (name.starts_with('{') ? segment.empty() : name != segment)
      return false;
    pattern.remove_prefix(name.size());
  }
  return pattern.empty();
}

/// The route as the documents write it.
std::string verb_of(const route& one) {
  return std::string(one.method).append(" ").append(one.path);
}

bool is_of_records(std::string_view path) {
  return path.starts_with("/v1/dead-letters") || path.starts_with("/v1/replay");
}

response wrong_method(const std::string& allowed) {
  auto answer = problem_response(
    {405, "method_not_allowed", "The method is not allowed here"},
    "allowed here: " + allowed);
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

} // namespace

std::vector<route_entry> route_table() {
  std::vector<route_entry> all;
  for (const auto& one : routes())
    all.push_back({one.method, one.path, one.needed, one.open});
  return all;
}

api::state::state(api_dependencies of)
  : with(std::move(of)), started_at(with.clock->now()) {
  PF_ASSERT(with.gateway != nullptr && with.access != nullptr && with.ids);
  unauthenticated = with.metrics->counter(
    "parcelflow_http_unauthenticated_total", "Requests without a valid token");
  denied = with.metrics->counter("parcelflow_http_denied_total",
                                 "Requests that a token does not allow");
}

api::api(api_dependencies with)
  : state_(std::make_shared<state>(std::move(with))) {}

void api::operator()(const std::shared_ptr<const request>& in,
                     responder answer) const {
  auto target = parse_target(in->target);
  if (!target)
    return answer(problem_response(target.why()));
  std::string allowed;
  for (const auto& one : routes()) {
    if (!matches(one.path, target->path))
      continue;
    if (one.method != in->method) {
      if (allowed.find(one.method) == std::string::npos)
        allowed += (allowed.empty() ? "" : ", ") + std::string(one.method);
      continue;
    }
    route_call call{state_, in, *std::move(target), std::move(answer), {}, {}};
    if (!one.open)
      if (const auto no =
            admit(call, {one.needed, one.over, one.method == "GET",
                         is_of_records(one.path), verb_of(one)});
          !no)
        return call.refuse(no.why());
    return one.serve(std::move(call));
  }
  if (!allowed.empty())
    return answer(wrong_method(allowed));
  answer(problem_response(
    domain::fault{failure::not_found, "there is no such path"}));
}

bool route_call::only(
  std::initializer_list<std::string_view> parameters) const {
  const auto checked = check_parameters(target, parameters);
  if (!checked)
    refuse(checked.why());
  return checked.ok();
}

bool route_call::has_json() const {
  constexpr std::string_view json = "application/json";
  const auto type = in->header("content-type");
  auto media = type.substr(0, type.find(';'));
  while (!media.empty() && media.back() == ' ')
    media.remove_suffix(1);
  const bool same = std::equal(
    media.begin(), media.end(), json.begin(), json.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
    });
  if (same && in->header_count("content-type") == 1)
    return true;
  answer(problem_response(
    {415, "unsupported_media_type", "The body's type is not supported"},
    "the body must be application/json"));
  return false;
}

response json_response(int status, std::string body) {
  response answer;
  answer.status = status;
  answer.headers.emplace_back("Content-Type", "application/json");
  answer.body = std::move(body);
  return answer;
}

} // namespace parcelflow::http
