// What the consumers' contract (consumer_contract.hpp) leaves to each effect
// and to the ids of foreign producers: what a late fill does to job and sends,
// an id that comes back elsewhere, a version that the configuration adds.
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::letter_of;
using test::serves;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;
constexpr auto notification = domain::notification_consumer;

} // namespace

TEST_CASE("what drains late has its effects once, and in sequence") {
  world w;
  w.publish({cancelled_event("e-3", "tn-a", "o-1", 3)});
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  const auto row = w.fulfillment("tn-a", "o-1");
  REQUIRE(row.recent.size() == 3);
  CHECK(row.recent[2].mark == domain::inbox_mark::declined); // closed already
  CHECK(w.job("tn-a", "o-1")->state == domain::job_state::cancelled);
  CHECK(w.sends("tn-a", "o-1").size() == 2);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a foreign id that comes back on another stream is a fork there") {
  world w;
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  w.publish({accepted_event("e-1", "tn-a", "o-2")});
  CHECK(letter_of(w, fulfillment).cause
        == domain::dead_letter_cause::sequence_fork);
  CHECK(w.fulfillment("tn-a", "o-2").position == 0);
  // The stream goes on with the right event; another tenant has its own ids.
  w.publish({accepted_event("e-9", "tn-a", "o-2")});
  CHECK(w.fulfillment("tn-a", "o-2").position == 1);
  w.publish({accepted_event("e-1", "tn-b", "o-1")});
  CHECK(w.fulfillment("tn-b", "o-1").position == 1);
  w.check_invariants();
}

TEST_CASE("an id used elsewhere while it waited leaves the hole a hole") {
  world w;
  w.publish({cancelled_event("e-x", "tn-a", "o-1", 2)}); // waits for 1
  w.publish({accepted_event("e-x", "tn-a", "o-2")});     // takes the id
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  auto row = w.fulfillment("tn-a", "o-1");
  CHECK(row.position == 1);
  CHECK_FALSE(row.waiting.has_value());
  CHECK(letter_of(w, fulfillment).cause
        == domain::dead_letter_cause::sequence_fork);
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)}); // the right one
  CHECK(w.fulfillment("tn-a", "o-1").position == 2);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a version that the configuration adds is applied by all three") {
  world w([](app::config& with) {
    with.order.accepted_version = {{"tn-a", 2}};
    for (const auto consumer :
         {domain::inventory_consumer, fulfillment, notification})
      with.consumer.supported.push_back(
        {std::string(consumer), std::string(domain::order_accepted), 2});
  });
  w.stock("tn-a", "sku-1", 10);
  const auto id = w.accepted("tn-a", "k");
  CHECK(w.job("tn-a", id).has_value());
  CHECK(w.sends("tn-a", id).size() == 1);
  CHECK(w.dead_letters().empty());
  const auto order = w.order("tn-a", id);
  const auto row = w.it->store().read().get(
    storage::owner::inventory,
    storage::reservation_key("tn-a", order->reservation_id));
  CHECK(domain::decode_reservation(*row)->state
        == domain::reservation_state::confirmed);
  serves(w, "tn-b", "control");
  w.check_invariants();
}
