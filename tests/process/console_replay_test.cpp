// A responder at work: finds what failed, corrects, replays, proves it; over
// the real port of the real daemon, and through its death.
#include "tests/process/console_user.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace parcelflow;
using nlohmann::json;
using std::chrono::seconds;
using test::arguments;
using test::console_user;
using test::exited;
using test::poll_until;

namespace {

/// The order has started fulfillment, as far as the console shows.
bool started(console_user& user, const std::string& order) {
  const auto seen = user.json("evidence " + order);
  return seen.is_object() && seen.contains("fulfillmentId")
         && seen.at("fulfillmentId").is_string();
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Orders of tn-a are announced in a version that nobody knows at first.
struct broken_world {
  broken_world() {
    token = daemon.token("tn-a");
    admin = daemon.token("*", "admin");
    daemon.start(test::and_flags({"--order.accepted_version=tn-a:2"}));
    REQUIRE(
      daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":99})").status
      == 200);
    for (const std::string key : {"one", "two"})
      orders.push_back(place(key));
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

  /// Every consumer has told of both orders.
  void await_letters(console_user& user, std::size_t count) {
    REQUIRE(poll_until(
      [&] { return user.json("dead-letters state=open").at("total") == count; },
      seconds(20)));
  }

  void come_back_with_the_version() {
    REQUIRE(daemon.stop() == exited(0));
    daemon.start(test::and_flags(
      {"--order.accepted_version=tn-a:2",
       "--consumer.supported=fulfillment-v1:OrderAccepted:2,"
       "notification-v1:OrderAccepted:2,inventory-v1:OrderAccepted:2"}));
  }

  /// A plan that is ready.
  json plan(console_user& user, const std::string& terms) {
    const auto begun = user.json("plan " + terms);
    REQUIRE_MESSAGE(begun.contains("planId"), begun.dump());
    json now;
    REQUIRE(poll_until(
      [&] {
        now = user.json("progress " + begun.at("planId").get<std::string>());
        return now.value("state", "") == "ready";
      },
      seconds(20)));
    return now;
  }

  json finished(console_user& user, const std::string& replay) {
    json now;
    REQUIRE_MESSAGE(poll_until(
                      [&] {
                        now = user.json("progress " + replay);
                        return now.value("state", "") == "finished";
                      },
                      seconds(20)),
                    now.dump());
    return now;
  }

  test::temp_directory files;
  test::daemon_process daemon{files / "data", "crash-lab"};
  std::string token;
  std::string admin;
  std::vector<std::string> orders;
};

} // namespace

TEST_CASE("from a stuck order to its proof: find, plan, execute, report") {
  broken_world at;
  {
    console_user user(at.daemon, at.token);
    at.await_letters(user, 6);
    const auto waits = user.json("streams consumer=fulfillment-v1");
    CHECK(waits.at("items").size() == 2);
    CHECK(holds(user.ask("streams"), "unsupported"));
    CHECK(holds(user.ask("find one"), at.orders[0]));
    CHECK(holds(user.ask("explain " + at.orders[0]), "accepted"));
    const auto before = at.plan(user, "cause=UNSUPPORTED_VERSION");
    CHECK(before.at("total") == 6);
    const auto items =
      user.json("evidence " + before.at("planId").get<std::string>());
    CHECK(items.at("items").at(0).at("predicted") == "unsupported");
  }
  at.come_back_with_the_version();
  console_user user(at.daemon, at.token);
  const auto plan = at.plan(user, "cause=UNSUPPORTED_VERSION");
  const auto id = plan.at("planId").get<std::string>();
  const auto items = user.json("evidence " + id).at("items");
  REQUIRE(items.size() == 6);
  for (const auto& one : items)
    CHECK(one.at("predicted") == "applied");
  CHECK(user.json("evidence " + id + " limit=4").at("items").size() == 4);

  const auto ticket = user.json("execute " + id + " reason=\"v2 deployed\"");
  REQUIRE_MESSAGE(ticket.contains("replayId"), ticket.dump());
  const auto replay = ticket.at("replayId").get<std::string>();
  const auto end = at.finished(user, replay);
  CHECK(end.at("counts").at("createdNow") == 6);
  CHECK(user.json("execute " + id).at("replayId") == replay);
  const auto report = user.json("evidence " + replay);
  for (const auto& one : report.at("items"))
    CHECK(one.at("state") == "created_now");
  CHECK(user.json("dead-letters state=resolved").at("total") == 6);
  CHECK(holds(user.ask("streams"), "none"));
  CHECK(started(user, at.orders[0]));
  CHECK(holds(user.ask("log"), "v2 deployed"));
  console_user admin(at.daemon, at.admin);
  CHECK(admin.json("verify").at("intact") == true);
  CHECK(at.daemon.stop() == exited(0));
}

TEST_CASE("skip, waive and redirect say what stands in their way") {
  broken_world at;
  console_user user(at.daemon, at.token);
  at.await_letters(user, 6);
  const auto& order = at.orders[0];
  CHECK(user.ask("skip fulfillment-v1 " + order + " 2 reason=x")
          .starts_with("error illegal_transition: "));
  CHECK(
    user.ask("skip nobody-v1 " + order + " 1 reason=x").starts_with("error "));
  const auto letter =
    user.json("dead-letters consumer=fulfillment-v1 order=" + order)
      .at("items")
      .at(0)
      .at("deadLetterId")
      .get<std::string>();
  CHECK(user.ask("waive " + letter + " reason=x")
          .starts_with("error illegal_transition: "));
  CHECK(user.ask("waive dl-nothing reason=x").starts_with("error not_found: "));
  CHECK(
    user.ask("redirect fulfillment-v1 " + order + " notification-v1 reason=x")
      .starts_with("error "));
  CHECK(user.json("skip fulfillment-v1 " + order + " 1 reason=\"made by hand\"")
          .at("position")
        == 1);
  CHECK(user.json("streams consumer=fulfillment-v1").at("items").size() == 1);
  CHECK(holds(user.ask("log"), "made by hand"));
  CHECK(user.json("dead-letters state=open").at("total") == 5);
}

TEST_CASE("a payload is shown when asked for, and the look is logged") {
  broken_world at;
  console_user user(at.daemon, at.token);
  at.await_letters(user, 6);
  const auto letter = user.json("dead-letters limit=1")
                        .at("items")
                        .at(0)
                        .at("deadLetterId")
                        .get<std::string>();
  CHECK_FALSE(holds(user.ask("show " + letter), "unitPriceMinor"));
  CHECK_FALSE(holds(user.ask("log"), "payload"));
  CHECK(holds(user.ask("show " + letter + " payload=yes"), "OrderAccepted"));
  CHECK(holds(user.ask("log"), "payload on the console"));
}

TEST_CASE("an export says the same by every door, a line a dead letter") {
  broken_world at;
  console_user user(at.daemon, at.token);
  at.await_letters(user, 6);
  const auto page = user.json("export state=open");
  CHECK(page.at("total") == 6);
  CHECK(page.at("items").at(0).contains("attempts"));
  std::string lines;
  for (const auto& one : page.at("items"))
    lines += one.at("deadLetterId").get<std::string>() + "\n";
  const auto ids_in = [](const std::string& ndjson) {
    std::string ids;
    std::istringstream in(ndjson);
    for (std::string line; std::getline(in, line);)
      ids += json::parse(line).at("deadLetterId").get<std::string>() + "\n";
    return ids;
  };
  const auto http = at.daemon.ask("GET", "/v1/dead-letters/export", at.token);
  CHECK(ids_in(http.body) == lines);
  const auto parcelctl = [&](arguments more) {
    more.insert(more.begin(),
                {"--port", std::to_string(at.daemon.console_port())});
    return test::parcelctl(more, {"PARCELFLOW_TOKEN=" + at.token});
  };
  const auto all = parcelctl({"export", "--state", "open"});
  CHECK(all.end == exited(0));
  CHECK(all.out == http.body); // to the byte
  const auto some = parcelctl({"export", "--limit", "4"});
  CHECK(http.body.starts_with(some.out));
  CHECK(holds(some.err, "--cursor"));
  CHECK_FALSE(holds(http.body, "unitPriceMinor"));
  // Page by page, though an hour ago moves on meanwhile.
  const auto first = user.json("export since=1h limit=4");
  CHECK(first.at("total") == 6);
  const auto rest = user.json("export since=1h limit=4 cursor="
                              + first.at("nextCursor").get<std::string>());
  REQUIRE_MESSAGE(rest.contains("items"), rest.dump());
  CHECK(rest.at("items").size() == 2);
}

TEST_CASE("what is paused stays paused through a death, and orders go on") {
  broken_world at;
  {
    console_user user(at.daemon, at.token);
    CHECK(user.json("pause tenant reason=repair").at("items").size() == 1);
    CHECK(holds(user.ask("pauses"), "repair"));
  }
  at.daemon.kill();
  at.daemon.start(test::quick_flags());
  console_user user(at.daemon, at.token);
  CHECK(holds(user.ask("pauses"), "repair"));
  const auto order = at.place("three");
  CHECK(test::holds_for([&] { return !started(user, order); },
                        std::chrono::milliseconds(500)));
  CHECK(user.json("resume tenant").at("items").empty());
  CHECK(poll_until([&] { return started(user, order); }, seconds(20)));
  CHECK(at.daemon.stop() == exited(0));
}

TEST_CASE("the tail shows verdicts of its own tenant as they fall") {
  broken_world at;
  console_user user(at.daemon, at.token);
  user.wire().send("tail consumer=inventory-v1 --json\n");
  std::string line;
  for (int i = 0; line.empty() && i < 20; ++i) { // it begins when it begins
    (void)at.place("more-" + std::to_string(i));
    line = user.wire().take_until("\n", std::chrono::milliseconds(500));
  }
  const auto row = json::parse(line, nullptr, false);
  REQUIRE(row.is_object());
  CHECK(row.at("consumer") == "inventory-v1");
  CHECK(row.contains("verdict"));
  user.wire().send("whoami --json\n");
  while (!holds(line, "the tail has ended")) {
    line = user.wire().take_until("\n");
    REQUIRE_FALSE(line.empty());
  }
  CHECK(holds(user.wire().take_until("\n"), "responder"));
}

TEST_CASE("denials are in the operator log, once for many") {
  broken_world at;
  console_user user(at.daemon, at.token);
  for (int i = 0; i < 20; ++i)
    CHECK(user.ask("outbox").starts_with("error forbidden: "));
  console_user admin(at.daemon, at.admin);
  REQUIRE(
    poll_until([&] { return holds(admin.json("log").dump(), "\"outbox\""); },
               seconds(10)));
  int denials = 0;
  const auto log = admin.json("log");
  for (const auto& one : log.at("items"))
    denials += one.at("allowed") == false ? 1 : 0;
  CHECK(denials == 1);
}
