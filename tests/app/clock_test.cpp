// A wall clock that is set holds nothing up (F37): what waits for an instant
// was never put further ahead than its policy allows, so an instant beyond
// that was written before the clock was set back.
#include "domain/payment.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::test;

namespace {

constexpr unix_ms year = 365LL * 24 * 3600 * 1000;

} // namespace

TEST_CASE("a retry comes although the clock was set back, restart or not") {
  for (const bool restarts : {false, true}) {
    CAPTURE(restarts);
    bool fails = true;
    world w(
      {}, [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
    w.stock("tn-a", "sku-1", 10);
    const auto id = w.accepted("tn-a", "k");
    CHECK(w.fulfillment("tn-a", id).waiting.has_value());
    w.clock.set(w.clock.now() - year);
    fails = false;
    if (restarts)
      w.restart();
    w.pass(120'000, 1000);
    CHECK(w.job("tn-a", id).has_value());
    CHECK(w.dead_letters().empty());
  }
}

TEST_CASE("a stream that the bus refused is offered again all the same") {
  for (const bool restarts : {false, true}) {
    CAPTURE(restarts);
    bool refuses = true;
    bus_script script;
    script.judge = [&](const bus::offered&) -> std::optional<domain::fault> {
      if (refuses)
        return domain::fault{domain::failure::bus_refused, "not yet"};
      return std::nullopt;
    };
    world w({}, script.inject());
    w.stock("tn-a", "sku-1", 10);
    const auto id = w.accepted("tn-a", "k");
    CHECK_FALSE(w.job("tn-a", id).has_value());
    w.clock.set(w.clock.now() - year);
    refuses = false;
    if (restarts)
      w.restart();
    w.pass(120'000, 1000);
    CHECK(w.job("tn-a", id).has_value());
  }
}

TEST_CASE("a reservation without an order ends although the clock went back") {
  for (const bool restarts : {false, true}) {
    CAPTURE(restarts);
    world w;
    w.stock("tn-a", "sku-1", 10);
    auto silent = w.send(world::request("tn-a", "k", 2, "tok_silent"));
    w.run();
    if (restarts)
      w.restart(); // nobody is left who would release it
    CHECK(w.stock_of("tn-a", "sku-1")->reserved == 2);
    w.clock.set(w.clock.now() - year);
    if (restarts)
      w.restart();
    // One that comes after is not hidden behind it.
    const auto later = w.send(world::request("tn-a", "l", 3, "tok_silent"));
    w.pass(120'000, 1000);
    CHECK(w.stock_of("tn-a", "sku-1")->reserved == 0);
    w.check_invariants();
  }
}
