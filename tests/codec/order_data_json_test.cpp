#include "codec/order_json.hpp"
#include "tests/codec/samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace codec = parcelflow::codec;
namespace test = parcelflow::test;
using nlohmann::json;
using parcelflow::domain::failure;

namespace {

constexpr parcelflow::domain::unix_ms five_past_seven = 1'796'065'500'000;

std::string refusal(std::string_view data) {
  const auto read = codec::read_accepted(data);
  if (read)
    return "accepted";
  CHECK(read.why().code == failure::invalid_envelope);
  return read.why().detail;
}

} // namespace

TEST_CASE("the bytes of OrderAccepted v1 are pinned") {
  CHECK(codec::accepted_data(test::sample_order())
        == R"({"orderId":"ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("reservationId":"rsv-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("authorizationId":"auth-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("currency":"EUR","totalMinor":7400,"lines":[)"
           R"({"sku":"sku-red-mug","quantity":2,"unitPriceMinor":1250},)"
           R"({"sku":"sku-teapot","quantity":1,"unitPriceMinor":4900}],)"
           R"("customerReference":"PO-4711",)"
           R"("acceptedAt":"2026-11-30T19:00:00.000Z"})");
}

TEST_CASE("the bytes of OrderAccepted v2 are pinned") {
  CHECK(codec::accepted_data_v2(test::sample_order())
        == R"({"orderId":"ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("reservationId":"rsv-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("authorization":{"id":"auth-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("amountMinor":7400},"currency":"EUR","totalMinor":7400,"lines":[)"
           R"({"sku":"sku-red-mug","quantity":2,"unitPriceMinor":1250},)"
           R"({"sku":"sku-teapot","quantity":1,"unitPriceMinor":4900}],)"
           R"("customer":{"reference":"PO-4711"},)"
           R"("acceptedAt":"2026-11-30T19:00:00.000Z"})");
}

TEST_CASE("the bytes of OrderCancelled and OrderCompleted v1 are pinned") {
  const std::string pinned =
    R"({"orderId":"ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
    R"("reservationId":"rsv-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
    R"("at":"2026-11-30T19:05:00.000Z"})";
  const auto order = test::sample_order();
  CHECK(codec::cancelled_data(order, five_past_seven) == pinned);
  CHECK(codec::completed_data(order, five_past_seven) == pinned);
}

TEST_CASE("consumers read the facts that the order owner wrote") {
  const auto order = test::sample_order();
  const auto facts = codec::read_accepted(codec::accepted_data(order));
  REQUIRE(facts.ok());
  CHECK(facts->order_id == order.order_id);
  CHECK(facts->reservation_id == order.reservation_id);
  CHECK(facts->authorization_id == order.authorization.id);
  CHECK(facts->currency == order.currency);
  CHECK(facts->total_minor == order.total_minor);
  CHECK(facts->lines == order.lines);
  CHECK(facts->customer_reference == order.customer_reference);
  CHECK(facts->accepted_at == order.accepted_at());

  const auto closed =
    codec::read_closed(codec::cancelled_data(order, five_past_seven));
  REQUIRE(closed.ok());
  CHECK(closed->order_id == order.order_id);
  CHECK(closed->reservation_id == order.reservation_id);
  CHECK(closed->at == five_past_seven);
}

TEST_CASE("a hostile customer reference survives the way to a consumer") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    auto order = test::sample_order();
    do {
      order.customer_reference = test::hostile_text(random);
    } while (order.customer_reference.size() > 128);
    const auto facts = codec::read_accepted(codec::accepted_data(order));
    REQUIRE(facts.ok());
    REQUIRE(facts->customer_reference == order.customer_reference);
    const auto v2 = json::parse(codec::accepted_data_v2(order));
    REQUIRE(v2.contains("customer") == !order.customer_reference.empty());
    REQUIRE(v2.value("/customer/reference"_json_pointer, std::string())
            == order.customer_reference);
  }
}

TEST_CASE("an absent customer reference is left out") {
  auto order = test::sample_order();
  order.customer_reference.clear();
  const auto data = codec::accepted_data(order);
  CHECK(data.find("customerReference") == std::string::npos);
  CHECK(codec::read_accepted(data)->customer_reference.empty());
  CHECK(codec::accepted_data_v2(order).find("customer") == std::string::npos);
}

TEST_CASE("members of a later minor version are accepted") {
  auto data = json::parse(codec::accepted_data(test::sample_order()));
  data["giftWrap"] = {{"paper", "red"}};
  data["lines"][0]["weightGrams"] = 350;
  CHECK(refusal(data.dump()) == "accepted");
  auto closed =
    json::parse(codec::completed_data(test::sample_order(), five_past_seven));
  closed["reason"] = "delivered";
  CHECK(codec::read_closed(closed.dump()).ok());
}

TEST_CASE("what the facts need is required") {
  const auto sample = json::parse(codec::accepted_data(test::sample_order()));
  for (const auto& [name, value] : sample.items()) {
    auto without = sample;
    without.erase(name);
    CHECK(refusal(without.dump())
          == (name == "customerReference" ? "accepted" : name + " is missing"));
    auto wrong = sample;
    wrong[name] = true;
    CHECK(refusal(wrong.dump()).starts_with(name + " must be "));
  }
  auto broken_line = sample;
  broken_line["lines"][1]["quantity"] = 0;
  CHECK(refusal(broken_line.dump()).starts_with("lines[1].quantity must be"));
  // Version 2 is not version 1: an upcaster has to stand between.
  CHECK(refusal(codec::accepted_data_v2(test::sample_order()))
        == "authorizationId is missing");

  const auto closed =
    json::parse(codec::completed_data(test::sample_order(), five_past_seven));
  for (const auto& [name, value] : closed.items()) {
    auto without = closed;
    without.erase(name);
    const auto read = codec::read_closed(without.dump());
    REQUIRE_FALSE(read.ok());
    CHECK(read.why().code == failure::invalid_envelope);
    CHECK(read.why().detail == name + " is missing");
  }
}

TEST_CASE("the reservation of any order event is found by a scan") {
  const auto order = test::sample_order();
  for (const auto& data :
       {codec::accepted_data(order), codec::accepted_data_v2(order),
        codec::cancelled_data(order, five_past_seven),
        codec::completed_data(order, five_past_seven)}) {
    const auto named = codec::reservation_named_by(data);
    REQUIRE(named.ok());
    CHECK(*named == order.reservation_id);
  }
  for (const std::string data :
       {R"({})", R"({"reservationId":7})", R"({"reservationId":""})",
        R"({"reservationId":"a\"b"})",
        R"({"lines":[{"reservationId":"rsv-1"}]})"})
    CHECK(codec::reservation_named_by(data).why().code
          == failure::invalid_envelope);
}
