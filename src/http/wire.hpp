// An answer as the bytes of HTTP/1.1. The door adds Date, Content-Length and
// Connection itself, so that no route can get them wrong.
// Thread rule: pure functions over values. Errors: none.
#pragma once

#include "http/server.hpp"

#include <ctime>
#include <string>
#include <string_view>

namespace parcelflow::http {

/// What the request and its connection ask of the answer's form.
struct wire_form {
  bool head = false;     ///< to a HEAD: the length of the body, not the body
  bool close = false;    ///< last answer of this connection
  bool http_1_0 = false; ///< keep-alive has to be said
};

/// Appends the answer to `out`. Control characters in header names and values
/// become spaces: a value that quotes a stranger cannot begin a new header.
void append_response(std::string& out, const response& answer,
                     const wire_form& form, std::string_view date);

/// The Date header's form: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date(std::time_t at);

} // namespace parcelflow::http
