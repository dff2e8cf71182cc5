#include "http/head_rules.hpp"

#include <algorithm>

namespace parcelflow::http {

namespace {

using domain::failure;

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_text(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// "shop.example:8080" → "shop.example"; "[::1]:80" → "[::1]".
std::string_view without_port(std::string_view host) noexcept {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  const bool has_port =
    colon != host.npos && (bracket == host.npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

std::optional<refusal> judge_host(const request& head, bool http_1_0,
                                  const server_options& options) {
  const auto count = head.header_count("host");
  if (count > 1)
    return refusals::invalid("there must be one Host header");
  if (count == 0 && !http_1_0)
    return refusals::invalid("HTTP/1.1 needs a Host header");
  if (options.hosts.empty())
    return std::nullopt;
  const auto host = without_port(head.header("host"));
  const auto allowed = [host](const std::string& name) {
    return same_text(name, host);
  };
  if (std::any_of(options.hosts.begin(), options.hosts.end(), allowed))
    return std::nullopt;
  return refusal{{421, "misdirected_request", "This host is not served here"},
                 "the Host header does not name this service"};
}

std::optional<refusal> judge_framing(const request& head, bool http_1_0) {
  const auto lengths = head.header_count("content-length");
  const auto codings = head.header_count("transfer-encoding");
  if (lengths + codings > 1)
    return refusals::invalid(
      "there must be one Content-Length or one Transfer-Encoding");
  const auto length = head.header("content-length");
  if (lengths == 1
      && (length.empty()
          || length.find_first_not_of("0123456789") != length.npos))
    return refusals::invalid("Content-Length must be a number");
  if (codings == 0)
    return std::nullopt;
  if (http_1_0)
    return refusals::invalid("HTTP/1.0 has no Transfer-Encoding");
  if (!same_text(head.header("transfer-encoding"), "chunked"))
    return refusal{{501, "unsupported_transfer_coding",
                    "The transfer coding is not supported"},
                   "the only transfer coding understood is chunked"};
  return std::nullopt;
}

} // namespace

namespace refusals {

refusal invalid(std::string detail) {
  return {problem_kind_of(failure::invalid_request), std::move(detail)};
}

refusal timed_out() {
  return {{408, "request_timeout", "The request took too long to arrive"},
          "the whole request must arrive within the time allowed"};
}

refusal body_too_large(const server_options& options) {
  return {problem_kind_of(failure::payload_too_large),
          "a body may have " + std::to_string(options.body_bytes_max)
            + " bytes"};
}

refusal header_too_large(const server_options& options) {
  return {{431, "header_too_large", "The request header is too large"},
          "a header may have " + std::to_string(options.header_bytes_max)
            + " bytes and " + std::to_string(options.headers_max) + " fields"};
}

refusal too_many_connections() {
  return {problem_kind_of(failure::overloaded),
          "too many connections are open"};
}

} // namespace refusals

std::optional<refusal> judge_head(const request& head, bool http_1_0,
                                  const server_options& options) {
  if (head.headers.size() > options.headers_max)
    return refusals::header_too_large(options);
  // Only the origin form: an absolute one is a second, contradicting Host.
  if (head.target.front() != '/'
      && !(head.target == "*" && head.method == "OPTIONS"))
    return refusals::invalid("the target must begin with '/'");
  if (auto no = judge_host(head, http_1_0, options))
    return no;
  if (auto no = judge_framing(head, http_1_0))
    return no;
  if (head.header_count("expect") > 0
      && !same_text(head.header("expect"), "100-continue"))
    return refusal{{417, "expectation_failed", "The expectation is not known"},
                   "the only expectation understood is 100-continue"};
  return std::nullopt;
}

std::string_view request::header(std::string_view name) const noexcept {
  for (const auto& [key, value] : headers)
    if (same_text(key, name))
      return value;
  return {};
}

std::size_t request::header_count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
    std::count_if(headers.begin(), headers.end(), [name](const auto& entry) {
      return same_text(entry.first, name);
    }));
}

} // namespace parcelflow::http
