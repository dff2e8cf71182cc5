// F22, F23 with the real daemon and a real SIGKILL: a responder replays what
// was quarantined, the process dies at a named point on the way, and the next
// start finishes the replay: one effect an order, and a report that says so.
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>

using namespace parcelflow;
using nlohmann::json;
using std::chrono::seconds;

namespace {

constexpr int orders_placed = 3;
const std::string version_two = "--order.accepted_version=tn-a:2";
const std::string others_know =
  "--consumer.supported=notification-v1:OrderAccepted:2,"
  "inventory-v1:OrderAccepted:2";
const std::string all_know = others_know + ",fulfillment-v1:OrderAccepted:2";

/// Orders of tn-a that fulfillment could not take; it can at the next start.
struct quarantined_orders {
  explicit quarantined_orders(std::string of)
    : committer("--storage.committer=" + std::move(of)) {
    token = daemon.token("tn-a");
    daemon.start(test::and_flags({version_two, others_know, committer}));
    REQUIRE(
      daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":99})").status
      == 200);
    for (int i = 0; i < orders_placed; ++i)
      orders.push_back(place("k" + std::to_string(i)));
    REQUIRE(test::poll_until(
      [&] {
        return get("/v1/dead-letters?state=open").at("total") == orders_placed;
      },
      seconds(20)));
    REQUIRE(daemon.stop() == test::exited(0));
  }

  std::string place(const std::string& key) {
    const auto made = daemon.ask(
      "POST", "/v1/orders", token,
      R"({"currency":"EUR","paymentToken":"tok_ok","lines":[{"sku":"sku-1",)"
      R"("quantity":1,"unitPriceMinor":100}]})",
      {"Idempotency-Key: " + key});
    REQUIRE(made.status == 201);
    return json::parse(made.body).at("orderId");
  }
  json get(const std::string& target) {
    const auto answer = daemon.ask("GET", target, token);
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
    return json::parse(answer.body);
  }
  json post(const std::string& target, const json& body, int must) {
    const auto answer = daemon.ask("POST", target, token, body.dump(), {});
    REQUIRE_MESSAGE(answer.status == must, answer.body);
    return json::parse(answer.body);
  }
  void start_armed(const std::string& point, std::uint64_t countdown) {
    auto flags = test::and_flags({version_two, all_know, committer});
    flags.front() += point;
    flags.push_back("--fault.crash_countdown=" + std::to_string(countdown));
    daemon.start(flags);
  }
  std::string ready_plan() {
    std::string id =
      post("/v1/replay-plans", {{"consumer", "fulfillment-v1"}}, 202)
        .at("planId");
    REQUIRE(test::poll_until(
      [&] { return get("/v1/replay-plans/" + id).at("state") == "ready"; },
      seconds(20)));
    return id;
  }
  /// Everything replayed by one replay or none; nothing else was told.
  void come_to_rest() {
    daemon.start(test::and_flags({version_two, all_know, committer}));
    if (get("/v1/replays").at("items").empty()) // it was never promised
      post("/v1/replay-plans/" + ready_plan() + "/execute", json::object(),
           202);
    CHECK(test::poll_until(
      [&] {
        const auto all = get("/v1/replays").at("items");
        return all.size() == 1 && all[0].at("state") == "finished";
      },
      seconds(20)));
    const auto report = get("/v1/replays").at("items").at(0);
    CHECK(report.at("counts").at("createdNow") == orders_placed);
    CHECK(get("/v1/dead-letters?state=resolved").at("total") == orders_placed);
    CHECK(get("/v1/dead-letters?state=open").at("total") == 0);
    for (const auto& id : orders)
      CHECK(get("/v1/orders/" + id)
              .at("progress")
              .at("fulfillmentStarted")
              .at("state")
            == "recovered");
    CHECK(daemon.stop() == test::exited(0));
    // The store proves it too.
    CHECK(
      test::parcelflow({"audit", "--data-dir", daemon.directory(), "--at-rest"})
        .end
      == test::exited(0));
  }

  test::temp_directory files;
  test::daemon_process daemon{files / "data", "crash-lab"};
  std::string committer;
  std::string token;
  std::vector<std::string> orders;
};

void survives(const std::string& point, std::uint64_t later) {
  for (const std::string committer : {"shared", "per_owner"})
    for (const auto countdown : {std::uint64_t{1}, later}) {
      CAPTURE(point);
      CAPTURE(countdown);
      CAPTURE(committer);
      quarantined_orders one(committer);
      one.start_armed(point, countdown);
      // The answer may stay away: the process dies while it is made.
      (void)one.daemon.ask("POST",
                           "/v1/replay-plans/" + one.ready_plan() + "/execute",
                           one.token, "{}", {});
      REQUIRE(one.daemon.wait() == test::killed_by(SIGKILL));
      one.come_to_rest();
    }
}

} // namespace

TEST_CASE("killed before a replay is durable, it was never promised") {
  survives("replay.before_start", 1);
}
TEST_CASE("killed once a replay is durable, it runs at the next start") {
  survives("replay.after_start", 1);
}
TEST_CASE("killed when items are out, they are asked for again") {
  survives("replay.after_sent", 2);
}
TEST_CASE("killed beside the effect, the item is tried again") {
  survives("replay.after_attempt", 2);
}
TEST_CASE("killed before an outcome is kept, the inbox tells it") {
  survives("replay.before_result", 2);
}
TEST_CASE("killed after an outcome is kept, the rest goes on") {
  survives("replay.after_result", 2);
}

TEST_CASE("killed between the log and its effect, the change is asked again") {
  quarantined_orders one("shared");
  one.start_armed("ops.after_log", 1);
  const json skip = {{"consumer", "fulfillment-v1"},
                     {"aggregateId", one.orders[0]},
                     {"sequence", 1},
                     {"reason", "agreed with the customer"}};
  (void)one.daemon.ask("POST", "/v1/streams/skip", one.token, skip.dump(), {});
  REQUIRE(one.daemon.wait() == test::killed_by(SIGKILL));
  one.daemon.start(test::and_flags({version_two, all_know, one.committer}));
  const auto logged = one.get("/v1/operator-log").at("items");
  REQUIRE_FALSE(logged.empty());
  CHECK(logged[0].at("verb") == "skip");
  CHECK(one.get("/v1/dead-letters?state=open").at("total") == orders_placed);
  CHECK(one.post("/v1/streams/skip", skip, 200).at("position") == 1);
  CHECK(one.get("/v1/dead-letters?state=waived").at("total") == 1);
  CHECK(one.daemon.stop() == test::exited(0));
}
