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

/// "*", or a list in which the tag stands.
bool names(std::string_view list, std::string_view tag, bool weakly) {
  if (trimmed(list) == "*")
    return true;
  // Our tags hold no comma, so cutting at commas finds them whole.
  while (!list.empty()) {
    const auto comma = list.find(',');
    auto one = trimmed(list.substr(0, comma));
    if (weakly && one.starts_with("W/"))
      one.remove_prefix(2);
    if (one == tag)
      return true;
    if (comma == std::string_view::npos)
      return false;
    list.remove_prefix(comma + 1);
  }
  return false;
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
  return names(if_none_match, tag, true);
}

bool meets_if_match(const request& in, std::string_view tag) {
  const auto times = in.header_count("if-match");
  return times == 0 || (times == 1 && names(in.header("if-match"), tag, false));
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
