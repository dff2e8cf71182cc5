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

/// Asks as the runtime does at a stop; the slot fills when the owner answers.
template <class Owner>
std::shared_ptr<bool> ask_drain(world& w, const Owner& owner) {
  auto answered = std::make_shared<bool>(false);
  w.system->spawn([=](caf::event_based_actor* self) {
    self->request(owner, caf::infinite, actors::drain_atom::value)
      .then([=](bool done) { *answered = done; });
  });
  return answered;
}

void drain_consumers(world& w) {
  const auto inventory = ask_drain(w, w.it->inventory_owner());
  const auto fulfilling = ask_drain(w, w.it->fulfillment_owner());
  const auto notifying = ask_drain(w, w.it->notification_owner());
  w.run();
  REQUIRE(*inventory);
  REQUIRE(*fulfilling);
  REQUIRE(*notifying);
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

TEST_CASE("every owner answers its drain while it works, with any committer") {
  for (const auto committer :
       {app::committer_kind::shared, app::committer_kind::per_owner}) {
    CAPTURE(static_cast<int>(committer));
    world w([&](app::config& with) { with.storage.committer = committer; });
    w.stock("tn-a", "sku-1", 10);
    // Each is asked with work in its mailbox or in a round.
    const auto placed = w.send(world::request("tn-a", "k"));
    const auto order = ask_drain(w, w.it->order_owner());
    w.run();
    REQUIRE(placed->has_value());
    CHECK((*placed)->what == actors::place_answer::kind::accepted);
    CHECK(*order);
    w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)}); // a dead letter each
    const auto relay = ask_drain(w, w.it->relay_owner());
    w.run();
    CHECK(*relay);
    auto batch = std::make_shared<bus::delivery_batch>(1);
    batch->front().event =
      codec::make_event(accepted_event("e-9", "tn-a", "o-9"));
    batch->front().topic = domain::order_topic;
    batch->front().token = 1ULL << 40U;
    const auto deliver = [&](const actors::consumer_actor& to,
                             std::string_view name) {
      caf::anon_send(to, actors::deliver_atom::value, std::string(name),
                     actors::delivery_ptr(batch));
    };
    deliver(w.it->inventory_owner(), domain::inventory_consumer);
    deliver(w.it->fulfillment_owner(), fulfillment);
    deliver(w.it->notification_owner(), domain::notification_consumer);
    drain_consumers(w);
    CHECK(w.fulfillment("tn-a", "o-9").position == 1);
    CHECK(w.notification("tn-a", "o-9").position == 1);
  }
}
