#include "http/etag.hpp"

#include "support/digest.hpp"

namespace parcelflow::http {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos)
    return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

} // namespace

std::string etag_of(std::string_view body) {
  constexpr std::size_t tag_bytes = 18;
  const auto digest = support::sha256_of(body);
  return '"'
         + support::base64url(support::bytes_of(digest).substr(0, tag_bytes))
         + '"';
}

bool matches_etag(std::string_view if_none_match, std::string_view tag) {
  if (trimmed(if_none_match) == "*")
    return true;
  // Our tags hold no comma, so cutting at commas finds them whole.
  while (!if_none_match.empty()) {
    const auto comma = if_none_match.find(',');
    auto one = trimmed(if_none_match.substr(0, comma));
    if (one.starts_with("W/"))
      one.remove_prefix(2);
    if (one == tag)
      return true;
    if (comma == std::string_view::npos)
      return false;
    if_none_match.remove_prefix(comma + 1);
  }
  return false;
}

response with_etag(const request& in, std::string body) {
  response answer;
  auto tag = etag_of(body);
  const bool known = in.header_count("if-none-match") == 1
                     && matches_etag(in.header("if-none-match"), tag);
  answer.headers.emplace_back("ETag", std::move(tag));
  answer.headers.emplace_back("Cache-Control", "private, no-cache");
  if (known) {
    answer.status = 304;
    return answer;
  }
  answer.headers.emplace_back("Content-Type", "application/json");
  answer.body = std::move(body);
  return answer;
}

} // namespace parcelflow::http
