// The quarantine atom (I7, F21): wherever the process ends while an event is
// parked, told and settled, a restart finds exactly one record, told, settled.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::crash;
using test::letters_of;
using test::serves;
using test::unsettled;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

/// A gap at each of the three consumers, with the crash at one passage.
void survives(const std::string& point, std::uint64_t passage) {
  INFO(point, " passage ", passage);
  world w;
  w.stock("tn-b", "sku-1", 10);
  const auto b = w.accepted("tn-b", "k");
  {
    crash at(w, point, passage);
    w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
    at.restart();
  }
  REQUIRE(w.dead_letters().size() == 3);
  for (const auto& letter : w.dead_letters()) {
    CHECK(letter.cause == domain::dead_letter_cause::sequence_gap);
    CHECK(letter.steps.size() == 1);
  }
  CHECK(unsettled(w) == 0);
  w.check_invariants();
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  CHECK(w.fulfillment("tn-a", "o-1").position == 2);
  for (const auto& letter : w.dead_letters()) {
    CHECK(letter.state() == domain::dead_letter_state::resolved);
    CHECK(letter.steps.size() == 2);
  }
  CHECK(w.sends("tn-b", b).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

} // namespace

TEST_CASE(
  "a crash on the way into quarantine leaves one record, told, settled") {
  for (const std::string point :
       {"consumer.before_commit", "consumer.after_park",
        "dead_letter.before_commit", "dead_letter.after_commit",
        "consumer.after_tell", "consumer.after_commit",
        "consumer.before_settle", "consumer.after_settle"})
    for (const std::uint64_t passage : {1, 2, 3})
      survives(point, passage);
}

TEST_CASE("a crash while a drain closes a record closes it after the restart") {
  for (const std::string point :
       {"consumer.after_park", "dead_letter.before_commit",
        "dead_letter.after_commit", "consumer.after_tell"})
    for (const std::uint64_t passage : {1, 2, 3}) {
      INFO(point, " passage ", passage);
      world w;
      w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
      {
        crash at(w, point, passage);
        w.publish({accepted_event("e-1", "tn-a", "o-1")});
        at.restart();
      }
      CHECK(w.fulfillment("tn-a", "o-1").position == 2);
      REQUIRE(w.dead_letters().size() == 3);
      for (const auto& letter : w.dead_letters()) {
        CHECK(letter.state() == domain::dead_letter_state::resolved);
        CHECK(letter.steps.size() == 2); // told twice, noted once
      }
      CHECK(w.sends("tn-a", "o-1").size() == 2);
      serves(w, "tn-b", "control");
      w.check_invariants();
    }
}

TEST_CASE(
  "a record opened and closed in one telling is told twice, noted once") {
  for (const std::string point :
       {"dead_letter.before_commit", "dead_letter.after_commit",
        "consumer.after_tell"})
    for (const std::uint64_t passage : {1, 2, 3, 4}) {
      INFO(point, " passage ", passage);
      world w;
      {
        crash at(w, point, passage);
        w.publish({cancelled_event("e-2", "tn-a", "o-1", 2),
                   accepted_event("e-1", "tn-a", "o-1")});
        if (!at.struck())
          continue; // fewer tellings than that were needed
        at.restart();
      }
      CHECK(w.fulfillment("tn-a", "o-1").position == 2);
      for (const auto& letter : w.dead_letters()) {
        CHECK(letter.state() == domain::dead_letter_state::resolved);
        CHECK(letter.steps.size() == 2);
      }
      CHECK(w.dead_letters().size() == 3);
      CHECK(unsettled(w) == 0);
      serves(w, "tn-b", "control");
      w.check_invariants();
    }
}

TEST_CASE("a crash while a fork is set aside leaves one record") {
  for (const std::string point :
       {"consumer.before_commit", "consumer.after_park",
        "dead_letter.after_commit", "consumer.after_tell"}) {
    INFO(point);
    world w;
    w.publish({accepted_event("e-1", "tn-a", "o-1")});
    {
      crash at(w, point);
      w.publish({accepted_event("e-other", "tn-a", "o-1")});
      at.restart();
    }
    CHECK(letters_of(w, fulfillment).size() == 1);
    CHECK(w.sends("tn-a", "o-1").size() == 1);
    CHECK(unsettled(w) == 0);
    serves(w, "tn-b", "control");
    w.check_invariants();
  }
}

TEST_CASE("a crash in the recovery of a crash, three deep, changes nothing") {
  world w;
  const char* points[] = {"consumer.after_park", "dead_letter.before_commit",
                          "consumer.after_tell"};
  auto first = std::make_unique<crash>(w, points[0]);
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  auto second = std::make_unique<crash>(w, points[1]);
  first->restart();
  auto third = std::make_unique<crash>(w, points[2]);
  second->restart();
  third->restart();
  CHECK(w.dead_letters().size() == 3);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}
