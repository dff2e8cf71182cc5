// sysexits of parcelctl, and which one an answer of the console ends with.
// Thread rule: pure functions. Errors: none.
#pragma once

#include <string_view>

namespace parcelflow::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_usage = 64;
inline constexpr int exit_data = 65; ///< missing, or its state forbids it
inline constexpr int exit_unavailable = 69;
inline constexpr int exit_internal = 70;
inline constexpr int exit_io = 74;
inline constexpr int exit_try_later = 75;
inline constexpr int exit_denied = 77;

/// As the console names it, e.g. "not_found".
[[nodiscard]] int exit_code_of(std::string_view failure_name) noexcept;

} // namespace parcelflow::cli
