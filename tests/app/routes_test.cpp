// Use case 1 by HTTP: what a tenant's operator sees, and what is refused.
#include "tests/app/api_world.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace parcelflow;
using test::api_world;

TEST_CASE("an order is accepted with a place to look at it") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto answer = at.place("op", "\"key 1\"");
  CHECK(answer.status == 201);
  const auto body = api_world::json(answer);
  const std::string id = body["orderId"];
  CHECK(api_world::header(answer, "Location") == "/v1/orders/" + id);
  CHECK(body["state"] == "accepted");
  CHECK(body["totalMinor"] == 1250);
  CHECK(api_world::header(answer, "Idempotency-Replayed").empty());
  CHECK(at.engine.order("acme", id)->idempotency_key == "key 1");
}

TEST_CASE("a repeated key gets the first answer, byte for byte") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto first = at.place("op", "k");
  const std::string id = api_world::json(first)["orderId"];
  at.engine.pass(1000);
  REQUIRE(at.send("op", "POST", "/v1/orders/" + id + "/cancel").status == 200);
  at.engine.close();
  at.engine.start();
  at.serve();
  const auto again = at.place("op", "\"k\"");
  CHECK(again.status == 201);
  CHECK(again.body == first.body);
  CHECK(api_world::header(again, "Location")
        == api_world::header(first, "Location"));
  CHECK(api_world::header(again, "Idempotency-Replayed") == "true");
}

TEST_CASE("a repeat while the first is in flight joins it") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  auto one = at.start("op", "POST", "/v1/orders", {{"Idempotency-Key", "k"}},
                      api_world::body_of());
  auto two = at.start("op", "POST", "/v1/orders", {{"Idempotency-Key", "k"}},
                      api_world::body_of());
  at.engine.run();
  REQUIRE(one->has_value());
  REQUIRE(two->has_value());
  CHECK((*one)->body == (*two)->body);
}

TEST_CASE("each refusal of an order has its status and its type") {
  api_world at(
    [](app::config& settings) { settings.order.inflight_orders_max = 1; });
  at.engine.stock("acme", "sku-1", 1);
  const auto refused = [&](const std::string& body) {
    return api_world::problem(
      at.send("op", "POST", "/v1/orders", {{"Idempotency-Key", "no"}}, body));
  };
  CHECK(refused(api_world::body_of("tok_ok", 1, "sku-2")) == "422 unknown_sku");
  CHECK(refused(api_world::body_of("tok_ok", 2)) == "409 out_of_stock");
  CHECK(refused(api_world::body_of("tok_decline")) == "402 payment_declined");
  CHECK(refused("{") == "400 invalid_request");
  CHECK(refused(R"({"lines":[]})") == "400 invalid_request");

  auto silent =
    at.start("op", "POST", "/v1/orders", {{"Idempotency-Key", "silent"}},
             api_world::body_of("tok_silent"));
  at.engine.run();
  const auto full = at.place("op", "other");
  CHECK(api_world::problem(full) == "503 overloaded");
  CHECK_FALSE(api_world::header(full, "Retry-After").empty());
  at.engine.pass(10'000);
  REQUIRE(silent->has_value());
  CHECK(api_world::problem(**silent) == "504 deadline_exceeded");

  at.accepted("op", "k");
  CHECK(api_world::problem(at.place("op", "k", "tok_other"))
        == "422 idempotency_key_reused");
}

TEST_CASE("an order shows its progress, and costs no body when unchanged") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto id = at.accepted("op", "k");
  at.engine.pass(1000);
  const auto shown = at.get("op", "/v1/orders/" + id);
  REQUIRE(shown.status == 200);
  const auto progress = api_world::json(shown)["progress"];
  for (const auto* stage :
       {"accepted", "published", "fulfillmentStarted", "notified"})
    CHECK_MESSAGE(progress[stage]["state"] == "done", stage);
  CHECK(progress["fulfillmentStarted"]["fulfillmentId"] == "ful-" + id);
  const auto tag = api_world::header(shown, "ETag");
  const auto same =
    at.send("op", "GET", "/v1/orders/" + id, {{"If-None-Match", tag}});
  CHECK(same.status == 304);
  CHECK(same.body.empty());
  CHECK(api_world::header(same, "ETag") == tag);
  at.send("op", "POST", "/v1/orders/" + id + "/complete");
  CHECK(
    at.send("op", "GET", "/v1/orders/" + id, {{"If-None-Match", tag}}).status
    == 200);
}

TEST_CASE("cancel and complete answer alike again, and exclude each other") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const auto path = "/v1/orders/" + at.accepted("op", "k");
  const auto first = at.send("op", "POST", path + "/cancel");
  CHECK(first.status == 200);
  CHECK(api_world::json(first)["state"] == "cancelled");
  CHECK(api_world::json(first)["aggregateSequence"] == 2);
  at.engine.pass(1000);
  const auto again = at.send("op", "POST", path + "/cancel");
  CHECK(again.body == first.body);
  CHECK(api_world::header(again, "Idempotency-Replayed") == "true");
  const auto other = at.send("op", "POST", path + "/complete");
  CHECK(api_world::problem(other) == "409 illegal_transition");
  CHECK(other.body.find("cancelled") != std::string::npos);
  CHECK(api_world::problem(at.send("op", "POST", path + "/cancel", {}, "{}"))
        == "400 invalid_request");
}

TEST_CASE("a trace that comes in is stored; a bad one starts a new one") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const auto placed = [&](const std::string& key, const std::string& parent) {
    return at.send("op", "POST", "/v1/orders",
                   {{"Idempotency-Key", key}, {"traceparent", parent}},
                   api_world::body_of());
  };
  auto answer = placed("a", "00-" + trace + "-00f067aa0ba902b7-01");
  auto parent = api_world::header(answer, "traceparent");
  CHECK(parent.substr(3, 32) == trace);
  CHECK(parent.substr(36, 16) != "00f067aa0ba902b7");
  auto order = at.engine.order("acme", api_world::json(answer)["orderId"]);
  CHECK(order->trace_id == trace);
  CHECK(order->traceparent == parent);
  answer = placed("b", "00-" + trace + "-0000000000000000-01");
  parent = api_world::header(answer, "traceparent");
  CHECK(parent.size() == 55);
  CHECK(parent.substr(3, 32) != trace);
  order = at.engine.order("acme", api_world::json(answer)["orderId"]);
  CHECK(order->trace_id == parent.substr(3, 32));
}

TEST_CASE("stock is set, read and listed") {
  api_world at;
  const auto set =
    at.send("op", "PUT", "/v1/inventory/sku-1", {}, R"({"onHand":5})");
  CHECK(set.status == 200);
  CHECK(set.body == R"({"sku":"sku-1","onHand":5,"reserved":0,"available":5})");
  at.accepted("op", "k");
  CHECK(api_world::json(at.get("op", "/v1/inventory/sku-1"))["reserved"] == 1);
  CHECK(api_world::problem(
          at.send("op", "PUT", "/v1/inventory/sku-1", {}, R"({"onHand":0})"))
        == "409 stock_below_reserved");
  CHECK(api_world::problem(at.get("op", "/v1/inventory/sku-9"))
        == "404 not_found");
  at.engine.stock("acme", "sku-2", 1);
  const auto page = api_world::json(at.get("op", "/v1/inventory?limit=1"));
  CHECK(page["items"][0]["sku"] == "sku-1");
  const std::string cursor = page["nextCursor"];
  const auto rest =
    api_world::json(at.get("op", "/v1/inventory?limit=1&cursor=" + cursor));
  CHECK(rest["items"][0]["sku"] == "sku-2");
  CHECK_FALSE(rest.contains("nextCursor"));
  CHECK(api_world::problem(at.get("other", "/v1/inventory?cursor=" + cursor))
        == "400 invalid_request");
}

TEST_CASE("orders are listed in the order of acceptance, and filtered") {
  api_world at;
  at.engine.stock("acme", "sku-1", 10);
  std::vector<std::string> ids;
  for (const auto* key : {"a", "b", "c"})
    ids.push_back(at.accepted("op", key));
  at.engine.pass(1000);
  std::vector<std::string> seen;
  std::string query = "/v1/orders?limit=2";
  for (;;) {
    const auto page = api_world::json(at.get("op", query));
    for (const auto& one : page["items"])
      seen.push_back(one["orderId"]);
    if (!page.contains("nextCursor"))
      break;
    query =
      "/v1/orders?limit=2&cursor=" + page["nextCursor"].get<std::string>();
  }
  CHECK(seen == ids);
  at.send("op", "POST", "/v1/orders/" + ids[1] + "/cancel");
  const auto only = [&](const std::string& filter) {
    const auto items =
      api_world::json(at.get("op", "/v1/orders?" + filter))["items"];
    std::vector<std::string> found;
    for (const auto& one : items)
      found.push_back(one["orderId"]);
    return found;
  };
  CHECK(only("state=cancelled") == std::vector<std::string>{ids[1]});
  CHECK(only("idempotency_key=c") == std::vector<std::string>{ids[2]});
  CHECK(only("event_id=evt-" + ids[0].substr(4) + "-1")
        == std::vector<std::string>{ids[0]});
  CHECK(only("event_id=evt-701").empty());
  CHECK(only("not_finished_for=0s").empty());
}
