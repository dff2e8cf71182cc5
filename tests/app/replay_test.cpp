// Replays in the whole engine: plan, execute, cancel, the report; what is
// predicted is what happens, whoever else is at work. Every scenario has a
// second tenant that must not notice.
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::test;
using domain::dead_letter_state;
using domain::verdict;

TEST_CASE("an unsupported version is replayed once its handler is there") {
  bool knows_v9 = false;
  world w({}, [&](app::seams& with) {
    with.adjust_spec = [&](domain::consumer_spec& spec) {
      if (knows_v9 && spec.name == domain::fulfillment_consumer)
        spec.supported.push_back({std::string(domain::order_accepted), 9});
    };
  });
  auto event = accepted_event("evt-9", "tn-a", "ord-9");
  event.event_version = 9;
  w.publish({event, cancelled_event("evt-9b", "tn-a", "ord-9", 2)});
  responder r(w, "tn-a");
  const auto id = only_letter(w, domain::fulfillment_consumer);
  REQUIRE(r.letter(id).state() == dead_letter_state::open);

  // As long as the handler is missing, the plan says so and so does the replay.
  auto plan = r.plan("consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::unsupported);
  auto report = r.run(plan);
  CHECK(report.counts.refused == 1);
  CHECK(r.letter(id).state() == dead_letter_state::open);
  CHECK_FALSE(w.job("tn-a", "ord-9").has_value());

  knows_v9 = true;
  w.restart();
  CHECK_FALSE(w.job("tn-a", "ord-9").has_value()); // none by itself
  plan = r.plan("consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::applied);
  report = r.run(plan);
  CHECK(report.counts.created_now == 1);
  CHECK(report.state == domain::replay_state::finished);
  const auto row = w.fulfillment("tn-a", "ord-9");
  CHECK(row.position == 2); // the successor drained
  CHECK(row.recent[0].door == domain::via::replay);
  CHECK(row.recent[0].replay_id == report.replay_id);
  CHECK(row.recent[0].event_id == "evt-9");
  CHECK(row.recent[1].door == domain::via::drain);
  CHECK(r.letter(id).state() == dead_letter_state::resolved);
  CHECK(r.letter(id).replay_ids.back() == report.replay_id);
  CHECK(r.letter(id).replay_ids.size() == 2);
  serves(w, "tn-b", "k-b");
}

TEST_CASE("many replays of one event make one effect") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto id = only_letter(w, domain::fulfillment_consumer);
  CHECK(r.letter(id).cause == domain::dead_letter_cause::attempts_exhausted);

  // It still fails: the record keeps one attempt more and stays open.
  const auto first = r.run(r.plan(""));
  CHECK(first.counts.refused == 1);
  CHECK(r.item(first, 0).reason.find("the effect failed") == 0);
  CHECK(r.letter(id).state() == dead_letter_state::open);

  fails = false;
  const auto a = r.plan("");
  const auto b = r.plan("");
  const auto ra = r.run(a);
  const auto rb = r.run(b); // planned before, executed after
  CHECK(ra.counts.created_now == 1);
  CHECK(rb.counts.existed_before == 1);
  CHECK(r.item(rb, 0).earlier_replay == ra.replay_id);
  CHECK(w.fulfillment("tn-a", order).position == 1);
  CHECK(w.job("tn-a", order).has_value());
  CHECK(r.run_again(a) == ra.replay_id); // executed again: the same replay
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("a dead letter is in one replay at a time") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  w.stock("tn-a", "sku-1", 10);
  (void)w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto one = r.plan("");
  const auto other = r.plan("");
  // Both are executed before either has run.
  const auto first = r.execute(one, 0);
  const auto second = r.execute(other, 0);
  w.run();
  REQUIRE(first->has_value());
  REQUIRE(second->has_value());
  REQUIRE((**first).ok());
  REQUIRE((**second).ok());
  CHECK((**second)->replay_id == (**first)->replay_id);
  CHECK((**second)->repeated);
}

TEST_CASE("a replay stops a stream at its first failure and no other") {
  std::set<std::string> broken = {"ord-1"};
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) {
            with.adjust_spec = [&](domain::consumer_spec& spec) {
              if (spec.name != domain::fulfillment_consumer)
                return;
              spec.effect = [&, real = spec.effect](
                              const auto& of, const auto& context, auto& rows) {
                return broken.contains(of.envelope.aggregate_id)
                         ? domain::effect_answer::fail("broken")
                         : real(of, context, rows);
              };
            };
          });
  w.publish({accepted_event("evt-1", "tn-a", "ord-1")});
  broken.insert("ord-2");
  w.publish({accepted_event("evt-2", "tn-a", "ord-2")});
  // A fork of ord-1 stands aside: no part of the stream.
  responder r(w, "tn-a");
  REQUIRE(letters_of(w, domain::fulfillment_consumer).size() == 2);
  broken.erase("ord-2");
  const auto report = r.run(r.plan("consumer=fulfillment-v1"));
  CHECK(report.counts.refused == 1);
  CHECK(report.counts.created_now == 1);
  CHECK(w.job("tn-a", "ord-2").has_value());
  CHECK_FALSE(w.job("tn-a", "ord-1").has_value());
  serves(w, "tn-b", "k-b");
}

TEST_CASE("a plan freezes its set, expires, and is nobody else's") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  w.stock("tn-a", "sku-1", 10);
  (void)w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto plan = r.plan("cause=ATTEMPTS_EXHAUSTED");
  (void)w.accepted("tn-a", "k2"); // after the plan
  responder foreign(w, "tn-b");
  CHECK(foreign.why_not(plan).code == domain::failure::not_found);
  CHECK(foreign.why_not(plan).detail
        == foreign.why_not("pln-00000000000000000000000000").detail);
  fails = false;
  CHECK(r.run(plan).total == 1);
  const auto late = r.plan("");
  REQUIRE(late.items.size() == 1);
  w.pass(w.settings.replay.plan_life_ms.count() + 1000, 100'000);
  CHECK(r.why_not(late).code == domain::failure::illegal_transition);
  CHECK(r.letter(late.items[0].dead_letter_id).state()
        == dead_letter_state::open);
  const auto nothing = r.plan("text=no-such-thing");
  CHECK(r.why_not(nothing).code == domain::failure::illegal_transition);
}

TEST_CASE("a plan walks a stream with the position it would have") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  // 1 fails for good; 2 waits behind; 4 was a gap before 1 failed.
  w.publish({accepted_event("evt-1", "tn-a", "ord-1"),
             cancelled_event("evt-2", "tn-a", "ord-1", 2)});
  responder r(w, "tn-a");
  const auto plan = r.plan("consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::applied);
  fails = false;
  CHECK(r.run(plan).counts.created_now == 1);
  CHECK(w.fulfillment("tn-a", "ord-1").position == 2);

  // A gap that waits for its hole cannot be replayed, and the plan knows.
  w.publish({cancelled_event("evt-9", "tn-a", "ord-7", 3)});
  const auto gap = r.plan("cause=SEQUENCE_GAP consumer=fulfillment-v1");
  REQUIRE(gap.items.size() == 1);
  CHECK(gap.items[0].predicted == verdict::waiting);
  const auto report = r.run(gap);
  CHECK(r.item(report, 0).reason == "the stream's next is sequence 1");
  CHECK(report.counts.refused == 1);
}

TEST_CASE("a cancelled replay leaves the rest open") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  w.stock("tn-a", "sku-1", 100);
  for (int i = 0; i < 10; ++i)
    (void)w.accepted("tn-a", "k" + std::to_string(i));
  fails = false;
  responder r(w, "tn-a");
  const auto plan = r.plan("");
  REQUIRE(plan.items.size() == 10);
  const auto ticket = r.execute(plan, 2); // two a second
  w.run();
  REQUIRE((**ticket).ok());
  w.pass(1500);
  const auto id = (**ticket)->replay_id;
  const auto going = r.replay(id);
  CHECK(going.state == domain::replay_state::running);
  CHECK(going.counts.created_now >= 2);
  CHECK(going.counts.created_now <= 5);
  const auto cancelled = r.cancel(id);
  REQUIRE(cancelled.ok());
  w.run();
  const auto ended = r.replay(id);
  CHECK(ended.state == domain::replay_state::cancelled);
  CHECK(ended.counts.sum() == 10);
  CHECK(ended.counts.cancelled == 10 - ended.counts.created_now);
  CHECK(r.plan("state=open").items.size() == ended.counts.cancelled);
  CHECK(r.cancel(id).ok()); // again: the same answer
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("what was set aside is judged as if it came again") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  // A rival at a used sequence: refused again and again, the stream goes on.
  w.publish({accepted_event("evt-rival", "tn-a", order, 1)});
  responder r(w, "tn-a");
  const auto plan = r.plan("cause=SEQUENCE_FORK consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::fork);
  const auto report = r.run(plan);
  CHECK(report.counts.refused == 1);
  CHECK(r.letter(plan.items[0].dead_letter_id).state()
        == dead_letter_state::open);
  serves(w, "tn-b", "k-b");
}

TEST_CASE("a refused publication is offered again by a replay") {
  bool refuses = true;
  bus_script script;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (!refuses || one.event->envelope.tenant_id != "tn-a")
      return std::nullopt;
    return domain::fault{domain::failure::bus_refused, "not today"};
  };
  world w([](app::config& c) { c.relay.publish_attempts_max = 1; },
          script.inject());
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  w.pass(2000);
  responder r(w, "tn-a");
  const auto id = only_letter(w, domain::publish_consumer);
  const auto plan = r.plan("consumer=publish");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::applied);
  CHECK(r.run(plan).counts.refused == 1); // the bus says no again
  CHECK(r.letter(id).state() == dead_letter_state::open);
  refuses = false;
  const auto report = r.run(r.plan("consumer=publish"));
  CHECK(report.counts.created_now == 1);
  CHECK(r.letter(id).state() == dead_letter_state::resolved);
  CHECK(w.job("tn-a", order).has_value());
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}
