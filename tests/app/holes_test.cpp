// Holes (R14): a consumer asks its producer for what the bus lost, not faster
// than configured, and the stream heals without a human.
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using domain::order_command;
using test::accepted_event;
using test::cancelled_event;
using test::letters_of;
using test::serves;
using test::unsettled;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

std::uint64_t asked(world& w) {
  return w.it->metrics()
    .counter("parcelflow_consumer_resends_asked_total", "Holes asked for again",
             {{"consumer", std::string(fulfillment)}})
    .value();
}

} // namespace

TEST_CASE("an event that the bus lost is resent and applied, without a human") {
  world w([](app::config& with) { with.bus.fault_drop = 4; });
  w.stock("tn-a", "sku-1", 10);
  serves(w, "tn-b", "1");
  serves(w, "tn-b", "2");
  serves(w, "tn-b", "3");
  const auto id = w.place(world::request("tn-a", "k1")).order_id; // lost
  CHECK(w.fulfillment("tn-a", id).position == 0);
  REQUIRE(w.command("tn-a", id, order_command::complete).ok());
  CHECK(w.fulfillment("tn-a", id).waiting->cause == domain::wait_cause::gap);
  w.pass(w.settings.consumer.gap_grace_ms.count() - 50);
  CHECK(asked(w) == 0); // it may only be late
  w.pass(200);
  const auto row = w.fulfillment("tn-a", id);
  REQUIRE(row.position == 2);
  CHECK(row.recent[0].door == domain::via::resend);
  CHECK(row.recent[1].door == domain::via::drain);
  CHECK(w.job("tn-a", id)->state == domain::job_state::completed);
  CHECK(w.sends("tn-a", id).size() == 1);
  CHECK(w.stock_of("tn-a", "sku-1") == domain::stock{9, 0});
  CHECK(w.dead_letters().size() == 3);
  for (const auto& letter : w.dead_letters())
    CHECK(letter.state() == domain::dead_letter_state::resolved);
  CHECK(unsettled(w) == 0);
  w.check_invariants();
}

TEST_CASE("a hole is still asked for after a restart") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  w.restart();
  CHECK(asked(w) == 0);
  w.pass(2100);
  CHECK(asked(w) == 1);
  serves(w, "tn-b", "control");
}

TEST_CASE("what was never committed is asked for at the cap, not in a loop") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-nobody", 2)});
  w.pass(600'000, 500);
  CHECK(asked(w) >= 10);
  CHECK(asked(w) <= 16); // 2, 4, 8 … 60 s, then once a minute
  CHECK(w.fulfillment("tn-a", "o-nobody").waiting->cause
        == domain::wait_cause::gap);
  CHECK(letters_of(w, fulfillment).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants(true);
}

TEST_CASE("many holes in one stream are asked for by one timer, not by many") {
  world w;
  for (std::uint64_t s = 12; s >= 2; s -= 2)
    w.publish({cancelled_event("e-" + std::to_string(s), "tn-a", "o-1", s)});
  // Each fill uncovers the next hole, which starts to be waited for anew.
  for (std::uint64_t s = 1; s <= 9; s += 2) {
    w.pass(1900);
    w.publish(
      {s == 1 ? accepted_event("e-1", "tn-a", "o-1")
              : cancelled_event("e-" + std::to_string(s), "tn-a", "o-1", s)});
  }
  REQUIRE(w.fulfillment("tn-a", "o-1").position == 10);
  const auto before = asked(w);
  w.pass(600'000, 500);
  CHECK(asked(w) - before <= 16);
  CHECK(asked(w) - before >= 8);
  serves(w, "tn-b", "control");
}

TEST_CASE("a hole behind a backing-off head is asked for when it shows") {
  int failures = 1;
  world w([](app::config& with) { with.consumer.retry_jitter_percent = 0; },
          [&](app::seams& with) {
            with.adjust_spec = [&](domain::consumer_spec& spec) {
              if (spec.name == fulfillment)
                spec.effect = [&, well = spec.effect](const auto& of,
                                                      const auto& context,
                                                      auto& rows) {
                  if (of.envelope.tenant_id == "tn-a" && failures-- > 0)
                    return domain::effect_answer::fail("sick");
                  return well(of, context, rows);
                };
            };
          });
  w.publish({accepted_event("e-1", "tn-a", "o-1"),
             cancelled_event("e-3", "tn-a", "o-1", 3)});
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 2);
  w.pass(300);
  CHECK(w.fulfillment("tn-a", "o-1").position == 1);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->cause == domain::wait_cause::gap);
  w.pass(2500);
  CHECK(asked(w) >= 1);
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  CHECK(w.fulfillment("tn-a", "o-1").position == 3);
  CHECK_FALSE(w.fulfillment("tn-a", "o-1").waiting.has_value());
  serves(w, "tn-b", "control");
}
