// For whoever runs it: probes and metrics.
#include "codec/json_text.hpp"
#include "http/route_call.hpp"

namespace parcelflow::http {

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
