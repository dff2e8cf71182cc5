// Sequence numbers across a restart, and across a hole.
#include "tests/events/event_world.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;

TEST_CASE(
  "ordering survives restart and remains tenant-plus-aggregate scoped") {
  const test::check_directory directory("ordering");
  {
    test::world w(test::in(directory.path()));
    w.publish({accepted_event("evt-701", "tn-a", "ord-701", 1)});
    w.restart();
    w.publish({cancelled_event("evt-702", "tn-a", "ord-701", 2)});
    w.publish({accepted_event("evt-b01", "tn-b", "ord-901", 1)});
    w.check_invariants();
  }
  const test::closed_store left(directory.path());
  using who = std::pair<storage::owner, std::string_view>;
  for (const auto& of :
       {who(storage::owner::fulfillment, domain::fulfillment_consumer),
        who(storage::owner::notification, domain::notification_consumer),
        who(storage::owner::inventory, domain::inventory_consumer)}) {
    CAPTURE(of.second);
    CHECK(left.stream(of.first, of.second, "tn-a", "ord-701").position == 2);
    CHECK(left.stream(of.first, of.second, "tn-b", "ord-901").position == 1);
  }
  CHECK(left.job("tn-a", "ord-701")->state == domain::job_state::cancelled);
  CHECK(left.job("tn-b", "ord-901")->state == domain::job_state::started);
  CHECK(left.dead_letters().empty());
}

TEST_CASE("out-of-order event quarantines only its scoped stream") {
  const test::check_directory directory("gap");
  const auto early = cancelled_event("evt-703", "tn-a", "ord-701", 3);
  {
    test::world w(test::in(directory.path()));
    w.publish({accepted_event("evt-701", "tn-a", "ord-701", 1)});
    w.publish({early});
    w.publish({accepted_event("evt-b01", "tn-b", "ord-901", 1)});
    w.check_invariants();
  }
  const test::closed_store left(directory.path());
  const auto letters = left.dead_letters();
  CHECK(letters.size() == 3); // one a consumer, each of its own
  for (const auto& one : letters) {
    CAPTURE(one.consumer);
    CHECK(one.event_id == "evt-703");
    CHECK(one.cause == domain::dead_letter_cause::sequence_gap);
    CHECK(one.tenant_id == "tn-a");
    CHECK(one.aggregate_id == "ord-701");
    CHECK(one.expected_sequence == 2);
    CHECK(one.observed_sequence == 3);
    CHECK(left.payload(one) == codec::make_event(early)->bytes);
  }
  using name = std::pair<std::string, std::string>;
  CHECK(left.jobs()
        == std::vector<name>{{"tn-a", "ord-701"}, {"tn-b", "ord-901"}});
  CHECK(left.position("tn-a", "ord-701") == 1);
  CHECK(left.position("tn-b", "ord-901") == 1);
}

TEST_CASE("a quarantined event keeps the id and digest that a replay needs") {
  const test::check_directory directory("kept");
  const auto event =
    codec::make_event(cancelled_event("evt-703", "tn-a", "ord-701", 3));
  {
    test::world w(test::in(directory.path()));
    w.publish({accepted_event("evt-701", "tn-a", "ord-701", 1)});
    w.publish({event->envelope});
    w.restart();
    test::serves(w, "tn-b", "control");
  }
  const test::closed_store left(directory.path());
  const auto letters = left.dead_letters();
  REQUIRE(letters.size() == 3);
  for (const auto& one : letters) {
    CHECK(one.event_id == "evt-703");
    CHECK(one.digest == event->digest);
    CHECK(left.payload(one) == event->bytes);
    CHECK(one.replay_role == "responder");
    CHECK(one.replay_ids.empty()); // the place for them; nothing replays yet
  }
}
