// Use case 2 by HTTP: evidence, dead letters, and that no tenant sees
// another's.
#include "codec/filter_text.hpp"
#include "domain/dead_letter.hpp"
#include "tests/app/api_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace parcelflow;
using test::api_world;

namespace {

/// An order of acme whose acceptance nobody supports: held everywhere.
struct stuck {
  stuck()
    : at([](app::config& settings) {
        settings.order.accepted_version = {{"acme", 2}};
      }) {
    at.engine.stock("acme", "sku-1", 10);
    order_id = at.accepted("op", "k");
    at.engine.pass(1000);
    const auto page = api_world::json(at.get("resp", "/v1/dead-letters?cause="
                                                     "UNSUPPORTED_VERSION"));
    REQUIRE(page["items"].size() >= 1);
    dead_letter_id = page["items"][0]["deadLetterId"];
  }
  api_world at;
  std::string order_id;
  std::string dead_letter_id;
};

/// Everything that must be the same: all but the random span.
std::string bytes_of(const http::response& of) {
  std::string bytes = std::to_string(of.status) + '\n';
  for (const auto& [name, value] : of.headers)
    bytes += name + ": " + (name == "traceparent" ? "" : value) + '\n';
  return bytes + of.body;
}

} // namespace

TEST_CASE("a foreign object is a missing one, in every byte") {
  stuck here;
  here.at.engine.stock("globex", "sku-1", 10);
  const struct {
    std::string method;
    std::string before;
    std::string id;
    std::string after;
  } objects[] = {
    {"GET", "/v1/orders/", here.order_id, ""},
    {"GET", "/v1/orders/", here.order_id, "/evidence"},
    {"POST", "/v1/orders/", here.order_id, "/cancel"},
    {"POST", "/v1/orders/", here.order_id, "/complete"},
    {"GET", "/v1/dead-letters/", here.dead_letter_id, ""},
    {"GET", "/v1/orders?idempotency_key=", "k", ""},
    {"GET", "/v1/orders?event_id=", "evt-" + here.order_id.substr(4) + "-1",
     ""},
  };
  for (const auto& one : objects) {
    const auto path = one.before + one.id + one.after;
    CAPTURE(path);
    const auto foreign = here.at.send("other", one.method, path);
    const auto missing =
      here.at.send("other", one.method, one.before + "none" + one.after);
    CHECK(bytes_of(foreign) == bytes_of(missing));
    CHECK(foreign.body.find(one.id) == std::string::npos);
    // The control: it is there for its own tenant.
    if (one.method == "GET")
      CHECK(here.at.send("resp", one.method, path).body != foreign.body);
  }
  CHECK(here.at.engine.order("acme", here.order_id)->state()
        == domain::order_state::accepted);
  CHECK(here.at.get("other", "/v1/orders").body == R"({"items":[]})");
  CHECK(here.at.get("resp", "/v1/orders").body != R"({"items":[]})");
  CHECK(here.at.get("other", "/v1/dead-letters").body
        == R"({"items":[],"total":0})");
  CHECK(here.at.get("resp", "/v1/dead-letters").body
        != R"({"items":[],"total":0})");
  here.at.engine.stock("acme", "sku-7", 1);
  CHECK(bytes_of(here.at.get("other", "/v1/inventory/sku-7"))
        == bytes_of(here.at.get("other", "/v1/inventory/none")));
}

TEST_CASE("a foreign key may be used, and makes an order of one's own") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  at.engine.stock("globex", "sku-1", 10);
  CHECK(at.accepted("op", "k") != at.accepted("other", "k"));
}

TEST_CASE("what is held says so to the customer and names the letter to us") {
  stuck here;
  const auto path = "/v1/orders/" + here.order_id;
  const auto customer = api_world::json(here.at.get("op", path));
  const auto& stage = customer["progress"]["fulfillmentStarted"];
  CHECK(stage["state"] == "held");
  CHECK_FALSE(stage.contains("deadLetterId"));
  const auto ours = api_world::json(here.at.get("resp", path));
  CHECK(ours["progress"]["fulfillmentStarted"].contains("deadLetterId"));
  here.at.engine.pass(1000);
  CHECK(api_world::json(
          here.at.get("op", "/v1/orders?not_finished_for=1s"))["items"]
          .size()
        == 1);
}

TEST_CASE("a dead letter tells of its payload and does not show it") {
  stuck here;
  const auto path = "/v1/dead-letters/" + here.dead_letter_id;
  CHECK(api_world::problem(here.at.get("op", path)) == "403 forbidden");
  const auto letter = api_world::json(here.at.get("resp", path));
  CHECK(letter["cause"] == "UNSUPPORTED_VERSION");
  CHECK(letter["scope"] == "acme");
  CHECK(letter["expectedSequence"] == 1);
  CHECK(letter["eventVersion"] == 2);
  for (const auto* name :
       {"eventId", "deadLetterId", "observedSequence", "actor", "environment",
        "firstSeen", "lastSeen", "replayIds", "resultingEffect", "control",
        "streamPosition", "attempts", "traceId"})
    CHECK_MESSAGE(letter.contains(name), name);
  CHECK(letter["payload"]["expired"] == false);
  CHECK(letter["payload"]["bytes"] > 100);
  CHECK(letter["payloadSha256"].get<std::string>().size() == 64);
  CHECK(letter.dump().find("occurredAt") == std::string::npos);
}

TEST_CASE("a payload leaves only after the look is in the operator log") {
  stuck here;
  const auto path = "/v1/dead-letters/" + here.dead_letter_id;
  CHECK(api_world::problem(here.at.get("op", path + "/payload"))
        == "403 forbidden");
  const auto before =
    api_world::json(here.at.get("resp", "/v1/operator-log"))["items"].size();
  const auto waits = here.at.start("resp", "GET", path + "/payload");
  CHECK_FALSE(waits->has_value()); // the log is not durable yet
  here.at.engine.run();
  REQUIRE(waits->has_value());
  const auto& payload = **waits;
  CHECK(payload.status == 200);
  CHECK(api_world::header(payload, "Content-Type")
        == "application/octet-stream");
  CHECK(api_world::header(payload, "Cache-Control") == "no-store");
  const auto letter = api_world::json(here.at.get("resp", path));
  CHECK(letter["payload"]["bytes"] == payload.body.size());
  CHECK(letter["payloadSha256"]
        == support::hex(support::sha256_of(payload.body)));
  CHECK(nlohmann::json::parse(payload.body)["aggregateId"] == here.order_id);
  const auto log =
    api_world::json(here.at.get("resp", "/v1/operator-log"))["items"];
  REQUIRE(log.size() == before + 1);
  CHECK(log[0]["verb"] == "look");
  CHECK(log[0]["actor"] == "tok-resp");
  CHECK(log[0]["target"] == here.dead_letter_id);
  CHECK(log[0].dump().find(here.order_id) == std::string::npos);
  // What is not there, or not theirs, is not looked at.
  const auto foreign = here.at.get("other", path + "/payload");
  CHECK(bytes_of(foreign)
        == bytes_of(here.at.get("other", "/v1/dead-letters/none/payload")));
  CHECK(foreign.status == 404);
  CHECK(here.at.get("other", "/v1/operator-log").body == R"({"items":[]})");
}

TEST_CASE("dead letters are listed with filter and cursor") {
  stuck here;
  const auto all =
    api_world::json(here.at.get("resp", "/v1/dead-letters"))["items"];
  REQUIRE(all.size() >= 2); // fulfillment's and notification's at least
  const auto first =
    api_world::json(here.at.get("resp", "/v1/dead-letters?limit=1"));
  CHECK(first["items"][0] == all[0]);
  const std::string cursor = first["nextCursor"];
  const auto second = api_world::json(
    here.at.get("resp", "/v1/dead-letters?limit=1&cursor=" + cursor));
  CHECK(second["items"][0] == all[1]);
  CHECK(api_world::problem(
          here.at.get("resp", "/v1/dead-letters?state=open&cursor=" + cursor))
        == "400 invalid_request");
  const auto of_one = api_world::json(
    here.at.get("resp", "/v1/dead-letters?state=open&consumer=fulfillment-v1"));
  REQUIRE(of_one["items"].size() == 1);
  CHECK(of_one["items"][0]["consumer"] == "fulfillment-v1");
  CHECK(of_one["total"] == 1);
}

TEST_CASE("dead letters are listed by every term, with a total that fits") {
  stuck here;
  const auto letter =
    api_world::json(here.at.get("resp", "/v1/dead-letters"))["items"][0];
  const auto value = [&](const char* name) {
    return letter[name].get<std::string>();
  };
  const std::string found[] = {
    "state=open",
    "cause=UNSUPPORTED_VERSION",
    "consumer=" + value("consumer"),
    "type=OrderAccepted",
    "version=2",
    "order=" + here.order_id,
    "since=1h",
    "until=" + support::to_rfc3339(here.at.engine.clock.now() + 1),
    "text=" + value("eventId"),
  };
  REQUIRE(std::size(found) == codec::filter_names().size());
  for (std::size_t i = 0; i < std::size(found); ++i) {
    const auto& term = found[i];
    CAPTURE(term);
    CHECK(term.starts_with(std::string(codec::filter_names()[i]) + "="));
    const auto page =
      api_world::json(here.at.get("resp", "/v1/dead-letters?" + term));
    CHECK(page["total"] >= 1);
    CHECK(page["total"] == page["items"].size());
  }
  for (const auto* none :
       {"state=waived", "cause=STALE", "consumer=nobody", "type=Other",
        "version=7", "order=ord-none", "since=0s", "until=2001-01-01T00:00:00Z",
        "text=nowhere"})
    CHECK(here.at.get("resp", "/v1/dead-letters?" + std::string(none)).body
          == R"({"items":[],"total":0})");
  for (const auto* bad :
       {"state=gone", "cause=stale", "consumer=", "version=-1", "since=soon",
        "until=1970-01-01T00:00:00Z", "text=%01", "tenant=acme"})
    CHECK(api_world::problem(
            here.at.get("resp", "/v1/dead-letters?" + std::string(bad)))
          == "400 invalid_request");
}

TEST_CASE("evidence names everything that it must, each by its own name") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto id = at.accepted("resp", "k");
  at.engine.pass(1000);
  const auto shown =
    api_world::json(at.get("resp", "/v1/orders/" + id + "/evidence"));
  for (const auto* path : {"/actor",
                           "/tenant",
                           "/orderId",
                           "/environment",
                           "/commitTime",
                           "/traceId",
                           "/expectedStates/order",
                           "/observedStates/order",
                           "/expectedStates/reservation",
                           "/observedStates/reservation",
                           "/events/0/eventId",
                           "/events/0/aggregateSequence",
                           "/events/0/commitTime",
                           "/events/0/traceId",
                           "/events/0/publicationReceipt/publishedAt",
                           "/events/0/publicationReceipt/brokerMessageId",
                           "/events/0/unpublishedAgeMs",
                           "/events/0/publishAttempts",
                           "/consumers/0/streamPosition",
                           "/consumers/0/inbox/0/inboxId",
                           "/consumers/0/rolledBackTransactions/thisEvent",
                           "/consumers/0/rolledBackTransactions/thisProcess",
                           "/consumers/0/duplicateAcknowledgements",
                           "/countedSince",
                           "/fulfillmentId",
                           "/notificationId",
                           "/deadLetterIds"})
    CHECK_MESSAGE(shown.contains(nlohmann::json::json_pointer(path)), path);
  CHECK(shown["actor"] == "tok-resp");
  CHECK(shown["environment"] == "test");
  CHECK(shown["fulfillmentId"] == "ful-" + id);
  CHECK(shown["notificationId"] == "ntf-" + id + "-order_confirmation");
  CHECK(shown["expectedStates"]["reservation"]
        == shown["observedStates"]["reservation"]);
  CHECK(shown["events"][0]["unpublishedAgeMs"] == 0);
  CHECK(shown["consumers"].size() == 3);
  for (const auto& consumer : shown["consumers"])
    CHECK(consumer["streamPosition"] == 1);
}

TEST_CASE("evidence counts the duplicates that were acknowledged") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto id = at.accepted("resp", "k");
  at.engine.pass(1000);
  const auto duplicates = [&] {
    return api_world::json(at.get(
      "resp", "/v1/orders/" + id
                + "/evidence"))["consumers"][0]["duplicateAcknowledgements"]
      .get<int>();
  };
  const int before = duplicates();
  const auto row = at.engine.it->store().read().get(
    storage::owner::order, storage::outbox_key(storage::the_lane, 1));
  REQUIRE(row.has_value());
  const auto event = codec::decode_event(storage::decode_outbox(*row)->bytes);
  REQUIRE(event.ok());
  at.engine.publish({(*event)->envelope});
  at.engine.pass(1000);
  CHECK(duplicates() == before + 1);
}

TEST_CASE("an admin reads and closes what belongs to no tenant") {
  api_world at;
  const auto waive = [&](const char* who, std::string_view scope) {
    return api_world::problem(
      at.send(who, "POST", "/v1/dead-letters/dl-1/waive",
              {{"Parcelflow-Tenant", std::string(scope)}},
              R"({"reason":"no producer of ours"})"));
  };
  CHECK(waive("root", domain::unattributed_tenant) == "404 not_found");
  CHECK(waive("root", "_control") == "403 forbidden");
  CHECK(waive("resp", domain::unattributed_tenant) == "403 forbidden");
  CHECK(api_world::problem(at.send("root", "POST", "/v1/pauses",
                                   {{"Parcelflow-Tenant", "~unattributed"}},
                                   R"({"scope":"tenant","reason":"x"})"))
        == "403 forbidden");
  CHECK(
    at.send("root", "GET", "/v1/dead-letters",
            {{"Parcelflow-Tenant", std::string(domain::unattributed_tenant)}})
      .status
    == 200);
  CHECK(api_world::problem(at.send(
          "resp", "GET", "/v1/dead-letters",
          {{"Parcelflow-Tenant", std::string(domain::unattributed_tenant)}}))
        == "403 forbidden");
}
