// The texts of a request that routes need in parsed form: its target (path and
// query), its idempotency key and its W3C trace context. Parsing is strict:
// what is ambiguous is refused, never repaired.
// Thread rule: pure functions over values. Errors: outcome or optional.
#pragma once

#include "domain/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::http {

/// "/v1/orders/a%2Fb?limit=5" → {"v1", "orders", "a/b"}, {{"limit", "5"}}.
/// "/" has no segments; "/v1/" ends in an empty one, and so is not "/v1".
struct request_target {
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query; ///< in order

  /// First value of that parameter.
  [[nodiscard]] std::optional<std::string_view>
  parameter(std::string_view name) const noexcept;
};

/// Splits, then decodes. invalid_request: no leading '/', a bad escape, a
/// control character or NUL (raw or escaped), a raw space or '#', a segment
/// "." or "..", a parameter without a name. '+' is a space in the query only.
[[nodiscard]] domain::outcome<request_target>
parse_target(std::string_view target);

/// invalid_request unless each parameter is among `allowed` and given once.
[[nodiscard]] domain::status
check_parameters(const request_target& target,
                 std::initializer_list<std::string_view> allowed);

/// Bytes in an idempotency key, at most.
constexpr std::size_t idempotency_key_bytes_max = 255;

/// Value of the Idempotency-Key header: a quoted structured string ("a \"b\"")
/// or the bare key, 1..255 printable ASCII bytes either way; a bare one has no
/// space, quote, backslash, comma or semicolon. `"k"` and `k` are the same key.
/// Empty → missing_idempotency_key; malformed → invalid_request.
[[nodiscard]] domain::outcome<std::string>
parse_idempotency_key(std::string_view header);

/// W3C trace context, version 00.
struct trace_context {
  std::string trace_id;   ///< 32 lower-case hex digits, not all zero
  std::string parent_id;  ///< 16 lower-case hex digits, not all zero
  std::uint8_t flags = 0; ///< bit 0: sampled

  friend bool operator==(const trace_context&, const trace_context&) = default;
};

/// None for whatever is not exactly version 00: the caller starts a new trace.
[[nodiscard]] std::optional<trace_context>
parse_traceparent(std::string_view header);

/// "00-<trace id>-<parent id>-<flags>".
[[nodiscard]] std::string format_traceparent(const trace_context& trace);

} // namespace parcelflow::http
