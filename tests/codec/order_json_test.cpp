#include "codec/order_json.hpp"
#include "support/digest.hpp"
#include "tests/codec/samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace codec = parcelflow::codec;
namespace test = parcelflow::test;
using nlohmann::json;
using parcelflow::domain::failure;

namespace {

std::string refusal(std::string_view body) {
  const auto parsed = codec::parse_order(body);
  if (parsed)
    return "accepted";
  CHECK(parsed.why().code == failure::invalid_request);
  return parsed.why().detail;
}

std::string refusal_with(const char* name, json value) {
  auto body = test::sample_body();
  body[name] = std::move(value);
  return refusal(body.dump());
}

/// The refusal of the sample whose second line has one member replaced.
std::string line_refusal_with(const char* name, json value) {
  auto body = test::sample_body();
  body["lines"][1][name] = std::move(value);
  return refusal(body.dump());
}

std::string fingerprint(std::string_view body) {
  const auto parsed = codec::parse_order(body);
  REQUIRE_MESSAGE(parsed.ok(), body);
  return parcelflow::support::hex(parsed->fingerprint);
}

json body_of_lines(std::size_t count, std::int64_t quantity,
                   std::int64_t price) {
  auto body = test::sample_body();
  body["lines"] = json::array();
  for (std::size_t at = 0; at < count; ++at)
    body["lines"].push_back({{"sku", "sku-" + std::to_string(at)},
                             {"quantity", quantity},
                             {"unitPriceMinor", price}});
  return body;
}

} // namespace

TEST_CASE("an order is read as it was sent") {
  const auto parsed = codec::parse_order(test::sample_body().dump());
  REQUIRE(parsed.ok());
  CHECK(parsed->lines == test::sample_order().lines);
  CHECK(parsed->currency == "EUR");
  CHECK(parsed->payment_token == "tok_ok");
  CHECK(parsed->customer_reference == "PO-4711");
  CHECK(parsed->total_minor == 7400);
  CHECK(parsed->fingerprint == codec::fingerprint_of(*parsed));
}

TEST_CASE("the customer reference is optional, everything else is not") {
  const auto whole = test::sample_body();
  for (const auto& [name, value] : whole.items()) {
    auto without = test::sample_body();
    without.erase(name);
    CHECK(refusal(without.dump())
          == (name == "customerReference" ? "accepted" : name + " is missing"));
  }
  for (const char* name : {"sku", "quantity", "unitPriceMinor"}) {
    auto without = test::sample_body();
    without["lines"][1].erase(name);
    CHECK(refusal(without.dump())
          == "lines[1]." + std::string(name) + " is missing");
  }
}

TEST_CASE("an unknown member is refused by name") {
  CHECK(refusal_with("coupon", "X") == R"(unknown member "coupon")");
  CHECK(line_refusal_with("discount", 1)
        == R"(unknown member "discount" of lines[1])");
  CHECK(refusal_with("a\"\n\u00e9", 1) == R"(unknown member "a????")");
}

TEST_CASE("lines are 1 to the limit, each sku once") {
  const std::string wording = "lines must be an array of 1 to 100 elements";
  CHECK(refusal_with("lines", json::array()) == wording);
  CHECK(refusal_with("lines", json::object()) == wording);
  CHECK(refusal(body_of_lines(100, 1, 1).dump()) == "accepted");
  CHECK(refusal(body_of_lines(101, 1, 1).dump()) == wording);
  CHECK(line_refusal_with("sku", "sku-red-mug")
        == "lines[1].sku stands in another line too");
  CHECK(line_refusal_with("sku", "sku red")
        == "lines[1].sku must be 1 to 128 characters of A-Z a-z 0-9 . _ : -");
  CHECK(refusal_with("lines", {1}) == "lines[0] must be a JSON object");
}

TEST_CASE("quantity and price are exact integers in their range") {
  const std::string quantity =
    "lines[1].quantity must be an integer from 1 to 1000000";
  CHECK(line_refusal_with("quantity", 1'000'000) == "accepted");
  for (const json& wrong :
       {json(0), json(-1), json(1'000'001), json(1.0), json("1"), json(true),
        json(nullptr), json(18446744073709551615U)})
    CHECK(line_refusal_with("quantity", wrong) == quantity);
  const std::string price =
    "lines[1].unitPriceMinor must be an integer from 0 to 1000000000000";
  CHECK(line_refusal_with("unitPriceMinor", 0) == "accepted");
  CHECK(line_refusal_with("unitPriceMinor", 1'000'000'000'000) == "accepted");
  for (const json& wrong :
       {json(-1), json(1'000'000'000'001), json(12.5), json("1")})
    CHECK(line_refusal_with("unitPriceMinor", wrong) == price);
}

TEST_CASE("a total that no reader could hold exactly is refused") {
  const std::string wording =
    "the total of the lines must be at most 9007199254740991 minor units";
  CHECK(refusal(body_of_lines(9, 1000, 1'000'000'000'000).dump())
        == "accepted");
  CHECK(refusal(body_of_lines(10, 1000, 1'000'000'000'000).dump()) == wording);
  // 100 lines of 10^18 overflow 64 bits.
  CHECK(refusal(body_of_lines(100, 1'000'000, 1'000'000'000'000).dump())
        == wording);
}

TEST_CASE("one product that overflows 64 bits is refused, not wrapped") {
  codec::order_limits wide;
  wide.quantity_max = std::numeric_limits<std::int64_t>::max();
  const auto body = body_of_lines(1, wide.quantity_max, 1'000'000'000'000);
  const auto parsed = codec::parse_order(body.dump(), wide);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.why().code == failure::invalid_request);
}

TEST_CASE("currency, payment token and reference have their forms") {
  for (const json& wrong : {json("eur"), json("EURO"), json(""), json(978)})
    CHECK(refusal_with("currency", wrong)
          == "currency must be three upper-case letters, such as EUR");
  CHECK(refusal_with("paymentToken", std::string(128, '~')) == "accepted");
  for (const json& wrong : {json(""), json(std::string(129, 'x')), json("a b"),
                            json("t\u00f6k"), json(1)})
    CHECK(refusal_with("paymentToken", wrong)
          == "paymentToken must be 1 to 128 printable ASCII characters");
  CHECK(refusal_with("customerReference", std::string(128, 'x')) == "accepted");
  CHECK(refusal_with("customerReference", std::string(129, 'x'))
        == "customerReference must be text of at most 128 bytes");
  CHECK(refusal_with("customerReference", nullptr)
        == "customerReference must be text of at most 128 bytes");
}

TEST_CASE("a body that is too large or no object is refused") {
  const auto large = codec::parse_order(std::string(70'000, ' '));
  REQUIRE_FALSE(large.ok());
  CHECK(large.why().code == failure::payload_too_large);
  CHECK(refusal("[]") == "the text must be a JSON object");
  CHECK(refusal("{") != "accepted");
  const auto body = test::sample_body().dump();
  for (std::size_t size = 0; size < body.size(); ++size)
    REQUIRE(refusal(body.substr(0, size)) != "accepted");
}

TEST_CASE("the fingerprint is pinned") {
  // Computed by another program from the layout in digest_input.hpp.
  CHECK(fingerprint(test::sample_body().dump())
        == "df699a6c0a44f72a79fb931b25762901e8f03639d9aaacbe4f0f9f792b9ffbc6");
}

TEST_CASE("the fingerprint is of the order, not of its bytes") {
  const auto sample = fingerprint(test::sample_body().dump());
  auto turned = test::sample_body();
  std::reverse(turned["lines"].begin(), turned["lines"].end());
  CHECK(fingerprint(turned.dump(4)) == sample);
  CHECK(fingerprint(
          R"({"customerReference":"P\u004f-4711","paymentToken":"tok_\u006fk",
              "currency":"EUR","lines":[
              {"unitPriceMinor":4900,"quantity":1,"sku":"sku-teapot"},
              {"unitPriceMinor":1250,"sku":"sku\u002dred-mug","quantity":2}]})")
        == sample);
  auto without = test::sample_body();
  without.erase("customerReference");
  auto empty = test::sample_body();
  empty["customerReference"] = "";
  CHECK(fingerprint(without.dump()) == fingerprint(empty.dump()));
}

TEST_CASE("whatever changes the order changes the fingerprint") {
  const auto sample = test::sample_body();
  std::vector<std::string> all = {fingerprint(sample.dump())};
  const auto with = [&](const char* pointer, json value) {
    auto changed = sample;
    changed[json::json_pointer(pointer)] = std::move(value);
    all.push_back(fingerprint(changed.dump()));
  };
  with("/currency", "USD");
  with("/paymentToken", "tok_no");
  with("/customerReference", "PO-4712");
  with("/customerReference", "");
  with("/lines/0/sku", "sku-red-mugs");
  with("/lines/0/quantity", 1);
  with("/lines/0/unitPriceMinor", 1251);
  with("/lines/2", sample["lines"][0].patch(json::parse(
                     R"([{"op":"replace","path":"/sku","value":"z"}])")));
  auto swapped = sample;
  std::swap(swapped["lines"][0]["sku"], swapped["lines"][1]["sku"]);
  all.push_back(fingerprint(swapped.dump()));
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("stock on hand is one integer from 0 to 10^12") {
  const auto refused = [](std::string_view body) {
    const auto parsed = codec::parse_on_hand(body);
    return parsed.ok() ? std::string("accepted") : parsed.why().detail;
  };
  const auto parsed = codec::parse_on_hand(R"({ "onHand": 1000000000000 })");
  REQUIRE(parsed.ok());
  CHECK(*parsed == 1'000'000'000'000);
  CHECK(*codec::parse_on_hand(R"({"onHand":0})") == 0);
  const std::string wording =
    "onHand must be an integer from 0 to 1000000000000";
  CHECK(refused(R"({"onHand":-1})") == wording);
  CHECK(refused(R"({"onHand":1000000000001})") == wording);
  CHECK(refused(R"({"onHand":1.0})") == wording);
  CHECK(refused(R"({})") == "onHand is missing");
  CHECK(refused(R"({"onHand":1,"sku":"a"})") == R"(unknown member "sku")");
  CHECK(refused("7") == "the text must be a JSON object");
}
