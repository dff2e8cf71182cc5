// Transient failures (R13): durable before the timer, bounded over restarts,
// in nobody else's way; and events that kill the process.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

#include <map>
#include <new>
#include <stdexcept>

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
constexpr auto forever = 1'000'000;

/// Fulfillment's effect, which fails as often as told for some aggregates.
struct sick_effect {
  std::map<std::string, int> failures; ///< by aggregate, counted down
  std::map<std::string, int> calls;
  /// What to do instead of failing softly.
  std::function<void(const domain::event&)> strike;

  std::function<void(app::seams&)> inject() {
    return [this](app::seams& with) {
      with.adjust_spec = [this](domain::consumer_spec& spec) {
        if (spec.name != fulfillment)
          return;
        spec.effect = [this, well = spec.effect](
                        const auto& of, const auto& context, auto& rows) {
          const auto& aggregate = of.envelope.aggregate_id;
          calls[aggregate] += 1;
          auto& left = failures[aggregate];
          if (left == 0)
            return well(of, context, rows);
          left -= 1;
          if (strike)
            strike(of);
          return domain::effect_answer::fail("sick");
        };
      };
    };
  }
};

void three_attempts(app::config& with) {
  with.consumer.attempts_max = 3;
  with.consumer.retry_jitter_percent = 0;
}

} // namespace

TEST_CASE(
  "a failed effect is durable with its next time, and holds no credit") {
  sick_effect sick;
  sick.failures["o-1"] = 2;
  world w(three_attempts, sick.inject());
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  const auto room = fulfillment_room(w, "tn-a", "o-1", 1);
  REQUIRE(room.has_value());
  CHECK(room->mode == storage::room_mode::retry);
  REQUIRE(room->attempts.size() == 1);
  CHECK(room->attempts[0].cause == "sick");
  CHECK(room->next_at == w.clock.now() + 200);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->cause
        == domain::wait_cause::retry);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
  w.pass(200, 10); // second attempt
  CHECK(fulfillment_room(w, "tn-a", "o-1", 1)->attempts.size() == 2);
  CHECK(fulfillment_room(w, "tn-a", "o-1", 1)->next_at
        == w.clock.now() + 400); // twice as long
  w.pass(390, 10);
  CHECK(sick.calls["o-1"] == 2);
  w.pass(10, 10);
  CHECK(sick.calls["o-1"] == 3);
  const auto row = w.fulfillment("tn-a", "o-1");
  CHECK(row.position == 1);
  CHECK(row.recent[0].door == domain::via::retry);
  CHECK_FALSE(row.waiting.has_value());
  CHECK(letters_of(w, fulfillment).empty());
  w.check_invariants();
}

TEST_CASE("attempts count on over a restart and end at the maximum") {
  sick_effect sick;
  sick.failures["o-1"] = forever;
  world w(three_attempts, sick.inject());
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  w.pass(200);
  REQUIRE(sick.calls["o-1"] == 2);
  w.restart();                   // between the second and the third
  CHECK(sick.calls["o-1"] == 2); // its time has not come
  w.pass(1000);
  CHECK(sick.calls["o-1"] == 3);
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::attempts_exhausted);
  REQUIRE(letter.attempts.size() == 3);
  CHECK(letter.attempts[0].at < letter.attempts[1].at);
  CHECK(letter.attempts[1].at < letter.attempts[2].at);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->cause
        == domain::wait_cause::exhausted);
  w.pass(600'000, 10'000);
  w.restart();
  w.pass(600'000, 10'000);
  CHECK(sick.calls["o-1"] == 3); // a responder's turn, also after a restart
  CHECK(letters_of(w, fulfillment).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("exceptions, also a lack of memory, are attempts like any other") {
  sick_effect sick;
  sick.failures = {{"o-1", 1}, {"o-2", 1}, {"o-3", 1}};
  sick.strike = [](const domain::event& of) {
    if (of.envelope.aggregate_id == "o-1")
      throw std::runtime_error("thrown");
    if (of.envelope.aggregate_id == "o-2")
      throw std::bad_alloc();
    throw 42; // NOLINT: not even an exception
  };
  world w(three_attempts, sick.inject());
  w.publish({accepted_event("e-1", "tn-a", "o-1"),
             accepted_event("e-2", "tn-a", "o-2"),
             accepted_event("e-3", "tn-a", "o-3")});
  CHECK(fulfillment_room(w, "tn-a", "o-1", 1)->attempts[0].cause == "thrown");
  CHECK(fulfillment_room(w, "tn-a", "o-2", 1)->attempts[0].cause
        == std::bad_alloc().what());
  CHECK(fulfillment_room(w, "tn-a", "o-3", 1)->attempts[0].cause
        == "an unknown exception");
  w.pass(200);
  for (const auto* aggregate : {"o-1", "o-2", "o-3"})
    CHECK(w.fulfillment("tn-a", aggregate).position == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("rows that an effect changed before it failed are not written") {
  const auto key_of = [](const std::string& tenant) {
    return storage::key_writer(storage::kind::aside)
      .text(tenant)
      .text("row of an effect")
      .take();
  };
  bool fail = true;
  world w(three_attempts, [&](app::seams& with) {
    with.adjust_spec = [&](domain::consumer_spec& spec) {
      if (spec.name == fulfillment)
        spec.effect = [&](const auto& of, const auto&, auto& rows) {
          const auto& tenant = of.envelope.tenant_id;
          CHECK_FALSE(rows.get(key_of(tenant)).has_value());
          rows.put(key_of(tenant), "changed");
          CHECK(rows.get(key_of(tenant)) == "changed"); // it sees its own
          return fail && tenant == "tn-a"
                   ? domain::effect_answer::fail("late")
                   : domain::effect_answer::apply("done");
        };
    };
  });
  const auto stored = [&](const std::string& tenant) {
    return w.it->store().read().get(storage::owner::fulfillment,
                                    key_of(tenant));
  };
  w.publish({accepted_event("e-1", "tn-a", "o-1"),
             accepted_event("e-2", "tn-b", "o-1")}); // in one batch
  CHECK_FALSE(stored("tn-a").has_value());
  CHECK(w.fulfillment("tn-a", "o-1").position == 0);
  CHECK(stored("tn-b") == "changed"); // the other tenant's are
  CHECK(w.fulfillment("tn-b", "o-1").position == 1);
  fail = false;
  w.pass(200);
  CHECK(stored("tn-a") == "changed");
  CHECK(w.fulfillment("tn-a", "o-1").position == 1);
  CHECK(w.notification("tn-a", "o-1").position == 1);
  CHECK(w.fulfillment("tn-b", "o-1").position == 1); // once
}

namespace {

/// What twenty orders cost, one after the other, each up to its effects: the
/// messages that all actors took, and the synced writes. Virtual time would say
/// nothing here, it stands still while actors work.
struct cost {
  std::uint64_t steps = 0;
  std::uint64_t rounds = 0;
};

cost of_twenty_orders(world& w, const std::uint64_t& rounds,
                      const std::string& key) {
  const cost before{w.steps, rounds};
  for (int i = 0; i < 20; ++i) {
    const auto id = w.accepted("tn-b", key + std::to_string(i));
    CHECK(w.job("tn-b", id).has_value());
    CHECK(w.sends("tn-b", id).size() == 1);
    w.pass(200); // what is to be retried is retried
  }
  return {w.steps - before.steps, rounds - before.rounds};
}

/// s = 2 … 10'001 of tn-a's o-1, onto the bus without a step of anybody.
void publish_ten_thousand(world& w) {
  for (std::uint64_t s = 2; s <= 10'001;) {
    std::vector<bus::offered> batch;
    for (int i = 0; i < 500; ++i, ++s)
      batch.push_back({codec::make_event(cancelled_event(
                         "e-" + std::to_string(s), "tn-a", "o-1", s)),
                       0});
    w.it->bus().publish(domain::order_topic, std::move(batch), [](auto) {});
  }
}

} // namespace

TEST_CASE("one poisoned stream with ten thousand behind it starves nobody") {
  sick_effect sick;
  sick.failures["o-1"] = forever;
  std::uint64_t rounds = 0;
  world w(
    [](app::config& with) {
      with.consumer.in_flight_max = 64;
      with.consumer.attempts_max = 1000;
      with.consumer.retry_max_ms = std::chrono::milliseconds(400);
    },
    [&](app::seams& with) {
      sick.inject()(with);
      with.on_round = [&](std::string_view) { ++rounds; };
    });
  w.stock("tn-b", "sku-1", 100);
  const auto quiet = of_twenty_orders(w, rounds, "quiet-");
  REQUIRE(quiet.steps > 0);
  REQUIRE(quiet.rounds > 0);
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  publish_ten_thousand(w);
  // Queued behind all of them, the other tenant's order still comes through.
  const auto b = w.accepted("tn-b", "k");
  CHECK(w.job("tn-b", b).has_value());
  CHECK(w.sends("tn-b", b).size() == 1);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 10'001);
  CHECK(unsettled(w) == 0);
  const auto calls = sick.calls["o-1"];
  const auto poisoned = of_twenty_orders(w, rounds, "poisoned-");
  CHECK(sick.calls["o-1"] >= calls + 5); // it was tried again meanwhile
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 10'001);
  CHECK(poisoned.steps <= 2 * quiet.steps);
  CHECK(poisoned.rounds <= 2 * quiet.rounds);
  w.check_invariants();
  sick.failures["o-1"] = 0; // the head recovers: all follow by themselves
  w.pass(1000);
  CHECK(w.fulfillment("tn-a", "o-1").position == 10'001);
  CHECK_FALSE(w.fulfillment("tn-a", "o-1").waiting.has_value());
  CHECK(w.job("tn-a", "o-1")->state == domain::job_state::cancelled);
  w.check_invariants();
}
