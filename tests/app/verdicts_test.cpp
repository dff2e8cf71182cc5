// The verdict table (R11) through the whole engine: a foreign producer
// publishes what it should not, and only its own stream feels it.
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::fulfillment_room;
using test::letter_of;
using test::letters_of;
using test::serves;
using test::unsettled;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;
constexpr auto notification = domain::notification_consumer;

bus::delivery delivery_of(domain::envelope of) {
  bus::delivery one;
  one.event = codec::make_event(std::move(of));
  return one;
}

} // namespace

TEST_CASE("a duplicate delivery writes nothing, a thousand times") {
  world w;
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  REQUIRE(w.fulfillment("tn-a", "o-1").position == 1);
  const auto before = w.written_bytes();
  for (int i = 0; i < 1000; ++i)
    w.deliver(w.it->fulfillment_owner(), fulfillment,
              delivery_of(accepted_event("e-1", "tn-a", "o-1")));
  CHECK(w.written_bytes() == before);
  CHECK(w.verdicts(std::string(fulfillment), "duplicate") == 1000);
  serves(w, "tn-b", "control");
  CHECK(w.written_bytes() > before); // the measure does measure
  w.check_invariants();
}

TEST_CASE("a gap is recorded with both sequences, and its stream waits") {
  world w;
  w.publish({cancelled_event("e-3", "tn-a", "o-1", 3)});
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::sequence_gap);
  CHECK(letter.expected_sequence == 1);
  CHECK(letter.observed_sequence == 3);
  CHECK(letter.state() == domain::dead_letter_state::open);
  CHECK(letter.tenant_id == "tn-a");
  CHECK(w.dead_letters().size() == 3); // one a consumer
  CHECK(w.fulfillment("tn-a", "o-1").position == 0);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->cause == domain::wait_cause::gap);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  serves(w, "tn-a", "same tenant, other stream");
  w.check_invariants();
}

TEST_CASE("what waits behind a gap has no record of its own") {
  world w;
  w.publish({cancelled_event("e-3", "tn-a", "o-1", 3)});
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  w.publish({cancelled_event("e-4", "tn-a", "o-1", 4)});
  CHECK(w.dead_letters().size() == 3);
  CHECK(w.verdicts(std::string(fulfillment), "waiting") == 2);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 3);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a late fill drains the stream in sequence and closes its record") {
  world w;
  w.publish({cancelled_event("e-3", "tn-a", "o-1", 3)});
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  const auto row = w.fulfillment("tn-a", "o-1");
  CHECK(row.position == 3);
  CHECK_FALSE(row.waiting.has_value());
  REQUIRE(row.recent.size() == 3);
  CHECK(row.recent[0].door == domain::via::delivery);
  CHECK(row.recent[1].door == domain::via::drain);
  CHECK(row.recent[2].door == domain::via::drain);
  CHECK(row.recent[2].mark == domain::inbox_mark::declined); // closed already
  CHECK(w.job("tn-a", "o-1")->state == domain::job_state::cancelled);
  CHECK(w.sends("tn-a", "o-1").size() == 2);
  for (const auto& letter : w.dead_letters())
    CHECK(letter.state() == domain::dead_letter_state::resolved);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("the next two in the wrong order in one batch drain by themselves") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2),
             accepted_event("e-1", "tn-a", "o-1")});
  CHECK(w.fulfillment("tn-a", "o-1").position == 2);
  CHECK(w.job("tn-a", "o-1")->state == domain::job_state::cancelled);
  CHECK(letter_of(w, fulfillment).state()
        == domain::dead_letter_state::resolved);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a fork by id is set aside with both ids, and the stream goes on") {
  world w;
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  w.publish({accepted_event("e-other", "tn-a", "o-1")});
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::sequence_fork);
  CHECK(letter.event_id == "e-other");
  CHECK(letter.known_event_id == "e-1");
  CHECK(letter.digest != letter.known_digest);
  CHECK(letter.known_digest == w.fulfillment("tn-a", "o-1").recent[0].digest);
  CHECK_FALSE(w.fulfillment("tn-a", "o-1").waiting.has_value());
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  CHECK(w.fulfillment("tn-a", "o-1").position == 2);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a fork by bytes under one id is set aside too") {
  world w;
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  auto changed = accepted_event("e-1", "tn-a", "o-1");
  changed.occurred_at = "2026-11-30T00:00:01.000Z";
  w.publish({changed});
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::sequence_fork);
  CHECK(letter.known_event_id == "e-1");
  CHECK(letter.digest != letter.known_digest);
  CHECK(w.sends("tn-a", "o-1").size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a rival of one that waits is a fork, not a second to wait") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  w.publish({cancelled_event("e-2b", "tn-a", "o-1", 2)});
  CHECK(letters_of(w, fulfillment).size() == 2);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 1);
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  CHECK(w.fulfillment("tn-a", "o-1").recent[1].event_id == "e-2");
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

TEST_CASE("an unsupported version at the head waits for a responder") {
  world w;
  auto later = accepted_event("e-1", "tn-a", "o-1");
  later.event_version = 2;
  w.publish({later});
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  const auto letter = letter_of(w, notification);
  CHECK(letter.cause == domain::dead_letter_cause::unsupported_version);
  CHECK(letter.event_version == 2);
  CHECK(w.notification("tn-a", "o-1").waiting->cause
        == domain::wait_cause::unsupported);
  CHECK(w.notification("tn-a", "o-1").waiting->rows == 2);
  w.pass(600'000, 10'000);
  CHECK(w.notification("tn-a", "o-1").position == 0);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  serves(w, "tn-a", "same tenant, other stream");
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
