// `parcelflow audit` over a closed directory, by its exit code; and what the
// running daemon says of its own audits.
#include "domain/inventory.hpp"
#include "storage/keys.hpp"
#include "tests/storage/store_fixture.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using test::arguments;
using test::exited;

namespace {

constexpr std::chrono::seconds soon{20};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A daemon that took an order and stopped cleanly.
class served_directory {
public:
  served_directory() : daemon(files / "data", "dev") {
    const auto token = daemon.token("tn-a");
    daemon.start();
    REQUIRE(
      daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":9})").status
      == 200);
    const auto placed = daemon.ask("POST", "/v1/orders", token,
                                   R"({"lines":[{"sku":"sku-1","quantity":2,)"
                                   R"("unitPriceMinor":100}],"currency":"EUR",)"
                                   R"("paymentToken":"tok_ok"})",
                                   {"Idempotency-Key: k-1"});
    REQUIRE_MESSAGE(placed.status == 201, placed.body);
  }

  [[nodiscard]] test::command_result audit(const arguments& flags = {}) const {
    arguments with{"audit", "--data-dir", daemon.directory()};
    with.insert(with.end(), flags.begin(), flags.end());
    return test::parcelflow(with);
  }
  /// One more is reserved than orders hold.
  void spoil() const {
    auto store = test::open_or_throw(test::options_for(daemon.directory()));
    auto rows = store->take(storage::owner::inventory);
    const auto key = storage::stock_key("tn-a", "sku-1");
    auto stock = *domain::decode_stock(*rows.get(key));
    stock.reserved += 1;
    rows.put(key, encode(stock));
    test::commit(*store, rows);
  }

  test::temp_directory files;
  test::daemon_process daemon;
};

} // namespace

TEST_CASE("a directory that was closed cleanly audits clean, untouched") {
  served_directory at;
  REQUIRE(at.daemon.stop() == exited(0));
  const auto before = test::contents(at.daemon.directory());
  const auto text = at.audit();
  CHECK_MESSAGE(text.end == exited(0), text.err);
  CHECK(has(text.out, "clean"));
  CHECK(has(text.out, "fulfillment-v1"));
  const auto json = at.audit({"--json", "--at-rest", "--audit.grace_ms=0"});
  CHECK_MESSAGE(json.end == exited(0), json.out);
  CHECK(json.out.starts_with(R"({"clean":true,"complete":true,)"));
  CHECK(has(json.out, R"("mode":"at_rest")"));
  CHECK(has(json.out, R"("findings":[])"));
  CHECK(json.err.empty());
  CHECK(test::contents(at.daemon.directory()) == before);
}

TEST_CASE("what a killed daemon left audits clean, and stays as it was") {
  served_directory at;
  at.daemon.kill();
  const auto before = test::contents(at.daemon.directory());
  const auto killed = at.audit();
  CHECK_MESSAGE(killed.end == exited(0), killed.out);
  CHECK(test::contents(at.daemon.directory()) == before);
}

TEST_CASE("findings exit 65 and name the row") {
  served_directory at;
  REQUIRE(at.daemon.stop() == exited(0));
  at.spoil();
  const auto found = at.audit();
  CHECK(found.end == exited(65));
  CHECK(has(found.out, "1 finding\n"));
  CHECK(has(found.out, "I13"));
  CHECK(has(found.out, "inventory/stock tenant=tn-a sku=sku-1"));
  const auto json = at.audit({"--json"});
  CHECK(json.end == exited(65));
  CHECK(has(json.out, R"("clean":false)"));
  CHECK(has(json.out, R"("invariant":"I13","row":{"family":"inventory",)"
                      R"("kind":"stock","tenant":"tn-a",)"
                      R"("key":{"sku":"sku-1"}})"));
}

TEST_CASE("what cannot be audited is refused by name") {
  served_directory at;
  CHECK(at.audit().end == exited(75)); // the daemon holds it
  REQUIRE(at.daemon.stop() == exited(0));

  const auto none =
    test::parcelflow({"audit", "--data-dir", at.files / "nowhere"});
  CHECK(none.end == exited(66));
  CHECK(has(none.err, "nowhere"));
  CHECK(none.out.empty());
  CHECK_FALSE(std::filesystem::exists(at.files / "nowhere"));

  CHECK(at.audit({"--audit.grace_ms=never"}).end == exited(78));

  test::write_bytes(at.daemon.directory() + "/store/CURRENT", "garbage");
  CHECK(at.audit().end == exited(74));
}

TEST_CASE("readyz tells of the last audit, and obeys it if told to") {
  served_directory at;
  auto& daemon = at.daemon;
  REQUIRE(daemon.stop() == exited(0));
  daemon.start({"--audit.interval_ms=20", "--ready.require_clean_audit=true"});
  CHECK(test::poll_until(
    [&] {
      const auto ready = daemon.ask("GET", "/readyz?verbose");
      return ready.status == 200 && has(ready.body, R"("auditFindings":0)")
             && has(ready.body, R"("lastCleanAudit":"2)");
    },
    soon));
  REQUIRE(daemon.stop() == exited(0));
  at.spoil();
  daemon.start({"--audit.interval_ms=20", "--ready.require_clean_audit=true"});
  CHECK(test::poll_until(
    [&] {
      const auto ready = daemon.ask("GET", "/readyz?verbose");
      return ready.status == 503
             && has(ready.body, "the last audit has findings")
             && has(ready.body, R"("auditFindings":1)")
             && has(ready.body, R"("lastCleanAudit":null)");
    },
    soon));
  CHECK(has(daemon.log(), "sku=sku-1"));
  REQUIRE(daemon.stop() == exited(0));
  daemon.start({"--audit.interval_ms=20"});
  CHECK(test::poll_until(
    [&] {
      const auto ready = daemon.ask("GET", "/readyz?verbose");
      return ready.status == 200 && has(ready.body, R"("auditFindings":1)");
    },
    soon));
  CHECK(daemon.stop() == exited(0));
}
