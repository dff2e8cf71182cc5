// A host of consumers alone: effects that fail, and a restart on the same
// directory. Bus, committer and dead-letter owner say what the test says.
#include "tests/actors/lone_consumers.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using test::answer_to;
using test::lone_consumers;
using test::taken;
using tokens = std::vector<std::uint64_t>;

TEST_CASE("a failed effect is tried again when its row is durable and due") {
  lone_consumers f;
  f.sick["tn-a"] = 1;
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-a", 2)),
             f.carrying(f.about("tn-b", 1))});
  f.pass(1000); // the committer is late: no row, no timer, no ack
  CHECK(f.calls["tn-a"] == 1);
  CHECK(f.settled().empty());
  f.commit();
  CHECK(f.settled() == tokens{1, 2, 3}); // in the room they hold no credit
  CHECK(f.stream("tn-b").position == 1);
  f.commit_all();
  CHECK(f.calls["tn-a"] == 3); // it was due long ago; the second follows
  CHECK(f.stream("tn-a").position == 2);
  CHECK(f.stream("tn-a").recent[0].door == domain::via::retry);
  CHECK(f.stream("tn-a").recent[1].door == domain::via::drain);
  CHECK(f.dead_letter.tells.empty());
}

TEST_CASE("an effect that fails for good ends as a record, with its history") {
  lone_consumers f;
  f.sick["tn-a"] = 1000;
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-b", 1))});
  f.commit_all();
  f.pass(199);
  CHECK(f.calls["tn-a"] == 1);
  f.pass(1);
  f.commit_all();
  CHECK(f.calls["tn-a"] == 2);
  f.pass(400);
  f.commit_all();
  CHECK(f.calls["tn-a"] == 3);
  REQUIRE(f.dead_letter.tells.size() == 1);
  const auto& letter = *f.dead_letter.tells[0]->row.opened;
  CHECK(letter.cause == domain::dead_letter_cause::attempts_exhausted);
  CHECK(letter.attempts.size() == 3);
  CHECK(f.settled() == tokens{1, 2}); // settled long before, from the room
  f.pass(600'000);
  CHECK(f.calls["tn-a"] == 3); // a responder's turn
  f.told(answer_to(*f.dead_letter.tells[0]));
  f.commit_all();
  f.deliver({f.carrying(f.about("tn-a", 2)), f.carrying(f.about("tn-b", 2))});
  f.commit_all();
  CHECK(f.settled() == tokens{3, 4});
  CHECK(f.stream("tn-a").waiting->rows == 2);
  CHECK(f.stream("tn-b").position == 2);
}

TEST_CASE("what was not written is delivered again, and applied once") {
  lone_consumers f;
  f.deliver("tn-b", 1);
  f.commit();
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-b", 2))});
  CHECK(f.calls["tn-a"] == 1);
  f.restart();
  CHECK(f.settled() == tokens{1});
  CHECK(f.stream("tn-a").position == 0);
  CHECK(f.stream("tn-b").position == 1);
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-b", 1)),
             f.carrying(f.about("tn-b", 2))});
  f.commit_all();
  CHECK(f.settled() == tokens{4, 5, 6});
  CHECK(f.stream("tn-a").effect == "+");
  CHECK(f.stream("tn-b").effect == "++");
}

TEST_CASE(
  "after a kill an effect runs when its attempt is durable, not before") {
  lone_consumers f;
  f.restart(); // a kill: it was never drained
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-b", 1))});
  f.commit(); // its row
  CHECK(f.calls["tn-a"] == 0);
  for (int deaths = 0; deaths < 3; ++deaths) {
    REQUIRE(f.held.size() == 1); // the attempt
    CHECK(f.calls["tn-a"] == deaths);
    f.commit(); // the effect runs, and the process dies of it
    CHECK(f.calls["tn-a"] == deaths + 1);
    f.end();
    f.live();
    f.spawn();
    f.commit();
  }
  f.commit_all(); // the third death was the last
  CHECK(f.calls["tn-a"] == 3);
  REQUIRE(f.dead_letter.tells.size() == 1);
  CHECK(f.dead_letter.tells[0]->row.opened->attempts.size() == 3);
  f.deliver("tn-b", 1);
  f.commit_all();
  CHECK(f.stream("tn-b").position == 1);
  CHECK(f.stream("tn-a").position == 0);
}

TEST_CASE("a restart goes on with retries, rooms and what nobody confirmed") {
  lone_consumers f;
  f.sick["tn-a"] = 1;
  f.deliver("tn-a", 1);       // fails once
  f.deliver("tn-a", 2);       // behind it
  f.deliver("tn-b", 2);       // a gap
  f.deliver("tn-b", 1, f.v2); // of the other consumer
  f.commit_all();
  const auto before = taken(f.dead_letter.tells);
  REQUIRE(before.size() == 1);
  f.restart();
  const auto again = taken(f.dead_letter.tells);
  REQUIRE(again.size() == 1); // by the consumer whose it is
  CHECK(again[0]->consumer == f.v1);
  CHECK(again[0]->dead_letter_id == before[0]->dead_letter_id);
  CHECK(f.calls["tn-a"] == 1); // its time has not come
  f.pass(200);
  f.commit_all();
  CHECK(f.stream("tn-a").position == 2);
  f.pass(2000); // and the hole is asked for
  REQUIRE(f.order.resend.size() == 1);
  CHECK(f.order.resend[0].tenant_id == "tn-b");
  f.told(answer_to(*again[0]));
  f.commit_all();
  f.restart();
  CHECK(f.dead_letter.tells.empty());
  CHECK(f.stream("tn-b").waiting->cause == domain::wait_cause::gap);
  CHECK(f.stream("tn-b", f.v2).position == 1);
}

TEST_CASE("a drain waits for the round and for the dead-letter owner") {
  lone_consumers f;
  f.deliver({f.carrying(f.about("tn-a", 2)), f.carrying(f.about("tn-b", 1))});
  const auto drained = f.on->ask(f.subject, drain_atom::value);
  f.run();
  f.commit_all();
  CHECK_FALSE(drained->has_value());
  REQUIRE(f.dead_letter.tells.size() == 1);
  f.told(answer_to(*f.dead_letter.tells[0]));
  CHECK_FALSE(drained->has_value());
  f.commit_all();
  CHECK(*drained == true);
  CHECK(f.settled() == tokens{2, 1});
  // It was stopped cleanly: the next one applies a new event at once.
  f.restart();
  f.deliver("tn-b", 2);
  f.commit();
  CHECK(f.stream("tn-b").position == 2);
}
