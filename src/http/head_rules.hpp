// What the door refuses by itself, before a route sees it: the rules over a
// request's head that the parser does not enforce. They close the gaps through
// which two parsers could read two different requests (smuggling) or a page
// of a stranger could reach a loopback port under its own name (rebinding).
// Thread rule: pure functions over values. Errors: a refusal.
#pragma once

#include "http/problem.hpp"
#include "http/server.hpp"

#include <optional>
#include <string>

namespace parcelflow::http {

/// The door's own word to the client.
struct refusal {
  problem_kind kind;
  std::string detail;
};

namespace refusals {
refusal invalid(std::string detail);             // 400
refusal timed_out();                             // 408
refusal body_too_large(const server_options&);   // 413
refusal header_too_large(const server_options&); // 431
refusal too_many_connections();                  // 503
} // namespace refusals

/// Judges a parsed head: how many headers, form of the target, Host (exactly
/// one in HTTP/1.1; if `options.hosts` is not empty, one of them, the port
/// apart), Content-Length and Transfer-Encoding (one of the two, once, plain),
/// Expect. None if the request may go on.
[[nodiscard]] std::optional<refusal>
judge_head(const request& head, bool http_1_0, const server_options& options);

} // namespace parcelflow::http
