// Text as a JSON string, for the places below the codec that print JSON (the
// log). Whatever comes in, the result is one valid JSON string on one line.
//
// Thread rule: pure functions. Errors: none; bytes that are not UTF-8 become
// U+FFFD, one for each ill-formed byte.
#pragma once

#include <string>
#include <string_view>

namespace parcelflow::support {

/// Appends `text` with its quotes. Control characters (C0, DEL, C1, and the
/// line separators U+2028 and U+2029) leave as \uXXXX, so that no log reader
/// and no terminal takes them for its own.
void append_json_string(std::string& out, std::string_view text);

/// Length in bytes of the well-formed UTF-8 character at `at`, 0 if the bytes
/// there are ill-formed (overlong, surrogate, truncated, above U+10FFFF).
/// `at` must be inside `text`.
[[nodiscard]] std::size_t utf8_length_at(std::string_view text,
                                         std::size_t at) noexcept;

} // namespace parcelflow::support
