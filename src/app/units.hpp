// Numbers with units, as people write them in settings and flags: "250ms",
// "30d", "64MiB". Thread rule: pure functions. Errors: nothing, if the text is
// not exactly one number and at most one known suffix, or does not fit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::app {

/// A decimal number, a leading '-' allowed, without blanks or '+'.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// A number ≥ 0 with ms, s, m, h or d; without a suffix, of `bare` each.
[[nodiscard]] std::optional<std::chrono::milliseconds>
parse_duration(std::string_view text, std::chrono::milliseconds bare);

/// A number ≥ 0 of bytes, or with KiB, MiB, GiB (B is allowed too).
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

/// With the largest suffix that loses nothing: "64MiB", "1000".
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

} // namespace parcelflow::app
