// docs/events against the code: what consumers are promised and what is written
// must not drift apart.
#include "codec/event_json.hpp"
#include "codec/order_json.hpp"
#include "tests/codec/samples.hpp"
#include "tests/codec/schema_check.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace codec = parcelflow::codec;
namespace test = parcelflow::test;
using nlohmann::json;

namespace {

std::string text_of(const std::string& file) {
  const char* root = std::getenv("PARCELFLOW_SOURCE_DIR");
  std::ifstream in(std::string(root != nullptr ? root : ".") + "/docs/events/"
                   + file);
  REQUIRE_MESSAGE(in.good(), file);
  return {std::istreambuf_iterator<char>(in), {}};
}

json schema(const std::string& name) {
  return json::parse(text_of(name + ".schema.json"));
}

std::string joined(const std::vector<std::string>& findings) {
  std::string all;
  for (const auto& finding : findings)
    all += finding + "\n";
  return all;
}

/// What an encoded event of that type and data breaks; empty if nothing.
std::string broken(const std::string& schema_name, const char* type,
                   std::uint32_t version, std::string data) {
  auto of = test::sample_envelope();
  of.event_type = type;
  of.event_version = version;
  of.data = std::move(data);
  const auto event = json::parse(codec::make_event(of)->bytes);
  return joined(test::violations(schema("envelope"), event))
         + joined(test::violations(schema(schema_name), event["data"]));
}

} // namespace

TEST_CASE("every example decodes and matches the schemas") {
  for (const std::string name : {"order-accepted.v1", "order-accepted.v2",
                                 "order-cancelled.v1", "order-completed.v1"}) {
    const auto text = text_of("examples/" + name + ".json");
    const auto decoded = codec::decode_event(text);
    REQUIRE_MESSAGE(decoded.ok(), name);
    CHECK(
      joined(test::violations(schema("envelope"), json::parse(text))).empty());
    CHECK(joined(test::violations(schema(name),
                                  json::parse((*decoded)->envelope.data)))
            .empty());
  }
}

TEST_CASE("the examples are what consumers read") {
  const auto data_of = [](const std::string& name) {
    const auto decoded = codec::decode_event(text_of("examples/" + name));
    REQUIRE_MESSAGE(decoded.ok(), name);
    return (*decoded)->envelope.data;
  };
  const auto accepted = codec::read_accepted(data_of("order-accepted.v1.json"));
  REQUIRE(accepted.ok());
  CHECK(accepted->lines == test::sample_order().lines);
  CHECK(codec::read_accepted(data_of("envelope.json")).ok());
  CHECK(codec::read_closed(data_of("order-cancelled.v1.json")).ok());
  CHECK(codec::read_closed(data_of("order-completed.v1.json")).ok());
}

TEST_CASE("an example with foreign ids and unknown members is an envelope") {
  const auto text = text_of("examples/envelope.json");
  const auto decoded = codec::decode_event(text);
  REQUIRE(decoded.ok());
  CHECK((*decoded)->bytes == text);
  CHECK(parcelflow::domain::form_of((*decoded)->envelope)
        == parcelflow::domain::id_form::foreign);
  CHECK(
    joined(test::violations(schema("envelope"), json::parse(text))).empty());
}

TEST_CASE("what is encoded matches its schema") {
  auto order = test::sample_order();
  for (const std::string reference : {"PO-4711", ""}) {
    order.customer_reference = reference;
    CHECK(broken("order-accepted.v1", "OrderAccepted", 1,
                 codec::accepted_data(order))
          == "");
    CHECK(broken("order-accepted.v2", "OrderAccepted", 2,
                 codec::accepted_data_v2(order))
          == "");
  }
  CHECK(broken("order-cancelled.v1", "OrderCancelled", 1,
               codec::cancelled_data(order, 1))
        == "");
  CHECK(broken("order-completed.v1", "OrderCompleted", 1,
               codec::completed_data(order, 1))
        == "");
}

TEST_CASE("every member that is encoded is described") {
  const auto undescribed = [](const json& of, const json& value) {
    std::string names;
    for (const auto& [name, ignored] : value.items())
      if (!of["properties"].contains(name))
        names += name + " ";
    return names;
  };
  const auto order = test::sample_order();
  const auto event =
    json::parse(codec::make_event(test::sample_envelope())->bytes);
  CHECK(undescribed(schema("envelope"), event) == "");
  CHECK(undescribed(schema("order-accepted.v1"), event["data"]) == "");
  CHECK(undescribed(schema("order-accepted.v1")["properties"]["lines"]["items"],
                    event["data"]["lines"][0])
        == "");
  CHECK(undescribed(schema("order-accepted.v2"),
                    json::parse(codec::accepted_data_v2(order)))
        == "");
  CHECK(undescribed(schema("order-cancelled.v1"),
                    json::parse(codec::cancelled_data(order, 1)))
        == "");
}

TEST_CASE("a schema refuses what the decoder refuses") {
  const auto sample =
    json::parse(codec::make_event(test::sample_envelope())->bytes);
  const auto both_refuse = [&](const char* name, json value) {
    auto changed = sample;
    changed[name] = std::move(value);
    return !codec::decode_event(changed.dump()).ok()
           && !test::violations(schema("envelope"), changed).empty();
  };
  CHECK(both_refuse("eventId", "a/b"));
  CHECK(both_refuse("eventVersion", 0));
  CHECK(both_refuse("eventVersion", 4294967296));
  CHECK(both_refuse("tenantId", "Acme"));
  CHECK(both_refuse("aggregateSequence", "1"));
  CHECK(both_refuse("occurredAt", "yesterday"));
  CHECK(both_refuse("traceId", "4BF9"));
  CHECK(both_refuse("traceparent", ""));
  CHECK(both_refuse("data", json::array()));
  const auto required = schema("envelope")["required"];
  for (const auto& name : required) {
    auto without = sample;
    without.erase(name.get<std::string>());
    CHECK_FALSE(codec::decode_event(without.dump()).ok());
  }
}

TEST_CASE("the schema judge sees each kind of violation") {
  const auto findings = [](const char* rule, const char* value) {
    return test::violations(json::parse(rule), json::parse(value)).size();
  };
  CHECK(findings(R"({"type":"object","required":["a"]})", "{}") == 1);
  CHECK(findings(R"({"properties":{"a":{"minimum":2}}})", R"({"a":1})") == 1);
  CHECK(findings(R"({"items":{"maximum":1}})", "[1,2,3]") == 2);
  CHECK(findings(R"({"minItems":2,"maxItems":3})", "[1]") == 1);
  CHECK(findings(R"({"maxItems":1})", "[1,2]") == 1);
  CHECK(findings(R"({"maxLength":1})", R"("é")") == 0);
  CHECK(findings(R"({"maxLength":1})", R"("ab")") == 1);
  CHECK(findings(R"({"pattern":"^a$"})", R"("b")") == 1);
  CHECK(findings(R"({"type":"integer"})", "1.0") == 1);
  CHECK(findings(R"({"title":"t","oneOf":[]})", "1") == 1);
}
