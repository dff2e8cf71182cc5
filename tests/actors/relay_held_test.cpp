// The relay alone: events that the bus refuses, and a restart on the same
// directory. Bus, committer and dead-letter owner say what the test says.
#include "tests/actors/lone_relay.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::failure;
using domain::fault;
using test::answer_to;
using test::lone_relay;
using test::taken;
using names = std::vector<std::string>;

namespace {

const fault refused{failure::bus_refused, "not this one"};

/// tn-a's first event is refused, tn-b's is not; durable.
void refuse_first(lone_relay& f) {
  f.both();
  f.answer(0, {{"a1", refused}});
  f.commit_all();
  f.bus.offers.clear();
}
void refuse_again(lone_relay& f, support::unix_ms after) {
  f.pass(after);
  REQUIRE(f.bus.offers.size() == 1);
  CHECK(f.bus.offers[0].ids() == names{"a1"});
  f.answer(0, {{"a1", refused}});
  f.commit();
  f.bus.offers.clear();
}

} // namespace

TEST_CASE("a refused event holds its own stream, and the cursor passes it") {
  lone_relay f;
  refuse_first(f);
  CHECK(f.cursor() == 2);
  CHECK_FALSE(f.run_to(1).has_value());
  CHECK(f.run_to(2)->broker_ids == names{"log-b1"});
  REQUIRE(f.held_of("tn-a").has_value());
  CHECK(f.held_of("tn-a")->first_position == 1);
  CHECK(f.held_of("tn-a")->attempts.back().cause == "not this one");
  f.both(); // a2, b2
  CHECK(f.accept() == names{"b2"});
  f.again(1); // its first publication is still to come
  CHECK(f.bus.offers.empty());
  f.commit_all();
  CHECK(f.cursor() == 4);
  f.pass(200);
  CHECK(f.accept() == names{"a1"});
  CHECK(f.accept() == names{"a2"}); // one by one, what it passed
  f.commit_all();
  CHECK_FALSE(f.held_of("tn-a").has_value());
  CHECK(f.single(1, 1)->broker_ids == names{"log-a1"});
  CHECK(f.single(3, 0)->broker_ids == names{"log-a2"});
  f.both(); // and the stream is free
  CHECK(f.accept() == names{"a3", "b3"});
}

TEST_CASE("a bus that cannot be reached is no attempt of a held event") {
  lone_relay f;
  refuse_first(f);
  for (int i = 0; i < 5; ++i) {
    f.pass(400);
    REQUIRE(f.bus.offers.size() == 1);
    f.answer(0, {{"a1", {failure::bus_unreachable, "no way"}}});
    f.commit_all();
    f.bus.offers.clear();
  }
  CHECK(f.held_of("tn-a")->attempts.size() == 1);
  CHECK(f.dead_letter.tells.empty());
  f.both();
  CHECK(f.accept() == names{"b2"});
}

TEST_CASE("refused for good, it is told when that is durable, until answered") {
  lone_relay f;
  refuse_first(f);
  refuse_again(f, 200);
  f.pass(400);
  f.answer(0, {{"a1", refused}});
  f.bus.offers.clear();
  CHECK(f.dead_letter.tells.empty());
  f.commit();
  REQUIRE(f.dead_letter.tells.size() == 1);
  const auto tell = taken(f.dead_letter.tells)[0];
  CHECK(tell->tenant_id == "tn-a");
  CHECK(tell->row.opened->cause == domain::dead_letter_cause::publish_refused);
  CHECK(tell->row.opened->attempts.size() == 3);
  CHECK(tell->row.opened->payload == f.events[0]->bytes);
  f.pass(600'000); // silent: nothing is offered, nothing told twice
  CHECK(f.bus.offers.empty());
  CHECK(f.dead_letter.tells.empty());
  const auto drained = f.on->ask(f.subject, drain_atom::value);
  f.both();
  CHECK(f.accept() == names{"b2"});
  f.commit_all();
  CHECK_FALSE(drained->has_value());
  auto wrong = answer_to(*tell);
  wrong.generation += 1;
  f.told(wrong);
  CHECK(f.held.empty());
  f.told(answer_to(*tell));
  CHECK(f.held.size() == 1);
  f.told(answer_to(*tell));
  f.commit();
  CHECK(f.held.empty());
  CHECK(*drained == true);
  CHECK(f.held_of("tn-a")->dead_letter_id == tell->dead_letter_id);
}

TEST_CASE("beyond the most held streams the cursor stops in front") {
  relay_limits limits;
  limits.held_streams_max = 1;
  lone_relay f(limits);
  const auto a = f.put("tn-a");
  const auto b = f.put("tn-b");
  f.hint({a, b, f.put("tn-b", "o-2")});
  REQUIRE(f.bus.offers[0].ids() == names{"a1", "b1", "b1.o-2"});
  f.answer(0, {{"a1", refused}, {"b1", refused}});
  f.commit_all();
  CHECK(f.cursor() == 1);
  CHECK(f.held_of("tn-a").has_value());
  CHECK_FALSE(f.held_of("tn-b").has_value());
}

TEST_CASE("a restart finds what was never booked, and offers no more") {
  lone_relay f;
  f.both();
  f.accept();
  f.commit_all();
  f.both();
  f.accept(); // a2, b2: accepted, the round is lost with the process
  f.put("tn-a");
  f.restart();
  CHECK(f.accept() == names{"a2", "b2"}); // at least once
  CHECK(f.accept() == names{"a3"});       // without a hint
  f.commit_all();
  CHECK(f.cursor() == 5);
  f.restart();
  CHECK(f.bus.offers.empty());
}

TEST_CASE("a restart keeps held streams, their attempts, and what is untold") {
  lone_relay f;
  refuse_first(f);
  refuse_again(f, 200);
  f.restart();
  CHECK(f.bus.offers.empty()); // its time has not come
  f.both();
  CHECK(f.accept() == names{"b2"});
  refuse_again(f, 1000); // a poll is enough: 400 ms are over
  const auto before = taken(f.dead_letter.tells);
  REQUIRE(before.size() == 1); // the third attempt was the last
  f.restart();
  const auto again = taken(f.dead_letter.tells);
  REQUIRE(again.size() == 1);
  CHECK(again[0]->dead_letter_id == before[0]->dead_letter_id);
  f.told(answer_to(*again[0]));
  f.commit_all();
  f.restart();
  CHECK(f.dead_letter.tells.empty());
  CHECK(f.held_of("tn-a").has_value()); // still a responder's turn
  f.both();
  CHECK(f.accept() == names{"b3"});
}
