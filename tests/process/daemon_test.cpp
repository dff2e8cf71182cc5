// How the daemon starts, stops, comes back and rests.
#include "tests/http/raw_client.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/closed_store.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

using namespace parcelflow;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::arguments;
using test::daemon_process;
using test::exited;
using test::poll_until;

namespace {

bool logged(const daemon_process& of, const std::string& text) {
  return of.log().find(text) != std::string::npos;
}

void holds(const std::string& directory) {
  const test::closed_store left(directory);
  test::at_rest when;
  when.now = support::system_clock().now();
  for (const auto& one : test::violations(left.read(), when))
    FAIL_CHECK(one);
}

std::string order_request(const std::string& token, const std::string& payment,
                          const std::string& key) {
  const std::string body =
    R"({"currency":"EUR","paymentToken":")" + payment
    + R"(","lines":[{"sku":"sku-1","quantity":1,"unitPriceMinor":100}]})";
  return "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
         + token + "\r\nIdempotency-Key: " + key
         + "\r\nContent-Type: application/json\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Processor time that a process has used, in clock ticks.
long ticks_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string all;
  std::getline(file, all);
  std::istringstream fields(all.substr(all.rfind(')') + 2));
  std::string skipped;
  for (int i = 3; i < 14; ++i)
    fields >> skipped;
  long user = 0;
  long kernel = 0;
  fields >> user >> kernel;
  return user + kernel;
}

} // namespace

TEST_CASE("SIGTERM answers what is in flight and drains in order") {
  const test::temp_directory files;
  daemon_process daemon(files / "data", "crash-lab");
  const auto token = daemon.token("tn-a");
  daemon.start(test::quick_flags());
  REQUIRE(
    daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":9})").status
    == 200);
  test::raw_client waits(daemon.port());
  REQUIRE(waits.send(order_request(token, "tok_delay_500", "slow")));
  REQUIRE(poll_until(
    [&] {
      const auto stock = daemon.ask("GET", "/v1/inventory/sku-1", token);
      return nlohmann::json::parse(stock.body).at("reserved") == 1;
    },
    seconds(10)));
  daemon.send_signal(SIGTERM);
  CHECK(waits.answer().status == 201);
  CHECK(daemon.wait() == exited(0));
  CHECK(logged(daemon, R"("drained":true)"));
  std::size_t before = 0;
  for (const std::string step :
       {"order", "relay", "bus", "inventory", "fulfillment", "notification",
        "dead_letter"}) {
    const auto at = daemon.log().find(R"("step":")" + step);
    CHECK_MESSAGE(at != std::string::npos, step << " was not drained");
    CHECK(at > before);
    before = at;
  }
  holds(daemon.directory());
}

TEST_CASE("after a clean stop nothing is delivered a second time") {
  const test::temp_directory files;
  daemon_process daemon(files / "data", "crash-lab");
  const auto token = daemon.token("tn-a");
  auto flags = test::quick_flags();
  flags.emplace_back("--bus.fault_duplicate=0");
  daemon.start(flags);
  REQUIRE(
    daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":99})").status
    == 200);
  const auto place = [&](int number) {
    test::raw_client client(daemon.port());
    REQUIRE(client.send(
      order_request(token, "tok_ok", "key-" + std::to_string(number))));
    CHECK(client.answer().status == 201);
  };
  for (int i = 0; i < 20; ++i)
    place(i);
  CHECK(daemon.stop() == exited(0)); // consumers may be in the middle of it
  daemon.start(flags);
  place(20);
  const auto applied_or_again = [&](const std::string& verdict) {
    const auto text = daemon.ask("GET", "/metrics", token).body;
    const std::string series =
      R"(parcelflow_consumer_verdicts_total{consumer="notification-v1",)"
      R"(verdict=")"
      + verdict + R"("} )";
    const auto at = text.find(series);
    REQUIRE(at != std::string::npos);
    return std::stoi(text.substr(at + series.size()));
  };
  // What was not applied before the stop is applied now, and once.
  REQUIRE(
    poll_until([&] { return applied_or_again("applied") > 0; }, seconds(10)));
  CHECK(applied_or_again("duplicate") == 0);
  CHECK(daemon.stop() == exited(0));
  holds(daemon.directory());
}

TEST_CASE("told twice to stop, it stops at once and leaves a clean directory") {
  const test::temp_directory files;
  daemon_process daemon(files / "data", "crash-lab");
  const auto token = daemon.token("tn-a");
  auto flags = test::quick_flags();
  flags.push_back("--order.accept_deadline_ms=60s");
  flags.push_back("--inventory.reservation_deadline_ms=61s");
  flags.push_back("--shutdown.deadline_ms=60s");
  daemon.start(flags);
  REQUIRE(
    daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":9})").status
    == 200);
  test::raw_client waits(daemon.port());
  REQUIRE(waits.send(order_request(token, "tok_silent", "never")));
  REQUIRE(poll_until(
    [&] {
      const auto stock = daemon.ask("GET", "/v1/inventory/sku-1", token);
      return nlohmann::json::parse(stock.body).at("reserved") == 1;
    },
    seconds(10)));
  daemon.send_signal(SIGTERM);
  REQUIRE(poll_until([&] { return logged(daemon, R"("msg":"stopping")"); },
                     seconds(10)));
  CHECK_FALSE(daemon.wait(milliseconds(300)).has_value()); // it drains
  daemon.send_signal(SIGTERM);
  const auto end = daemon.wait(seconds(5));
  REQUIRE_MESSAGE(end.has_value(), "still there: " << daemon.log());
  CHECK(end->signal == 0);
  CHECK(end->code == 75); // not all was drained, and it says so
  CHECK(logged(daemon, R"("drained":false)"));
  holds(daemon.directory());
  daemon.start(test::quick_flags());
  CHECK(daemon.stop() == exited(0));
}

TEST_CASE("after kill -9 it has recovered when it says that it is ready") {
  test::crash_case one;
  one.daemon.start(test::quick_flags());
  REQUIRE(one.ledger.run());
  one.daemon.kill();
  one.daemon.launch(test::quick_flags());
  REQUIRE(one.daemon.await_ready());
  CHECK(one.daemon.ask("GET", "/readyz").status == 200);
  const auto log = one.daemon.log();
  const auto opened = log.find(R"("msg":"store open")");
  const auto ready = log.find(R"("msg":"ready")");
  REQUIRE(opened != std::string::npos);
  CHECK(opened < ready);
  REQUIRE(one.daemon.stop() == exited(0));
  one.recovers();
}

TEST_CASE("a second daemon on the same directory is told so and exits 75") {
  const test::temp_directory files;
  daemon_process first(files / "data", "crash-lab");
  first.start(test::quick_flags());
  arguments with{"run"};
  for (const auto& one : first.identity())
    with.push_back(one);
  with.insert(with.end(), {"--http.port=0", "--fault.crash_point="});
  const auto second = test::parcelflow(with);
  CHECK(second.end == exited(75));
  CHECK(second.err.find("another process") != std::string::npos);
  CHECK(second.err.find(first.directory()) != std::string::npos);
  CHECK(first.ask("GET", "/livez").status == 200);
  CHECK(first.stop() == exited(0));
}

TEST_CASE("idle, it uses less than one percent of a processor") {
  test::crash_case one;
  one.daemon.start({"--fault.crash_point="}); // the defaults, nothing hurried
  REQUIRE(one.ledger.run());
  REQUIRE(poll_until([&] { return one.ledger.at_rest(); }, seconds(20)));
  const auto alive = [&] { return ::kill(one.daemon.pid(), 0) == 0; };
  REQUIRE(test::holds_for(alive, seconds(3)));
  const auto before = ticks_of(one.daemon.pid());
  REQUIRE(before > 0);
  REQUIRE(test::holds_for(alive, seconds(5)));
  const auto used = ticks_of(one.daemon.pid()) - before;
  MESSAGE("ticks of " << 5 * ::sysconf(_SC_CLK_TCK) << ": " << used);
  CHECK(used * 100 < 5 * ::sysconf(_SC_CLK_TCK));
  CHECK(one.daemon.stop() == exited(0));
}
