#include "codec/strict_json.hpp"
#include "codec/view_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace parcelflow;
using namespace std::string_literals;
using domain::role;
using domain::stage_state;

namespace {

const codec::cursor_sealer veil(std::string(32, 'k'));

codec::viewer seen_by(role granted) {
  return {granted, &veil};
}

domain::order an_order() {
  domain::order of;
  of.tenant_id = "acme";
  of.order_id = "ord-1";
  of.idempotency_key = "key \"1\"";
  of.reservation_id = "rsv-1";
  of.authorization = {"aut-1", 2500, 1'800'000'000'000, 0};
  of.lines = {{"sku-1", 2, 1250}};
  of.currency = "EUR";
  of.total_minor = 2500;
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.steps = {{domain::order_state::accepted, 1, 7, 1'800'000'000'000}};
  return of;
}

domain::order_evidence some_evidence() {
  domain::order_evidence of;
  of.view.order = an_order();
  domain::event_evidence event;
  event.event_id = "evt-1-1";
  event.outbox_position = 7;
  event.receipt = domain::publication{1'800'000'000'005, "4711", 1};
  of.events = {event};
  domain::consumer_evidence consumer;
  consumer.consumer = "fulfillment-v1";
  consumer.waiting = {domain::wait_cause::retry, 1'800'000'000'006, 1};
  consumer.rolled_back = {{1'800'000'000'006, "no luck"}};
  consumer.dead_letter_id = "dl-1";
  of.consumers = {consumer};
  of.dead_letter_ids = {"dl-1"};
  return of;
}

nlohmann::json parsed(const std::string& text) {
  auto value = codec::parse_strict(text);
  REQUIRE_MESSAGE(value.ok(), text);
  return *value;
}

} // namespace

TEST_CASE("the answer to a placed order has these bytes for ever") {
  CHECK(codec::placed_json(an_order())
        == R"({"orderId":"ord-1","state":"accepted",)"
           R"("acceptedAt":"2027-01-15T08:00:00.000Z","totalMinor":2500,)"
           R"("currency":"EUR","reservationId":"rsv-1",)"
           R"("links":{"self":"/v1/orders/ord-1",)"
           R"("cancel":"/v1/orders/ord-1/cancel",)"
           R"("complete":"/v1/orders/ord-1/complete",)"
           R"("evidence":"/v1/orders/ord-1/evidence"}})");
}

TEST_CASE("a later step of the order does not change the first answer") {
  auto later = an_order();
  later.steps.push_back(
    {domain::order_state::cancelled, 2, 8, 1'800'000'001'000});
  later.authorization.voided_at = 1'800'000'001'000;
  CHECK(codec::placed_json(later) == codec::placed_json(an_order()));
}

TEST_CASE("a stage speaks to customers; its dead letter to responders") {
  domain::order_view view;
  view.order = an_order();
  view.progress.fulfillment_started.state = stage_state::held;
  view.progress.fulfillment_started.since = 1'800'000'000'009;
  view.progress.fulfillment_started.dead_letter_id = "dl-secret";
  const auto customer = codec::order_json(view, seen_by(role::tenant_operator));
  CHECK(customer.find("dl-secret") == std::string::npos);
  const auto stage = parsed(customer)["progress"]["fulfillmentStarted"];
  CHECK(stage["state"] == "held");
  CHECK(stage["message"] == "on hold; our operations team has been told");
  CHECK(parsed(codec::order_json(
          view,
          seen_by(
            role::responder)))["progress"]["fulfillmentStarted"]["deadLetterId"]
        == "dl-secret");
}

TEST_CASE("log positions are hashed for everyone but an admin") {
  codec::evidence_frame frame;
  frame.counts = {{"fulfillment-v1", 3, 5}};
  const auto of = some_evidence();
  const auto tenant =
    parsed(codec::evidence_json(of, frame, seen_by(role::responder)));
  CHECK(tenant["events"][0]["outboxPosition"] == veil.veil("7"));
  CHECK(tenant["events"][0]["publicationReceipt"]["brokerMessageId"]
        == veil.veil("4711"));
  const auto admin =
    parsed(codec::evidence_json(of, frame, seen_by(role::admin)));
  CHECK(admin["events"][0]["outboxPosition"] == "7");
  CHECK(admin["events"][0]["publicationReceipt"]["brokerMessageId"] == "4711");
  const auto& consumer = admin["consumers"][0];
  CHECK(consumer["rolledBackTransactions"]["thisEvent"] == 1);
  CHECK(consumer["rolledBackTransactions"]["thisProcess"] == 3);
  CHECK(consumer["rolledBackTransactions"]["lastCause"] == "no luck");
  CHECK(consumer["duplicateAcknowledgements"] == 5);
}

TEST_CASE("an operator sees neither causes nor dead letters in evidence") {
  const auto text =
    codec::evidence_json(some_evidence(), {}, seen_by(role::tenant_operator));
  CHECK(text.find("dl-1") == std::string::npos);
  CHECK(text.find("no luck") == std::string::npos);
}

TEST_CASE("a dead letter is shown without its payload") {
  domain::dead_letter_evidence of;
  of.letter.steps = {{domain::dead_letter_state::open, "system", "", 1}};
  of.letter.payload = "canary";
  of.payload_bytes = 6;
  of.redirected_to = "fulfillment-v2";
  const auto text = codec::dead_letter_json(of, {});
  CHECK(text.find("canary") == std::string::npos);
  const auto shown = parsed(text);
  CHECK(shown["payload"]["bytes"] == 6);
  CHECK(shown["payload"]["expired"] == false);
  CHECK(shown["payloadSha256"].get<std::string>().size() == 64);
  CHECK(shown["redirectedTo"] == "fulfillment-v2");
  of.payload_bytes.reset();
  CHECK(parsed(codec::dead_letter_json(of, {}))["payload"].dump()
        == R"({"expired":true})");
  for (const auto& other : {codec::dead_letter_json(of.letter),
                            codec::dead_letter_row_json(of.letter)})
    CHECK(other.find("canary") == std::string::npos);
}

TEST_CASE("a list without a next page has no cursor") {
  CHECK(codec::list_json({}, {}) == R"({"items":[]})");
  CHECK(codec::list_json({"1"}, "c", 7)
        == R"({"items":[1],"total":7,"nextCursor":"c"})");
  CHECK(codec::list_json({"1", "2"}, "c")
        == R"({"items":[1,2],"nextCursor":"c"})");
}
