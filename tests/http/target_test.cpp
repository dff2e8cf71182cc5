// What a request's target, key and trace headers may look like.
#include "http/target.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace parcelflow;
using domain::failure;
using strings = std::vector<std::string>;

strings path_of(std::string_view target) {
  auto parsed = http::parse_target(target);
  REQUIRE(parsed.ok());
  return parsed->path;
}

bool key_is(std::string_view header, std::string_view key) {
  const auto parsed = http::parse_idempotency_key(header);
  return parsed && *parsed == key;
}

bool key_fails(std::string_view header, failure code) {
  const auto parsed = http::parse_idempotency_key(header);
  return !parsed && parsed.why().code == code;
}

constexpr std::string_view w3c_example =
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

} // namespace

TEST_CASE("a path is split first and decoded after") {
  CHECK(path_of("/") == strings{});
  CHECK(path_of("/v1/orders/ord-1") == strings{"v1", "orders", "ord-1"});
  CHECK(path_of("/v1/a%2Fb/%e2%82%ac+") == strings{"v1", "a/b", "€+"});
  CHECK(path_of("/v1/") == strings{"v1", ""});
  CHECK(path_of("//v1") == strings{"", "v1"});
}

TEST_CASE("a query keeps order, duplicates and empty values") {
  const auto parsed = http::parse_target("/x?a=1&b=%26+%2B&a=2&c&d=");
  REQUIRE(parsed.ok());
  using pair = std::pair<std::string, std::string>;
  CHECK(parsed->query
        == std::vector<pair>{
          {"a", "1"}, {"b", "& +"}, {"a", "2"}, {"c", ""}, {"d", ""}});
  CHECK(parsed->parameter("a") == "1");
  CHECK(parsed->parameter("d") == "");
  CHECK_FALSE(parsed->parameter("e").has_value());
  CHECK(path_of("/x?") == strings{"x"});
}

TEST_CASE("what is ambiguous in a target is refused") {
  for (const std::string_view bad :
       {"",        "v1",      "*",      "http://host/", "/%",        "/%4",
        "/%zz",    "/%4g",    "/a%00b", "/a%0ab",       "/a%7f",     "/a b",
        "/a#b",    "/a?b#c",  "/..",    "/%2e%2E/x",    "/./x",      "/x?=1",
        "/x?a=1&", "/x?&a=1", "/x?a=%", "/x?%00=1",     "/x?a=\r\nb"}) {
    CAPTURE(bad);
    const auto parsed = http::parse_target(bad);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.why().code == failure::invalid_request);
  }
  CHECK_FALSE(http::parse_target(std::string_view("/a\0b", 4)).ok());
}

TEST_CASE("unknown and repeated parameters are told apart by the caller") {
  const auto good = http::parse_target("/x?limit=5&cursor=a");
  REQUIRE(good.ok());
  CHECK(http::check_parameters(*good, {"cursor", "limit", "state"}).ok());

  const auto unknown = http::check_parameters(*good, {"limit"});
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.why().detail.find("\"cursor\"") != std::string::npos);

  const auto twice = http::parse_target("/x?limit=5&limit=5");
  REQUIRE(twice.ok());
  const auto status = http::check_parameters(*twice, {"limit"});
  REQUIRE_FALSE(status.ok());
  CHECK(status.why().detail.find("twice") != std::string::npos);
}

TEST_CASE("an idempotency key is a quoted string or a bare token") {
  CHECK(key_is("8e03978e-40d5-43dd-bc93-6894a57f9324",
               "8e03978e-40d5-43dd-bc93-6894a57f9324"));
  CHECK(key_is("\"abc\"", "abc"));
  CHECK(key_is("abc", "abc"));
  CHECK(key_is("\"a \\\"b\\\" \\\\\"", "a \"b\" \\"));
  CHECK(key_is(std::string(255, 'k'), std::string(255, 'k')));
}

TEST_CASE("other idempotency keys are refused") {
  CHECK(key_fails("", failure::missing_idempotency_key));
  for (const std::string_view bad :
       {"\"\"", "\"abc", "\"", "\"a\"b", "\"a\";p=1", "\"a\\", "\"a\\n\"",
        "a b", "a,b", "a;b", "a\"b", "a\\b", "\"a\tb\"", "caf\xc3\xa9",
        "\"caf\xc3\xa9\"", "a\x7f"}) {
    CAPTURE(bad);
    CHECK(key_fails(bad, failure::invalid_request));
  }
  CHECK(key_fails(std::string(256, 'k'), failure::invalid_request));
  CHECK(
    key_fails("\"" + std::string(256, 'k') + "\"", failure::invalid_request));
}

TEST_CASE("a traceparent of version 00 is read and written back") {
  const auto trace = http::parse_traceparent(w3c_example);
  REQUIRE(trace.has_value());
  CHECK(trace->trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(trace->parent_id == "b7ad6b7169203331");
  CHECK(trace->flags == 1);
  CHECK(http::format_traceparent(*trace) == w3c_example);
}

TEST_CASE("any other traceparent is none") {
  const std::string good(w3c_example);
  const auto with = [&good](std::size_t at, std::string_view text) {
    return std::string(good).replace(at, text.size(), text);
  };
  const std::string bad[] = {"",
                             good + "-00",
                             good.substr(1),
                             with(0, "01"),
                             with(0, "ff"),
                             with(2, "_"),
                             with(3, "A"),
                             with(3, "g"),
                             with(53, "0x"),
                             with(3, std::string(32, '0')),
                             with(36, std::string(16, '0'))};
  for (const auto& text : bad) {
    CAPTURE(text);
    CHECK_FALSE(http::parse_traceparent(text).has_value());
  }
}
