// Placing an order, and the two further steps of one.
#include "http/route_call.hpp"

namespace parcelflow::http {

using domain::failure;

namespace {

constexpr std::string_view replayed_header = "Idempotency-Replayed";

/// The caller's trace with a span of ours, or a new trace.
trace_context trace_of(const route_call& call) {
  constexpr std::size_t span_digits = 16;
  auto trace = call.in->header_count("traceparent") == 1
                 ? parse_traceparent(call.in->header("traceparent"))
                 : std::nullopt;
  if (!trace)
    trace = trace_context{call.with().ids->next_trace_id(), {}, 1};
  auto span = call.with().ids->next_trace_id().substr(0, span_digits);
  if (span.find_first_not_of('0') == std::string::npos)
    span.back() = '1';
  trace->parent_id = std::move(span);
  return *std::move(trace);
}

void add(response& to, std::string_view name, std::string value) {
  to.headers.emplace_back(name, std::move(value));
}

response placed_response(const actors::place_answer& of) {
  using kind = actors::place_answer::kind;
  if (of.what == kind::refused)
    return problem_response(of.why);
  auto answer = of.what == kind::accepted
                  ? json_response(201, codec::placed_json(*of.order))
                  : json_response(202, codec::pending_json(of.order_id));
  add(answer, "Location", codec::order_path(of.order_id));
  if (of.repeated)
    add(answer, replayed_header, "true");
  return answer;
}

domain::outcome<domain::order_request> request_of(const route_call& call) {
  const auto& in = *call.in;
  if (in.header_count("idempotency-key") > 1)
    return {failure::invalid_request,
            "there must be one Idempotency-Key header"};
  auto key = parse_idempotency_key(in.header("idempotency-key"));
  if (!key)
    return key.why();
  auto request = codec::parse_order(in.body, call.with().order_limits);
  if (!request)
    return request.why();
  request->tenant_id = call.tenant;
  request->idempotency_key = *std::move(key);
  return request;
}

void command(route_call&& call, domain::order_command what) {
  if (!call.only({}))
    return;
  if (!call.in->body.empty())
    return call.refuse({failure::invalid_request, "this request has no body"});
  const auto trace = trace_of(call);
  const auto traceparent = format_traceparent(trace);
  actors::cancel_or_complete message;
  message.tenant_id = call.tenant;
  message.order_id = call.segment(2);
  message.command = what;
  message.trace_id = trace.trace_id;
  message.traceparent = traceparent;
  call.with().gateway->command(
    std::move(message), [answer = std::move(call.answer), what, traceparent](
                          const domain::outcome<actors::command_answer>& of) {
      response out;
      if (!of) {
        // In the words of every other order that is not there.
        out = problem_response(
          of.why().code == failure::not_found
            ? domain::fault{failure::not_found, "there is no such order"}
            : of.why());
      } else {
        out = json_response(
          200, codec::command_json(*of->order, domain::target_of(what)));
        if (of->repeated)
          add(out, replayed_header, "true");
      }
      add(out, "traceparent", traceparent);
      answer(std::move(out));
    });
}

} // namespace

void place_order(route_call&& call) {
  if (!call.only({}) || !call.has_json())
    return;
  auto request = request_of(call);
  if (!request)
    return call.refuse(request.why());
  const auto trace = trace_of(call);
  const auto traceparent = format_traceparent(trace);
  request->trace_id = trace.trace_id;
  request->traceparent = traceparent;
  call.with().gateway->place(*std::move(request),
                             [answer = std::move(call.answer),
                              traceparent](const actors::place_answer& of) {
                               auto out = placed_response(of);
                               add(out, "traceparent", traceparent);
                               answer(std::move(out));
                             });
}

void cancel_order(route_call&& call) {
  command(std::move(call), domain::order_command::cancel);
}

void complete_order(route_call&& call) {
  command(std::move(call), domain::order_command::complete);
}

} // namespace parcelflow::http
