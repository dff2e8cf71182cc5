// How the last stop was: after a clean one effects run as usual, after a kill
// alone and with a durable attempt each.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::serves;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

void drain_consumers(world& w) {
  caf::anon_send(w.it->inventory_owner(), actors::drain_atom::value);
  caf::anon_send(w.it->fulfillment_owner(), actors::drain_atom::value);
  caf::anon_send(w.it->notification_owner(), actors::drain_atom::value);
  w.run();
}

/// Publishes an event; true if its effect ran with an attempt before it.
bool is_careful(world& w, const std::string& aggregate) {
  bool careful = false;
  support::on_fault_point([&](std::string_view) { careful = true; });
  REQUIRE(support::arm_fault_point("consumer.after_attempt", 1));
  w.publish({accepted_event("e-" + aggregate, "tn-a", aggregate)});
  CHECK(w.fulfillment("tn-a", aggregate).position == 1);
  support::on_fault_point([](std::string_view) {});
  return careful;
}

} // namespace

TEST_CASE(
  "a first start is not careful, and neither is one after a clean stop") {
  world w;
  CHECK_FALSE(is_careful(w, "o-1"));
  drain_consumers(w);
  w.restart();
  CHECK_FALSE(is_careful(w, "o-2"));
  serves(w, "tn-b", "control");
}

TEST_CASE("a start after a kill is careful until it stops cleanly") {
  world w;
  w.restart(); // killed before anything was delivered
  CHECK(is_careful(w, "o-1"));
  w.restart();
  CHECK(is_careful(w, "o-2"));
  drain_consumers(w);
  w.restart();
  CHECK_FALSE(is_careful(w, "o-3"));
  serves(w, "tn-b", "control");
}

TEST_CASE("care ends after one window of effects, not of duplicates") {
  world w([](app::config& with) { with.consumer.in_flight_max = 4; });
  for (int i = 0; i < 20; ++i)
    w.publish({accepted_event("e-" + std::to_string(i), "tn-a",
                              "o-" + std::to_string(i))});
  w.restart();
  for (int i = 0; i < 20; ++i) // as after a lagging cursor
    w.publish({accepted_event("e-" + std::to_string(i), "tn-a",
                              "o-" + std::to_string(i))});
  for (int i = 20; i < 24; ++i)
    CHECK(is_careful(w, "o-" + std::to_string(i)));
  CHECK_FALSE(is_careful(w, "o-24"));
  serves(w, "tn-b", "control");
}

TEST_CASE("a stop with streams that wait is clean, and they go on waiting") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  drain_consumers(w);
  w.restart();
  CHECK_FALSE(is_careful(w, "o-2"));
  CHECK(w.fulfillment("tn-a", "o-1").waiting.has_value());
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  CHECK(w.fulfillment("tn-a", "o-1").position == 2);
  serves(w, "tn-b", "control");
  w.check_invariants();
}
