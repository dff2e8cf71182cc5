#include "codec/event_json.hpp"
#include "support/digest.hpp"
#include "tests/codec/samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace codec = parcelflow::codec;
namespace test = parcelflow::test;
using nlohmann::json;
using parcelflow::domain::envelope;
using parcelflow::domain::failure;

namespace {

std::string refusal(std::string_view bytes) {
  const auto decoded = codec::decode_event(bytes);
  if (decoded)
    return "accepted";
  CHECK(decoded.why().code == failure::invalid_envelope);
  return decoded.why().detail;
}

json sample() {
  return json::parse(codec::make_event(test::sample_envelope())->bytes);
}

/// The refusal of the sample with one member replaced.
std::string refusal_with(const char* name, json value) {
  auto changed = sample();
  changed[name] = std::move(value);
  return refusal(changed.dump());
}

} // namespace

TEST_CASE("the bytes of an event are pinned") {
  const auto made = codec::make_event(test::sample_envelope());
  CHECK(made->bytes
        == R"({"eventId":"evt-01KB9V6W2S8Q4M7T3X5Z1N0C8E-1",)"
           R"("eventType":"OrderAccepted","eventVersion":1,"tenantId":"acme",)"
           R"("aggregateId":"ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("aggregateSequence":1,"occurredAt":"2026-11-30T19:00:00.000Z",)"
           R"("traceId":"4bf92f3577b34da6a3ce929d0e0e4736",)"
           R"("traceparent":)"
           R"("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",)"
           R"("data":{"orderId":"ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("reservationId":"rsv-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("authorizationId":"auth-01KB9V6W2S8Q4M7T3X5Z1N0C8E",)"
           R"("currency":"EUR","totalMinor":7400,"lines":[)"
           R"({"sku":"sku-red-mug","quantity":2,"unitPriceMinor":1250},)"
           R"({"sku":"sku-teapot","quantity":1,"unitPriceMinor":4900}],)"
           R"("customerReference":"PO-4711",)"
           R"("acceptedAt":"2026-11-30T19:00:00.000Z"}})");
}

TEST_CASE("the digest of an event is pinned") {
  // Computed by another program from the layout in digest_input.hpp.
  CHECK(parcelflow::support::hex(codec::digest_of(test::sample_envelope()))
        == "1e9f8f3e445966bf7f01fad8999c0420fbfdbf144a6c27217444f28a24bed157");
}

TEST_CASE("what was made decodes to the same event") {
  const auto made = codec::make_event(test::sample_envelope());
  const auto decoded = codec::decode_event(made->bytes);
  REQUIRE(decoded.ok());
  CHECK((*decoded)->envelope == made->envelope);
  CHECK((*decoded)->bytes == made->bytes);
  CHECK((*decoded)->digest == made->digest);
}

TEST_CASE("data with hostile texts keeps its bytes and its digest") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    auto of = test::sample_envelope();
    auto data = json::object();
    data[test::hostile_text(random)] = test::hostile_value(random, 4);
    of.data = data.dump(static_cast<int>(random() % 3) - 1);
    of.traceparent.clear();
    const auto made = codec::make_event(of);
    const auto decoded = codec::decode_event(made->bytes);
    REQUIRE_MESSAGE(decoded.ok(), made->bytes);
    REQUIRE((*decoded)->envelope == of);
    REQUIRE((*decoded)->digest == made->digest);
  }
}

TEST_CASE("the digest depends on every field of the fact, not on the trace") {
  const auto sample = test::sample_envelope();
  const auto digest = codec::digest_of(sample);
  const auto differs = [&](auto change) {
    auto changed = sample;
    change(changed);
    return codec::digest_of(changed) != digest;
  };
  CHECK(differs([](envelope& of) { of.event_id += "0"; }));
  CHECK(differs([](envelope& of) { of.event_type = "OrderCancelled"; }));
  CHECK(differs([](envelope& of) { of.event_version = 2; }));
  CHECK(differs([](envelope& of) { of.tenant_id = "globex"; }));
  CHECK(differs([](envelope& of) { of.aggregate_id += "0"; }));
  CHECK(differs([](envelope& of) { of.aggregate_sequence = 2; }));
  CHECK(differs([](envelope& of) { of.occurred_at[0] = '3'; }));
  CHECK(differs([](envelope& of) { of.data.insert(1, " "); }));
  CHECK(differs([](envelope& of) {
    of.tenant_id += of.aggregate_id.front(); // a byte moves to its neighbour
    of.aggregate_id.erase(0, 1);
  }));
  CHECK_FALSE(differs([](envelope& of) { of.trace_id[0] = '0'; }));
  CHECK_FALSE(differs([](envelope& of) { of.traceparent.clear(); }));
}

TEST_CASE("unknown members and odd white space are kept as received") {
  const std::string bytes =
    " {\"later\": [1], \"d\\u0061ta\" : { \"x\" : 1.0 } "
    ",\n\"eventId\":\"evt-701\","
    "\"eventType\":\"OrderAccepted\",\"eventVersion\":1,\"tenantId\":\"acme\","
    "\"aggregateId\":\"order-42\",\"aggregateSequence\":9223372036854775807,"
    "\"occurredAt\":\"2026-11-30T19:00:00Z\","
    "\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\"} ";
  const auto decoded = codec::decode_event(bytes);
  REQUIRE(decoded.ok());
  CHECK((*decoded)->bytes == bytes);
  CHECK((*decoded)->envelope.data == "{ \"x\" : 1.0 }");
  CHECK((*decoded)->envelope.aggregate_sequence == 9223372036854775807U);
  CHECK((*decoded)->envelope.traceparent.empty());
}

TEST_CASE("every member but traceparent must be there") {
  const auto whole = sample();
  for (const auto& [name, value] : whole.items()) {
    auto without = sample();
    without.erase(name);
    CHECK(refusal(without.dump())
          == (name == "traceparent" ? "accepted" : name + " is missing"));
  }
}

TEST_CASE("a member of the wrong type is refused by name") {
  const auto whole = sample();
  for (const auto& [name, value] : whole.items()) {
    const json wrong = name == "data" ? json("text") : json::object();
    CHECK(refusal_with(name.c_str(), wrong).starts_with(name + " must be "));
    CHECK(refusal_with(name.c_str(), nullptr).starts_with(name + " must be "));
  }
  CHECK(refusal("[]") == "the text must be a JSON object");
  CHECK(refusal_with("eventVersion", 1.0).starts_with("eventVersion must be"));
  CHECK(refusal_with("eventVersion", "1").starts_with("eventVersion must be"));
}

TEST_CASE("a member out of its range is refused, saying the range") {
  CHECK(refusal_with("eventVersion", 0)
        == "eventVersion must be an integer from 1 to 4294967295");
  CHECK(refusal_with("eventVersion", 4294967296) != "accepted");
  CHECK(refusal_with("aggregateSequence", 0)
        == "aggregateSequence must be an integer from 1 to "
           "9223372036854775807");
  CHECK(refusal_with("aggregateSequence", -1) != "accepted");
  CHECK(refusal_with("aggregateSequence", 9223372036854775808U) != "accepted");
  CHECK(refusal_with("tenantId", "Acme")
        == "tenantId must be a tenant name: 1 to 63 characters of a-z 0-9 -");
  for (const char* name : {"eventId", "eventType", "aggregateId"}) {
    CHECK(refusal_with(name, std::string(128, 'x')) == "accepted");
    CHECK(refusal_with(name, std::string(129, 'x'))
          == std::string(name)
               + " must be 1 to 128 characters of A-Z a-z 0-9 . _ : -");
    CHECK(refusal_with(name, "") != "accepted");
    CHECK(refusal_with(name, "a/b") != "accepted");
  }
}

TEST_CASE("time and trace are of one form only") {
  CHECK(refusal_with("occurredAt", "2026-11-30T19:00:00+00:00")
        == "occurredAt must be an RFC 3339 instant in UTC, such as "
           "2026-11-30T19:00:00.000Z");
  CHECK(refusal_with("traceId", "4BF92F3577B34DA6A3CE929D0E0E4736")
        == "traceId must be 32 lower-case hex digits");
  CHECK(refusal_with("traceparent", "")
        == "traceparent must be a W3C "
           "traceparent");
  CHECK(refusal_with("traceId", "00000000000000000000000000000001")
        == "traceparent must name the trace of traceId");
}

TEST_CASE("an event that is cut anywhere is refused") {
  const auto bytes = codec::make_event(test::sample_envelope())->bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    REQUIRE_MESSAGE(refusal(bytes.substr(0, size)) != "accepted", size);
}

TEST_CASE("a damaged byte is refused or shows in the envelope") {
  const auto made = codec::make_event(test::sample_envelope());
  for (std::size_t at = 0; at < made->bytes.size(); ++at) {
    for (const char damage : {'\0', '"', '}', '\xFF', '7'}) {
      if (made->bytes[at] == damage)
        continue;
      auto bytes = made->bytes;
      bytes[at] = damage;
      const auto decoded = codec::decode_event(bytes);
      if (!decoded)
        continue;
      REQUIRE(damage != '\0');
      REQUIRE(damage != '\xFF');
      REQUIRE((*decoded)->envelope != made->envelope);
    }
  }
}

TEST_CASE("an envelope above the limits is an invalid envelope") {
  const auto bytes = codec::make_event(test::sample_envelope())->bytes;
  const auto large = codec::decode_event(bytes, {.json = {.bytes_max = 100}});
  REQUIRE_FALSE(large.ok());
  CHECK(large.why().code == failure::invalid_envelope);
  const auto deep = codec::decode_event(bytes, {.json = {.depth_max = 2}});
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.why().code == failure::invalid_envelope);
}
