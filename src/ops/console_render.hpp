// How an answer looks on the wire. With --json it is one line of JSON, and an
// error is {"error":{"failure":…,"detail":…}}. Without, it is text that a
// person reads with nc: an error is `error FAILURE: sentence`; every answer
// ends with a line that holds a single dot, and a line of the text that begins
// with a dot gets one more in front.
//
// The text is made of the same JSON: objects as `name  value` lines, lists as
// tables, so that both always say the same. Columns shrink to the reader's
// width, the widest first; what is cut ends in "…".
// Thread rule: pure functions. Errors: none.
#pragma once

#include "ops/console_command.hpp"

#include <string>
#include <string_view>

namespace parcelflow::ops {

/// How the answer to a line is framed.
struct presentation {
  bool json = false;
  std::size_t width = 0;
};

/// A whole answer; `document` is JSON, made by codec.
[[nodiscard]] std::string present(const presentation& how, verb of,
                                  std::string_view document);
[[nodiscard]] std::string present(const presentation& how,
                                  const domain::fault& why);
/// Text of our own, such as help: {"text":…} with --json.
[[nodiscard]] std::string present_text(const presentation& how,
                                       std::string_view text);

/// One line of a stream that goes on, such as a verdict of the tail.
[[nodiscard]] std::string present_row(const presentation& how, verb of,
                                      std::string_view document);

} // namespace parcelflow::ops
