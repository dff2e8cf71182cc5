// F1 to F12: the process dies on the way from a request to a published event.
#include "support/clock.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/closed_store.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace parcelflow;
using test::survives;

TEST_CASE("killed after the reservation, an order is there whole or not") {
  survives("order.after_reserve", 3);
}
TEST_CASE("killed before the commit, an order is there whole or not") {
  survives("order.before_commit", 5);
}
TEST_CASE("killed after the commit, an order arrives") {
  survives("order.after_commit", 4);
}
TEST_CASE("killed before publishing, the relay publishes after the restart") {
  survives("relay.before_publish", 4);
}
TEST_CASE("killed after publishing, an event published again has one effect") {
  survives("relay.after_publish", 3);
}
TEST_CASE("killed once the log has an event, before anyone was told") {
  survives("bus.after_append", 3);
}
TEST_CASE("killed before a receipt, an event published again has one effect") {
  survives("relay.before_receipt", 4);
}
TEST_CASE("killed after a receipt, nothing is lost behind it") {
  survives("relay.after_receipt", 3);
}
TEST_CASE("killed after a release, the stock is free and stays so") {
  survives("inventory.after_release", 2);
}

TEST_CASE("a reservation whose order never came goes back by itself") {
  test::crash_case one;
  const test::arguments quick = {"--inventory.reservation_deadline_ms=400",
                                 "--inventory.resolve_retry_ms=50",
                                 "--order.accept_deadline_ms=300",
                                 "--payment.deadline_ms=300"};
  one.dies_at({"order.after_reserve", 1, quick});
  {
    const test::closed_store left(one.daemon.directory());
    CHECK(left.orders().empty());
    CHECK(left.stock("tn-a", "sku-1")->reserved == 2);
  }
  auto flags = test::quick_flags();
  flags.insert(flags.end(), quick.begin(), quick.end());
  one.daemon.start(flags);
  CHECK(test::poll_until(
    [&] {
      const auto stock = one.ledger.get("tn-a", "/v1/inventory/sku-1");
      return stock.status == 200
             && nlohmann::json::parse(stock.body).at("reserved") == 0;
    },
    std::chrono::seconds(10)));
  CHECK(one.daemon.stop() == test::exited(0));
  one.recovers(); // and the key is free: the same order again
}

TEST_CASE("the audit sees an order that has not arrived") {
  test::crash_case one;
  one.dies_at({"order.after_commit"});
  const auto found = [&] {
    const test::closed_store left(one.daemon.directory());
    test::at_rest when;
    when.now = support::system_clock().now();
    return test::violations(left.read(), when);
  };
  const auto before = found();
  CHECK(before.size() == 3); // not at any of the three consumers
  for (const auto& one_lost : before)
    CHECK(one_lost.find("lost") != std::string::npos);
  one.recovers();
  CHECK(found().empty());
}
