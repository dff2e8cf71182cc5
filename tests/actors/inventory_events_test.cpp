// The inventory owner alone, as the third consumer of order events; and its
// restart on the same directory. Bus, dead-letter owner, order owner and
// committer say what the test says.
#include "tests/actors/lone_inventory.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::order_accepted;
using domain::order_cancelled;
using domain::order_completed;
using domain::stock;
using test::answer_to;
using test::lone_inventory;
using test::taken;
using state = domain::reservation_state;
using tokens = std::vector<std::uint64_t>;

TEST_CASE("accepted confirms, cancelled gives back, completed takes away") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a", "k", 2);
  const auto b = f.held_by("tn-b", "k", 3);
  f.deliver({f.event(a, 1, order_accepted), f.event(b, 1, order_accepted)});
  CHECK(f.settled().empty());
  CHECK(f.state(a) == state::held);
  f.commit();
  CHECK(f.settled() == tokens{1, 2});
  CHECK(f.state(a) == state::confirmed);
  CHECK(f.state(b) == state::confirmed);
  f.release(a); // too late: its order is accepted
  CHECK(f.held.empty());
  f.deliver({f.event(a, 2, order_cancelled), f.event(b, 2, order_completed)});
  f.commit();
  CHECK(f.settled() == tokens{3, 4});
  CHECK(f.state(a) == state::released);
  CHECK(f.state(b) == state::consumed);
  CHECK(f.stock("tn-a") == stock{10, 0});
  CHECK(f.stock("tn-b") == stock{7, 0});
}

TEST_CASE("a duplicate writes nothing, and waits for the round of the first") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(a, 1, order_accepted)});
  f.deliver({f.event(a, 1, order_accepted), f.event(b, 1, order_accepted)});
  CHECK(f.settled().empty());
  f.commit_all();
  CHECK(f.settled() == tokens{1, 2, 3});
  f.deliver({f.event(a, 1, order_accepted)});
  CHECK(f.held.empty());
  CHECK(f.settled() == tokens{4});
  CHECK(f.stream("tn-a").position == 1);
  CHECK(f.stream("tn-b").position == 1);
}

TEST_CASE("what a reservation does not allow is declined and moves nothing") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  // tn-b names a reservation that is not its own.
  f.deliver({f.event(a, 1, order_accepted, "tn-b")});
  f.deliver({f.event(a, 1, order_completed)}); // it is held, not confirmed
  f.commit_all();
  CHECK(f.settled() == tokens{1, 2});
  CHECK(f.state(a) == state::held);
  CHECK(f.stock("tn-a") == stock{10, 1});
  for (const auto* tenant : {"tn-a", "tn-b"}) {
    REQUIRE(f.stream(tenant).recent.size() == 1);
    CHECK(f.stream(tenant).recent[0].mark == domain::inbox_mark::declined);
  }
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(b, 2, order_accepted)}); // and the stream goes on
  f.commit();
  CHECK(f.state(b) == state::confirmed);
}

TEST_CASE("an event too early waits; nobody answers for it but its record") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(a, 2, order_cancelled)});
  CHECK(f.dead_letter.tells.empty()); // its row first
  f.commit();
  REQUIRE(f.dead_letter.tells.size() == 1);
  const auto tell = taken(f.dead_letter.tells)[0];
  CHECK(tell->tenant_id == "tn-a");
  // The dead-letter owner is silent: no ack. The other tenant goes on.
  f.deliver({f.event(a, 2, order_cancelled), f.event(b, 1, order_accepted)});
  f.commit_all();
  CHECK(f.settled() == tokens{3});
  auto wrong = answer_to(*tell);
  wrong.generation += 1;
  f.told(wrong);
  wrong = answer_to(*tell);
  wrong.tenant_id = "tn-b";
  f.told(wrong);
  CHECK(f.held.empty());
  f.told(answer_to(*tell));
  f.told(answer_to(*tell)); // twice
  CHECK(f.settled().empty());
  f.commit_all();
  CHECK(f.settled() == tokens{1, 2});
  f.deliver({f.event(a, 1, order_accepted)}); // the hole closes
  f.commit_all();
  CHECK(f.settled() == tokens{4});
  CHECK(f.stream("tn-a").position == 2);
  CHECK(f.state(a) == state::released);
  CHECK(f.stock("tn-a") == stock{10, 0});
  REQUIRE(f.dead_letter.tells.size() == 1);
  CHECK(f.dead_letter.tells[0]->row.closed->to
        == domain::dead_letter_state::resolved);
}

TEST_CASE("a hole is asked for at the order owner, again while it is silent") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(a, 3, order_cancelled), f.event(b, 1, order_accepted)});
  f.commit_all();
  f.pass(1999);
  CHECK(f.order.resend.empty());
  f.pass(1);
  auto asked = taken(f.order.resend);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].consumer == domain::inventory_consumer);
  CHECK(asked[0].tenant_id == "tn-a");
  CHECK(asked[0].aggregate_id == "o-1");
  CHECK(asked[0].from == 1);
  CHECK(asked[0].to == 2);
  f.pass(2000);
  CHECK(taken(f.order.resend).size() == 1);
  f.deliver({f.event(a, 1, order_accepted), f.event(a, 2, order_completed)});
  f.commit_all();
  CHECK(f.stream("tn-a").position == 3);
  f.pass(120'000);
  CHECK(f.order.resend.empty());
}

TEST_CASE("a restart finds what was held, and nothing that was not written") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.reserve({f.ask("tn-a", "lost", 5)});
  f.restart();
  CHECK(f.order.reserved.empty());
  CHECK(f.recovered == 2);
  CHECK(f.stock("tn-a") == stock{10, 1});
  CHECK(f.held_by("tn-a").reservation_id == a.reservation_id); // adopted
  CHECK(f.stock("tn-a") == stock{10, 1});
  f.release(b);
  f.commit_all();
  CHECK(f.stock("tn-b") == stock{10, 0});
  f.restart();
  f.pass(f.limits.reservation_deadline_ms);
  auto asked = taken(f.order.resolve);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].reservation_id == a.reservation_id);
}

TEST_CASE("a restart tells again what the dead-letter owner never confirmed") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(a, 2, order_cancelled), f.event(b, 1, order_accepted)});
  f.commit();
  const auto before = taken(f.dead_letter.tells);
  REQUIRE(before.size() == 1);
  CHECK(f.settled() == tokens{2});
  f.restart();
  const auto again = taken(f.dead_letter.tells);
  REQUIRE(again.size() == 1);
  CHECK(again[0]->dead_letter_id == before[0]->dead_letter_id);
  f.deliver({f.event(a, 2, order_cancelled)}); // the bus delivers it again
  f.commit_all();
  CHECK(f.settled().empty());
  f.told(answer_to(*again[0]));
  f.commit_all();
  CHECK(f.settled() == tokens{3});
  f.restart();
  CHECK(f.dead_letter.tells.empty()); // it is known now
  CHECK(f.state(b) == state::confirmed);
}

TEST_CASE("a drain waits for the round and for the dead-letter owner") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(a, 2, order_cancelled), f.event(b, 1, order_accepted)});
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
  f.deliver({f.event(b, 2, order_completed)});
  f.commit();
  CHECK(f.state(b) == state::consumed);
}
