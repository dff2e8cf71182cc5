#include "codec/json_text.hpp"
#include "codec/strict_json.hpp"
#include "tests/codec/samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace codec = parcelflow::codec;
namespace test = parcelflow::test;
using nlohmann::json;
using parcelflow::domain::failure;

namespace {

/// What was refused and where, or "accepted".
std::string refusal(std::string_view text,
                    const codec::json_limits& limits = {}) {
  const auto parsed = codec::parse_strict(text, limits);
  if (parsed)
    return "accepted";
  CHECK(parsed.why().code == failure::invalid_request);
  std::string detail = parsed.why().detail;
  constexpr std::string_view prefix = "not acceptable JSON: ";
  REQUIRE(detail.starts_with(prefix));
  return detail.substr(prefix.size());
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

TEST_CASE("what is hostile but legal reads as nlohmann reads it") {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 3000; ++round) {
    const auto value = test::hostile_value(random, 4);
    const int indent = static_cast<int>(random() % 3) - 1;
    const auto text = value.dump(indent, ' ', random() % 2 == 0);
    const auto parsed = codec::parse_strict(text);
    REQUIRE_MESSAGE(parsed.ok(), text);
    REQUIRE_MESSAGE(*parsed == value, text);
  }
}

TEST_CASE("a text that was written is read back exactly") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const auto text = test::hostile_text(random);
    std::string quoted;
    codec::append_quoted(quoted, text);
    const auto parsed = codec::parse_strict(quoted);
    REQUIRE_MESSAGE(parsed.ok(), quoted);
    REQUIRE(*parsed == text);
  }
}

TEST_CASE("nesting is allowed up to the limit and not one deeper") {
  CHECK(refusal(nested(32)) == "accepted");
  CHECK(refusal(nested(33)) == "nested deeper than 32 at byte 33");
  CHECK(refusal(R"({"a":[{"b":[]}]})", {.depth_max = 4}) == "accepted");
  CHECK(refusal(R"({"a":[{"b":[]}]})", {.depth_max = 3})
        == "nested deeper than 3 at byte 12");
  const std::size_t two_million = 2'000'000;
  CHECK(refusal(std::string(two_million, '['), {.bytes_max = two_million})
        == "nested deeper than 32 at byte 33");
}

TEST_CASE("a text above the size limit is refused before it is looked at") {
  const auto parsed = codec::parse_strict("[1]", {.bytes_max = 2});
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.why().code == failure::payload_too_large);
  CHECK(parsed.why().detail == "3 bytes of JSON; at most 2 are allowed");
  CHECK(codec::parse_strict("[1]", {.bytes_max = 3}).ok());
}

TEST_CASE("a member that appears twice is refused at any depth") {
  CHECK(refusal(R"({"a":1,"a":1})")
        == R"(the member "a" appears twice at byte 10)");
  CHECK(refusal(R"([{"x":{"a":1,"b":2,"\u0061":3}}])")
        == R"(the member "a" appears twice at byte 27)");
  CHECK(refusal(R"([{"a":1},{"a":1},{"b":{"a":1}}])") == "accepted");
}

TEST_CASE("an integer is exact or refused") {
  const auto low = codec::parse_strict("-9223372036854775808");
  const auto high = codec::parse_strict("18446744073709551615");
  REQUIRE(low.ok());
  REQUIRE(high.ok());
  CHECK(low->get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(high->get<std::uint64_t>()
        == std::numeric_limits<std::uint64_t>::max());
  const std::string why = "an integer does not fit into 64 bits at byte ";
  CHECK(refusal("-9223372036854775809") == why + "20");
  CHECK(refusal("[18446744073709551616]") == why + "21");
  CHECK(refusal(std::string(400, '9')) == "a number is too large at byte 400");
  CHECK(refusal("[1e999,2]") == "a number is too large at byte 6");
}

TEST_CASE("only valid UTF-8 and paired surrogates are text") {
  for (const std::string_view bad :
       {"\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"",
        "\"\xE2\x82\"", "\"\x80\"", "\"\x1f\""})
    CHECK_MESSAGE(refusal(bad).starts_with("invalid string: "), bad);
  CHECK(refusal(R"("\ud83d\ude00")") == "accepted");
  CHECK(refusal(R"("\ud83d")").find("surrogate") != std::string::npos);
  CHECK(refusal(R"("\ude00")").find("surrogate") != std::string::npos);
  CHECK(refusal(R"("\ud83d\ud83d")").find("surrogate") != std::string::npos);
}

TEST_CASE("U+0000 is refused wherever it hides") {
  CHECK(refusal(R"(["a\u0000b"])") == "U+0000 in a string at byte 11");
  CHECK(refusal(R"({"a\u0000":1})") == "U+0000 in a string at byte 10");
  CHECK(refusal(R"("\\u0000")") == "accepted");
  // nlohmann alone takes a NUL byte for the end and accepts this.
  CHECK(refusal(std::string_view("{}\0garbage", 10)) == "a NUL byte at byte 3");
}

TEST_CASE("nothing may stand before or after the value") {
  CHECK(refusal(" \t\r\n{} \t\r\n") == "accepted");
  CHECK(refusal("{}x").ends_with("at byte 3"));
  CHECK(refusal("{}{}").ends_with("at byte 3"));
  CHECK(refusal("[1],").ends_with("at byte 4"));
  CHECK(refusal("\xEF\xBB\xBF{}") == "a byte order mark at byte 1");
  CHECK(refusal("").starts_with("unexpected end of input"));
}

TEST_CASE("what JSON forbids stays forbidden") {
  for (const std::string_view bad :
       {"[1,]", "{\"a\":1,}", "{a:1}", "'a'", "[01]", "[+1]", "[.5]", "[1.]",
        "NaN", "[Infinity]", "// c\n1", "/**/1", "tru", "[1 2]", "{\"a\" 1}",
        "{\"a\"}", "]", "\"\\x\"", "\"\\u12\""})
    CHECK_MESSAGE(refusal(bad) != "accepted", bad);
}

TEST_CASE("a refusal never quotes a value") {
  for (const std::string_view text :
       {R"({"paymentToken":"tok_secret)", R"(["tok_secret" tok_secret])",
        R"([tok_secret])", R"({"a":"tok_secret\x"})"})
    CHECK_MESSAGE(refusal(text).find("secret") == std::string::npos, text);
}

TEST_CASE("a hostile name is shown short and in plain ASCII") {
  CHECK(codec::shown_name("a\"b\n\xFF") == R"("a?b??")");
  CHECK(codec::shown_name(std::string(1000, 'x'))
        == "\"" + std::string(40, 'x') + "...\"");
}

TEST_CASE("a member's bytes are found verbatim") {
  constexpr std::string_view text =
    "{ \"a\" : \"}\\\"\" ,\t\"b\":-1.50e+2 , \"c\": [ {\"data\":0} , \"]\" ] ,"
    "\"d\\u0061ta\" : { \"x\" :\n1 } , \"last\":true}";
  REQUIRE(codec::parse_strict(text).ok());
  CHECK(codec::find_member(text, "a") == R"("}\"")");
  CHECK(codec::find_member(text, "b") == "-1.50e+2");
  CHECK(codec::find_member(text, "c") == R"([ {"data":0} , "]" ])");
  CHECK(codec::find_member(text, "data") == "{ \"x\" :\n1 }");
  CHECK(codec::find_member(text, "last") == "true");
  CHECK_FALSE(codec::find_member(text, "x").has_value());
  CHECK_FALSE(codec::find_member("{}", "a").has_value());
  CHECK_FALSE(codec::find_member("[\"a\"]", "a").has_value());
}

TEST_CASE("the bytes of every member of any object mean its value") {
  std::mt19937_64 random(42);
  for (int round = 0; round < 1500; ++round) {
    auto object = json::object();
    for (auto left = random() % 6; left > 0; --left)
      object[test::hostile_text(random)] = test::hostile_value(random, 3);
    const auto text =
      object.dump(static_cast<int>(random() % 3) - 1, '\t', random() % 2 == 0);
    for (const auto& [name, value] : object.items()) {
      const auto bytes = codec::find_member(text, name);
      REQUIRE_MESSAGE(bytes.has_value(), text);
      REQUIRE_MESSAGE(json::parse(*bytes) == value, text);
    }
    REQUIRE_FALSE(codec::find_member(text, "absent").has_value());
  }
}

TEST_CASE("a search in text that was never validated ends") {
  constexpr std::string_view text = R"({"a":{"b":"c\"d"},"e":[1,2]})";
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_FALSE(codec::find_member(text.substr(0, size), "absent").has_value());
}
