// The one mapping from failures to what an HTTP client is told.
#include "http/problem.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using namespace parcelflow;
using domain::failure;

struct pin {
  failure code;
  int status;
  int retry_after_s;
};

// Every failure, written down a second time on purpose: these are public.
constexpr pin pins[] = {
  {failure::invalid_request, 400, 0},
  {failure::payload_too_large, 413, 0},
  {failure::missing_idempotency_key, 400, 0},
  {failure::idempotency_key_reused, 422, 0},
  {failure::request_in_progress, 409, 1},
  {failure::unauthenticated, 401, 0},
  {failure::forbidden, 403, 0},
  {failure::not_found, 404, 0},
  {failure::unknown_tenant, 403, 0},
  {failure::tenant_suspended, 403, 0},
  {failure::tenant_erased, 403, 0},
  {failure::unknown_sku, 422, 0},
  {failure::out_of_stock, 409, 0},
  {failure::stock_below_reserved, 409, 0},
  {failure::payment_declined, 402, 0},
  {failure::illegal_transition, 409, 0},
  {failure::deadline_exceeded, 504, 0},
  {failure::overloaded, 503, 1},
  {failure::draining, 503, 5},
  {failure::disk_full, 507, 0},
  {failure::storage_io, 503, 5},
  {failure::storage_corrupt, 500, 0},
  {failure::storage_format, 500, 0},
  {failure::storage_locked, 503, 5},
  {failure::storage_rolled_back, 503, 5},
  {failure::bus_unreachable, 503, 5},
  {failure::bus_refused, 503, 5},
  {failure::bus_unknown_outcome, 503, 5},
  {failure::bus_closed, 503, 5},
  {failure::effect_transient, 503, 5},
  {failure::invalid_envelope, 422, 0},
  {failure::config_invalid, 500, 0},
  {failure::internal, 500, 0},
};

std::string_view header(const http::response& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name)
      return value;
  return {};
}

bool holds(const http::response& answer, std::string_view text) {
  return answer.body.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("every failure has its status, its type and its Retry-After") {
  int code = 0;
  for (const auto& pin : pins) {
    CAPTURE(domain::to_string(pin.code));
    CHECK(static_cast<int>(pin.code) == ++code); // none is left out
    const auto answer = http::problem_response({pin.code, "said why"});
    CHECK(answer.status == pin.status);
    CHECK(header(answer, "Content-Type") == "application/problem+json");
    CHECK(header(answer, "Retry-After")
          == (pin.retry_after_s ? std::to_string(pin.retry_after_s) : ""));
    CHECK(holds(answer, "{\"type\":\"urn:parcelflow:problem:"
                          + std::string(domain::to_string(pin.code))
                          + "\",\"title\":\""));
    CHECK(holds(answer,
                "\",\"status\":" + std::to_string(pin.status) + ",\"detail\""));
  }
  // The first number without a name ends the list, so a new failure fails here.
  CHECK(domain::to_string(static_cast<failure>(code + 1)) == "unknown");
}

TEST_CASE("a refusal says why; trouble inside does not") {
  CHECK(holds(http::problem_response({failure::unknown_sku, "sku 'X' …"}),
              "\"detail\":\"sku 'X' ???\""));
  for (const auto& pin : pins) {
    const bool inside = pin.code == failure::config_invalid
                        || pin.code == failure::internal
                        || (pin.code >= failure::storage_io
                            && pin.code <= failure::effect_transient);
    CAPTURE(domain::to_string(pin.code));
    CHECK(
      holds(http::problem_response({pin.code, "/var/lib/secret.sst"}), "secret")
      == !inside);
  }
}

TEST_CASE("only 401 asks for a bearer token") {
  for (const auto& pin : pins)
    CHECK(header(http::problem_response({pin.code, ""}), "WWW-Authenticate")
          == (pin.status == 401 ? "Bearer" : ""));
}

TEST_CASE("extra members follow the standard ones, as JSON") {
  const auto answer =
    http::problem_response({failure::illegal_transition, "say \"when\""},
                           {{"state", "\"cancelled\""}, {"since", "7"}});
  CHECK(answer.body
        == "{\"type\":\"urn:parcelflow:problem:illegal_transition\","
           "\"title\":\"The order's state does not allow that\","
           "\"status\":409,\"detail\":\"say \\\"when\\\"\","
           "\"state\":\"cancelled\",\"since\":7}");
}

TEST_CASE("a detail cannot break out of its string") {
  const auto answer = http::problem_response(
    {failure::invalid_request, std::string("a\"\\\n\0\xff", 6)});
  CHECK(holds(answer, "\"detail\":\"a\\\"\\\\\\n\\u0000?\"}"));
}
