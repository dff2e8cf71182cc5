#include "http/problem.hpp"

#include "codec/json_text.hpp"
#include "support/assert.hpp"

#include <algorithm>

namespace parcelflow::http {

namespace {

using domain::failure;

constexpr bool is_internal = true;
constexpr int retry_soon_s = 1;  // a queue that drains, a request in flight
constexpr int retry_later_s = 5; // a restart, a broker or a disk that is away

struct row {
  failure code;
  int status;
  std::string_view title;
  int retry_after_s = 0;
  bool internal = false;
};

constexpr std::string_view no_storage = "Storage is not available";
constexpr std::string_view bad_storage = "Stored data cannot be read";
constexpr std::string_view no_bus = "The event bus is not available";
constexpr std::string_view our_fault =
  "Something went wrong inside the service";

constexpr row table[] = {
  {failure::invalid_request, 400, "The request is not valid"},
  {failure::payload_too_large, 413, "The body is too large"},
  {failure::missing_idempotency_key, 400,
   "An Idempotency-Key header is required"},
  {failure::idempotency_key_reused, 422,
   "The idempotency key belongs to another order"},
  {failure::request_in_progress, 409,
   "The first request with this key is under way", retry_soon_s},
  {failure::unauthenticated, 401, "A valid bearer token is required"},
  {failure::forbidden, 403, "This token does not allow that"},
  {failure::not_found, 404, "There is no such resource"},
  {failure::unknown_tenant, 403, "The tenant is not known"},
  {failure::tenant_suspended, 403, "The tenant is suspended"},
  {failure::tenant_erased, 403, "The tenant was erased"},
  {failure::unknown_sku, 422, "A sku is not known"},
  {failure::out_of_stock, 409, "Not enough stock"},
  {failure::stock_below_reserved, 409,
   "Stock cannot fall below what is reserved"},
  {failure::payment_declined, 402, "The payment was declined"},
  {failure::illegal_transition, 409, "The order's state does not allow that"},
  {failure::deadline_exceeded, 504,
   "The request took too long and was not accepted"},
  {failure::overloaded, 503, "Too much work is under way", retry_soon_s},
  {failure::draining, 503, "The service is shutting down", retry_later_s},
  {failure::disk_full, 507, "The disk is full"},
  {failure::storage_io, 503, no_storage, retry_later_s, is_internal},
  {failure::storage_corrupt, 500, bad_storage, 0, is_internal},
  {failure::storage_format, 500, bad_storage, 0, is_internal},
  {failure::storage_locked, 503, no_storage, retry_later_s, is_internal},
  {failure::storage_rolled_back, 503, no_storage, retry_later_s, is_internal},
  {failure::bus_unreachable, 503, no_bus, retry_later_s, is_internal},
  {failure::bus_refused, 503, no_bus, retry_later_s, is_internal},
  {failure::bus_unknown_outcome, 503, no_bus, retry_later_s, is_internal},
  {failure::bus_closed, 503, no_bus, retry_later_s, is_internal},
  {failure::effect_transient, 503, "A step failed and may be tried again",
   retry_later_s, is_internal},
  {failure::invalid_envelope, 422, "The event is not valid"},
  {failure::config_invalid, 500, our_fault, 0, is_internal},
  {failure::internal, 500, our_fault, 0, is_internal},
};

bool is_standard_member(std::string_view name) noexcept {
  return name == "type" || name == "title" || name == "status"
         || name == "detail" || name == "instance";
}

/// A detail may quote bytes that a stranger sent; the body must be UTF-8.
std::string ascii(std::string_view text) {
  std::string out(text);
  std::replace_if(
    out.begin(), out.end(),
    [](char c) { return static_cast<unsigned char>(c) > 0x7e; }, '?');
  return out;
}

} // namespace

problem_kind problem_kind_of(failure code) noexcept {
  const auto name = domain::to_string(code);
  for (const auto& entry : table)
    if (entry.code == code)
      return {entry.status, name, entry.title, entry.retry_after_s,
              entry.internal};
  PF_ASSERT(!"a failure without a row in the table");
  return {};
}

response problem_response(const problem_kind& kind, std::string_view detail,
                          const extra_members& extra) {
  response answer;
  answer.status = kind.status;
  answer.headers.emplace_back("Content-Type", "application/problem+json");
  if (kind.retry_after_s > 0)
    answer.headers.emplace_back("Retry-After",
                                std::to_string(kind.retry_after_s));
  if (kind.status == 401)
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");

  const bool general = kind.internal || detail.empty();
  codec::object_writer body(answer.body);
  body.text("type", "urn:parcelflow:problem:" + std::string(kind.name))
    .text("title", kind.title)
    .number("status", kind.status)
    .text("detail", ascii(general ? kind.title : detail));
  for (const auto& [name, json] : extra) {
    PF_ASSERT(!json.empty() && !is_standard_member(name));
    body.raw(name, json);
  }
  body.close();
  return answer;
}

response problem_response(const domain::fault& why) {
  return problem_response(problem_kind_of(why.code), why.detail);
}

response problem_response(const domain::fault& why,
                          const extra_members& extra) {
  return problem_response(problem_kind_of(why.code), why.detail, extra);
}

} // namespace parcelflow::http
