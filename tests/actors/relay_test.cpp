// The relay alone: what it offers, in what order, and what it books. Bus and
// committer say what the test says; tn-a and tn-b go side by side.
#include "tests/actors/lone_relay.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::failure;
using domain::fault;
using test::lone_relay;
using names = std::vector<std::string>;

namespace {

const fault unreachable{failure::bus_unreachable, "no way"};

} // namespace

TEST_CASE("what is handed on is offered once, and booked in one round") {
  lone_relay f;
  f.both();
  REQUIRE(f.bus.offers.size() == 1);
  CHECK(f.bus.offers[0].ids() == names{"a1", "b1"});
  CHECK(f.held.empty()); // nothing is booked before the bus accepted it
  f.answer(0);
  CHECK(f.held.size() == 1);
  CHECK(f.cursor() == 0);
  f.commit();
  CHECK(f.cursor() == 2);
  REQUIRE(f.run_to(2).has_value());
  CHECK(f.run_to(2)->first_position == 1);
  CHECK(f.run_to(2)->broker_ids == names{"log-a1", "log-b1"});
  f.pass(60'000);
  CHECK(f.bus.offers.size() == 1);
  CHECK(f.held.empty());
}

TEST_CASE("a hint with a hole, a hint twice, no hint: the store is the truth") {
  lone_relay f;
  f.put("tn-a");
  f.put("tn-b");
  f.hint({f.put("tn-a", "o-2")});
  REQUIRE(f.bus.offers.size() == 1);
  CHECK(f.bus.offers[0].events.size() == 3); // from the first on
  f.hint({1, 2, 3});
  CHECK(f.bus.offers.size() == 1);
  f.put("tn-b", "o-2");
  f.pass(1000); // the safety poll
  REQUIRE(f.bus.offers.size() == 2);
  CHECK(f.bus.offers[1].events.size() == 1);
  f.answer(0);
  f.answer(1);
  f.commit_all();
  CHECK(f.cursor() == 4);
}

TEST_CASE("in a stream the next one is offered when the one before is in") {
  lone_relay f;
  const auto a1 = f.put("tn-a");
  const auto a2 = f.put("tn-a");
  f.hint({a1, a2, f.put("tn-b")});
  CHECK(f.accept() == names{"a1"});
  CHECK(f.accept() == names{"a2", "b1"}); // the disk is not waited for
  CHECK(f.cursor() == 0);
  f.commit_all();
  CHECK(f.cursor() == 3);
}

TEST_CASE("a bus that takes a batch whole gets a stream in one batch") {
  lone_relay f({}, true);
  const auto a1 = f.put("tn-a");
  const auto a2 = f.put("tn-a");
  f.hint({a1, a2, f.put("tn-b")});
  CHECK(f.accept() == names{"a1", "a2", "b1"});
}

TEST_CASE("answers in another order are booked in the order of positions") {
  relay_limits limits;
  limits.batch_events_max = 1;
  limits.publish_window = 2;
  lone_relay f(limits);
  f.both();
  f.hint({f.put("tn-b", "o-2")});
  REQUIRE(f.bus.offers.size() == 2); // the window
  f.answer(1);
  CHECK(f.held.empty()); // b1 is in, but a1 stands before it
  CHECK(f.bus.offers.size() == 2);
  f.answer(0);
  REQUIRE(f.bus.offers.size() == 3);
  f.commit_all();
  CHECK(f.cursor() == 2);
  CHECK(f.run_to(1)->broker_ids == names{"log-a1"});
  CHECK(f.run_to(2)->broker_ids == names{"log-b1"});
}

TEST_CASE("a bus that cannot be reached holds nothing and gets all again") {
  lone_relay f;
  f.both();
  f.answer(0, {{"a1", unreachable}, {"b1", unreachable}});
  CHECK(f.held.empty());
  f.pass(199);
  CHECK(f.bus.offers.size() == 1);
  f.pass(1);
  REQUIRE(f.bus.offers.size() == 2);
  CHECK(f.bus.offers[1].ids() == names{"a1", "b1"});
  f.answer(1, {{"b1", unreachable}}); // the half of it
  f.commit_all();
  CHECK(f.cursor() == 1);
  CHECK(f.run_to(1)->attempts == 2);
  f.pass(400);
  REQUIRE(f.bus.offers.size() == 3);
  CHECK(f.bus.offers[2].ids() == names{"b1"});
  f.answer(2);
  f.commit_all();
  CHECK(f.cursor() == 2);
  CHECK(f.run_to(2)->attempts == 3);
  CHECK_FALSE(f.held_of("tn-a").has_value());
  CHECK_FALSE(f.held_of("tn-b").has_value());
}

TEST_CASE("a silent bus leaves the outcome open; late and double answers") {
  lone_relay f;
  f.both();
  f.pass(f.limits.publish_deadline_ms);
  f.pass(200);
  REQUIRE(f.bus.offers.size() == 2);
  f.answer(0); // of an offer that was given up
  CHECK(f.held.empty());
  CHECK(f.cursor() == 0);
  f.answer(1);
  f.answer(1);
  f.commit_all();
  CHECK(f.cursor() == 2);
  CHECK(f.run_to(2)->attempts == 2);
  const auto published = f.metrics.counter(
    "parcelflow_events_published_total", "Outbox events that the bus accepted");
  CHECK(published.value() == 2);
}

TEST_CASE("a resend is a further offer with a receipt of its own") {
  lone_relay f;
  f.both();
  f.again(1); // its first publication is still to come
  CHECK(f.bus.offers.size() == 1);
  f.accept();
  f.commit_all();
  f.again(1);
  f.again(9); // there is none
  REQUIRE(f.bus.offers.size() == 1);
  CHECK(f.bus.offers[0].events[0].offer == 1);
  CHECK(f.accept() == names{"a1"});
  f.commit_all();
  CHECK(f.single(1, 1)->broker_ids == names{"log-a1"});
  CHECK_FALSE(f.single(2, 1).has_value());
  f.again(1);
  f.again(2);
  REQUIRE(f.bus.offers.size() == 2);
  CHECK(f.bus.offers[0].events[0].offer == 2); // counted on
  CHECK(f.bus.offers[1].events[0].offer == 1);
  f.answer(1);
  f.pass(f.limits.publish_deadline_ms); // the bus is silent about the first
  f.answer(0);                          // too late: whoever misses it asks
  f.commit_all();
  CHECK_FALSE(f.single(1, 2).has_value());
  CHECK(f.single(2, 1)->broker_ids == names{"log-b1"});
  CHECK(f.cursor() == 2);
}

TEST_CASE("a drain waits for what is offered, and for its round") {
  lone_relay f;
  f.both();
  f.put("tn-a"); // nobody handed it on
  const auto drained = f.on->ask(f.subject, drain_atom::value);
  f.run();
  CHECK(f.accept() == names{"a1", "b1"});
  CHECK(f.accept() == names{"a2"});
  CHECK_FALSE(drained->has_value());
  f.commit_all();
  CHECK(f.cursor() == 3);
  CHECK(*drained == true);
}
