// The ops console through the real port of the real daemon: what it shows, and
// what nobody can do to it.
#include "tests/process/console_user.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

using namespace parcelflow;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::arguments;
using test::console_user;
using test::exited;
using test::poll_until;

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

arguments console_flags(const arguments& more = {}) {
  auto flags = test::quick_flags();
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

struct world {
  explicit world(const arguments& flags = {}) {
    token = daemon.token("tn-a");
    other = daemon.token("tn-b");
    both = daemon.token("tn-a,tn-b");
    admin = daemon.token("*", "admin");
    daemon.start(console_flags(flags));
  }

  std::string place(const std::string& key) {
    REQUIRE(
      daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":99})").status
      == 200);
    const auto made = daemon.ask(
      "POST", "/v1/orders", token,
      R"({"currency":"EUR","paymentToken":"tok_ok","lines":[{"sku":"sku-1",)"
      R"("quantity":1,"unitPriceMinor":100}]})",
      {"Idempotency-Key: " + key});
    REQUIRE(made.status == 201);
    return nlohmann::json::parse(made.body).at("orderId");
  }

  std::size_t descriptors() const {
    const std::filesystem::directory_iterator all(
      "/proc/" + std::to_string(daemon.pid()) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  bool serves() {
    return holds(console_user(daemon, token).login(), "responder");
  }

  test::temp_directory files;
  test::daemon_process daemon{files / "data", "crash-lab"};
  std::string token;
  std::string other;
  std::string both;
  std::string admin;
};

/// Closes as a machine that is switched off does.
void reset(test::raw_client& client) {
  const linger at_once{1, 0};
  ::setsockopt(client.descriptor(), SOL_SOCKET, SO_LINGER, &at_once,
               sizeof at_once);
  client.close();
}

} // namespace

TEST_CASE("what was ordered over HTTP is seen on the console") {
  world at;
  const auto order = at.place("cart-1");
  console_user user(at.daemon, at.token);
  CHECK(user.greeting().starts_with("parcelflow console, protocol 1"));
  REQUIRE(poll_until(
    [&] {
      const auto seen = user.json("evidence " + order);
      return seen.is_object() && seen.at("notificationId").is_string()
             && seen.at("fulfillmentId").is_string();
    },
    seconds(10)));
  CHECK(holds(user.ask("evidence " + order), order));
  CHECK(user.json("health").at("ready") == true);
  CHECK(holds(user.ask("stats"), "orders_accepted_total"));
  CHECK(holds(user.ask("dead-letters"), "none"));
  CHECK(user.ask("quit") == "bye\n");
  CHECK(user.wire().closed_by_server());
  CHECK(at.daemon.stop() == exited(0));
}

TEST_CASE("a foreign order has the bytes of a missing one") {
  world at;
  const auto order = at.place("cart-1");
  console_user stranger(at.daemon, at.other);
  for (const std::string verb : {"evidence ", "explain ", "show ", "find "}) {
    CAPTURE(verb);
    const auto foreign = stranger.ask(verb + order);
    const auto missing = stranger.ask(verb + "ord-nothing");
    CHECK(foreign == missing);
    CHECK_FALSE(holds(foreign, order));
  }
  CHECK(stranger.ask("tenant tn-a").starts_with("error forbidden: "));

  console_user both(at.daemon, at.both);
  CHECK(holds(both.ask("evidence " + order), "tenant NAME"));
  both.ask("tenant tn-b");
  CHECK(both.ask("evidence " + order).starts_with("error not_found: "));
  both.ask("tenant tn-a");
  CHECK(holds(both.ask("evidence " + order), order));
}

TEST_CASE("a responder does not see the process, an admin over all does") {
  world at;
  console_user responder(at.daemon, at.token);
  CHECK(responder.ask("outbox").starts_with("error forbidden: "));
  CHECK(responder.ask("pause relay reason=x").starts_with("error forbidden"));
  console_user admin(at.daemon, at.admin);
  CHECK_FALSE(admin.ask("outbox").starts_with("error"));
  // Records of no tenant are seen by whoever may close them.
  const auto scopes = [](console_user& who) {
    return who.json("tenants").dump();
  };
  CHECK(holds(scopes(admin), "~unattributed"));
  CHECK_FALSE(holds(scopes(responder), "~unattributed"));
  CHECK(poll_until([&] { return holds(at.daemon.log(), R"("verb":"outbox")"); },
                   seconds(5)));
}

TEST_CASE("a token that is revoked is worth nothing in an open session") {
  world at;
  console_user user(at.daemon, at.token);
  const auto id = user.json("whoami").at("tokenId").get<std::string>();
  arguments revoke{"token", "revoke"};
  for (const auto& one : at.daemon.identity())
    revoke.push_back(one);
  revoke.push_back(id);
  REQUIRE(test::parcelflow(revoke).end == exited(0));
  at.daemon.send_signal(SIGHUP);
  CHECK(poll_until(
    [&] { return user.ask("health").starts_with("error unauthenticated: "); },
    seconds(5)));
}

TEST_CASE("10,000 bytes of binary junk do no harm") {
  world at;
  console_user user(at.daemon.console_port());
  std::string junk;
  std::uint32_t seed = 7;
  for (int i = 0; i < 10'000; ++i) {
    seed = seed * 1664525 + 1013904223;
    junk += static_cast<char>(seed >> 24);
  }
  REQUIRE(user.wire().send(junk + "\n"));
  REQUIRE(user.wire().send("auth " + at.token + "\n"));
  CHECK(holds(user.wire().take_until("responder"), "error "));
  CHECK(at.serves());
}

TEST_CASE("more connections than console.connections_max are turned away") {
  world at({"--console.connections_max=4"});
  std::vector<std::unique_ptr<console_user>> open;
  for (int i = 0; i < 4; ++i) {
    open.push_back(std::make_unique<console_user>(at.daemon.console_port()));
    CHECK(holds(open.back()->greeting(), "protocol 1"));
  }
  for (int i = 0; i < 100; ++i) {
    console_user late(at.daemon.console_port());
    CHECK(late.greeting().starts_with("error overloaded: "));
    CHECK(late.wire().closed_by_server());
  }
  CHECK(holds(open.front()->ask("auth " + at.token), "responder"));
  open.clear();
  CHECK(poll_until([&] { return at.serves(); }, seconds(5)));
}

TEST_CASE("who says nothing is closed, and so is who does not read") {
  world at({"--console.idle_timeout_ms=300", "--console.connections_max=1"});
  console_user silent(at.daemon.console_port());
  CHECK(holds(silent.next_answer(), "no login in time"));
  CHECK(silent.wire().closed_by_server());
  REQUIRE(poll_until([&] { return at.serves(); }, seconds(10)));
  const auto before = at.descriptors();

  std::unique_ptr<test::raw_client> deaf; // once it gets the only place
  REQUIRE(poll_until(
    [&] {
      deaf = std::make_unique<test::raw_client>(at.daemon.console_port());
      return holds(deaf->take_until("\n.\n"), "protocol 1");
    },
    seconds(10)));
  std::string asks = "auth " + at.token + "\n";
  for (int i = 0; i < 20'000; ++i)
    asks += "help\n";
  ::send(deaf->descriptor(), asks.data(), asks.size(),
         MSG_NOSIGNAL | MSG_DONTWAIT);
  CHECK(poll_until([&] { return at.serves(); }, seconds(10)));
  CHECK(poll_until([&] { return at.descriptors() <= before; }, seconds(10)));
}

TEST_CASE("failed logins are slow, and after a few the session ends") {
  world at({"--console.login_attempts_max=3", "--console.login_delay_ms=100"});
  console_user user(at.daemon.console_port());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i)
    CHECK(user.ask("auth pft_wrong").starts_with("error unauthenticated: "));
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(700));
  CHECK(user.wire().closed_by_server());
  CHECK_FALSE(holds(at.daemon.log(), "pft_"));
}

TEST_CASE("clients that vanish in the middle leave nothing behind") {
  world at({"--console.connections_max=8"});
  const auto order = at.place("cart-1");
  REQUIRE(at.serves());
  const auto before = at.descriptors();
  for (int i = 0; i < 40; ++i) {
    console_user user(at.daemon, at.token);
    if (user.login().empty()) // the ones before are not quite gone
      continue;
    user.wire().send(i % 4 == 0   ? "evidence " + order
                     : i % 4 == 1 ? "evidence " + order + "\nstats\nstats\n"
                     : i % 4 == 2 ? std::string("tail\n")
                                  : std::string("auth pft_wrong\n"));
    reset(user.wire());
  }
  CHECK(poll_until([&] { return at.serves(); }, seconds(10)));
  CHECK(poll_until([&] { return at.descriptors() <= before; }, seconds(10)));
  CHECK(at.daemon.stop() == exited(0));
}

TEST_CASE("twenty times, the daemon stops cleanly with sessions open") {
  world at;
  const auto order = at.place("cart-1");
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    console_user fresh(at.daemon.console_port());
    console_user idle(at.daemon, at.token);
    console_user half(at.daemon, at.token);
    console_user tails(at.daemon, at.token);
    console_user fails(at.daemon.console_port());
    console_user asks(at.daemon, at.token);
    half.wire().send("evidence ");
    tails.wire().send("tail\n");
    fails.wire().send("auth pft_wrong\n");
    for (int many = 0; many < 50; ++many)
      asks.wire().send("evidence " + order + "\nstats\n");
    const auto end = at.daemon.stop();
    REQUIRE_MESSAGE(end.has_value(), "it hangs: " << at.daemon.log());
    REQUIRE_MESSAGE(*end == exited(0), "exit code " << end->code << ", signal "
                                                    << end->signal << ": "
                                                    << at.daemon.log());
    CHECK(idle.wire().closed_by_server());
    CHECK(holds(at.daemon.log(), R"("drained":true)"));
    at.daemon.start(console_flags());
  }
  CHECK(at.daemon.stop() == exited(0));
}

TEST_CASE("drain stops the daemon as SIGTERM does, and says so first") {
  world at;
  console_user admin(at.daemon, at.admin);
  CHECK(admin.json("drain reason=upgrade").at("draining") == true);
  CHECK(at.daemon.wait() == exited(0));
  CHECK(holds(at.daemon.log(), R"("drained":true)"));
}

TEST_CASE("an address other than loopback is refused, with file and line") {
  const test::temp_directory files;
  for (const std::string address : {"0.0.0.0", "192.0.2.1", "::", "host"}) {
    CAPTURE(address);
    std::ofstream(files / "open.ini")
      << "[console]\naddress = " << address << "\nenabled = true\n";
    const auto no = test::parcelflow({"check", "--config", files / "open.ini",
                                      "--data.directory=" + (files / "data")});
    CHECK(no.end == exited(78));
    CHECK(holds(no.err, "open.ini:2"));
    CHECK(holds(no.err, "console.address"));
    CHECK(holds(no.err, "loopback"));
  }
}

TEST_CASE("a port that is taken is told at the start") {
  world at;
  const test::temp_directory files;
  const auto no = test::parcelflow(
    {"run", "--config", test::in_source("config/dev.ini"),
     "--data.directory=" + (files / "data"), "--http.port=0",
     "--console.port=" + std::to_string(at.daemon.console_port())});
  CHECK(no.end == exited(78));
  CHECK(holds(no.err, "console.port"));
}
