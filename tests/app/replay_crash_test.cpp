// F22, F23: wherever the process ends during a replay, a restart finishes it:
// one effect, the report says what this replay did, nothing stays replaying.
#include "tests/support/crash.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::test;
using domain::dead_letter_state;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

/// Two streams of tn-a whose effect failed for good, and works by now.
struct stuck_orders {
  bool fails = true;
  world w;
  std::vector<std::string> orders;

  stuck_orders()
    : w(
      [](app::config& c) { c.consumer.attempts_max = 1; },
      [this](app::seams& with) { with.adjust_spec = failing_effect(fails); }) {
    w.stock("tn-a", "sku-1", 10);
    orders = {w.accepted("tn-a", "k1"), w.accepted("tn-a", "k2")};
    REQUIRE(w.command("tn-a", orders[0], domain::order_command::cancel).ok());
    fails = false;
  }
};

void survives(const std::string& point, std::uint64_t passage) {
  INFO(point, " passage ", passage);
  stuck_orders s;
  responder r(s.w, "tn-a");
  auto plan = r.plan("");
  REQUIRE(plan.items.size() == 2);
  std::string replay_id;
  {
    crash at(s.w, point, passage);
    const auto ticket = r.execute(plan, 0);
    s.w.run();
    REQUIRE((**ticket).ok());
    replay_id = (**ticket)->replay_id;
    at.restart();
  }
  if (!s.w.it->store().read().get(storage::owner::dead_letter,
                                  storage::replay_key("tn-a", replay_id))) {
    // Nothing was promised before the replay was durable; it is asked again.
    CHECK(point == "replay.before_start");
    plan = r.plan("");
    REQUIRE(plan.items.size() == 2);
    replay_id = r.run(plan).replay_id;
  }
  const auto report = r.replay(replay_id);
  CHECK(report.state == domain::replay_state::finished);
  CHECK(report.counts.created_now == 2); // by its inbox, whoever asked twice
  for (const auto& id : s.orders) {
    const auto row = s.w.fulfillment("tn-a", id);
    CHECK(row.position == (id == s.orders[0] ? 2 : 1));
    REQUIRE_FALSE(row.recent.empty());
    CHECK(row.recent[0].replay_id == replay_id);
    CHECK(s.w.job("tn-a", id).has_value());
  }
  for (const auto& letter : s.w.dead_letters()) {
    CHECK(letter.state() == dead_letter_state::resolved);
    CHECK(letter.replay_ids == std::vector<std::string>{replay_id});
  }
  serves(s.w, "tn-b", "control");
  s.w.check_invariants();
}

} // namespace

TEST_CASE("a crash at any step of a replay leaves one effect and its report") {
  survives("replay.before_start", 1);
  survives("replay.after_start", 1);
  for (const std::string point :
       {"replay.after_sent", "replay.after_attempt", "consumer.in_effect",
        "consumer.after_park", "dead_letter.before_commit",
        "dead_letter.after_commit", "consumer.after_tell",
        "replay.before_result", "replay.after_result"})
    for (const std::uint64_t passage : {1, 2})
      survives(point, passage);
}

TEST_CASE("an event that ends the process does so thrice a replay, no more") {
  bool deadly = true;
  crash* at = nullptr;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) {
            with.adjust_spec = [&](domain::consumer_spec& spec) {
              if (spec.name != fulfillment)
                return;
              spec.effect = [&, real = spec.effect](
                              const auto& of, const auto& context, auto& rows) {
                if (at != nullptr && deadly)
                  at->take_image(); // the process ends here
                return deadly ? domain::effect_answer::fail("broken")
                              : real(of, context, rows);
              };
            };
          });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto plan = r.plan("");
  REQUIRE(plan.items.size() == 1);
  // The first death comes of the request, two more of what the restart asks.
  std::vector<std::unique_ptr<crash>> deaths;
  deaths.push_back(std::make_unique<crash>(w));
  at = deaths.back().get();
  const auto ticket = r.execute(plan, 0);
  w.run();
  const auto id = (**ticket)->replay_id;
  for (int death = 1; death <= 3; ++death) {
    auto* before = at;
    deaths.push_back(std::make_unique<crash>(w));
    at = deaths.back().get();
    before->restart();
  }
  CHECK_FALSE(at->struck()); // its consumer remembers how that ended
  at = nullptr;
  const auto report = r.replay(id);
  CHECK(report.state == domain::replay_state::finished);
  CHECK(report.counts.refused == 1);
  CHECK(r.item(report, 0).reason == "the process ended during " + id);
  CHECK(r.letter(plan.items[0].dead_letter_id).state()
        == dead_letter_state::open);
  deadly = false;
  CHECK(r.run(r.plan("")).counts.created_now == 1);
  CHECK(w.job("tn-a", order).has_value());
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a cancelled replay stays cancelled over a restart") {
  stuck_orders s;
  responder r(s.w, "tn-a");
  const auto ticket = r.execute(r.plan(""), 1);
  s.w.run();
  const auto id = (**ticket)->replay_id;
  CHECK(r.replay(id).counts.created_now == 1);
  REQUIRE(r.cancel(id).ok());
  s.w.restart();
  s.w.pass(5000);
  const auto ended = r.replay(id);
  CHECK(ended.state == domain::replay_state::cancelled);
  CHECK(ended.counts.created_now == 1);
  CHECK(ended.counts.cancelled == 1);
  serves(s.w, "tn-b", "control");
}

TEST_CASE("a replay with a rate goes on where it was after a restart") {
  stuck_orders s;
  responder r(s.w, "tn-a");
  const auto ticket = r.execute(r.plan(""), 1);
  s.w.run();
  const auto id = (**ticket)->replay_id;
  CHECK(r.replay(id).state == domain::replay_state::running);
  s.w.restart();
  s.w.pass(3000);
  const auto report = r.replay(id);
  CHECK(report.state == domain::replay_state::finished);
  CHECK(report.counts.created_now == 2);
  serves(s.w, "tn-b", "control");
}
