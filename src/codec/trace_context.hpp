// W3C Trace Context, level 1: what a `traceparent` says, and whether it is one.
// Thread rule: free functions without state. Errors: nothing, for text that is
// not a legal traceparent; whether that is an error is the caller's rule (HTTP
// starts a new trace, an envelope is invalid).
#pragma once

#include <optional>
#include <string_view>

namespace parcelflow::codec {

/// 32 lower-case hex digits.
[[nodiscard]] bool is_trace_id(std::string_view text) noexcept;

/// The trace id inside a legal `traceparent`, e.g. of
/// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
/// Versions later than 00 may be longer; ff, and ids of zeros, are illegal.
[[nodiscard]] std::optional<std::string_view>
trace_id_of(std::string_view traceparent) noexcept;

} // namespace parcelflow::codec
