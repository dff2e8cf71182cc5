// The other pure rules: when a failed thing is tried again, what stock may do,
// which commands an order takes, what effects decline.
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/order.hpp"
#include "domain/payment.hpp"
#include "domain/retry_policy.hpp"
#include "tests/support/domain_samples.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <random>

using namespace parcelflow;
using domain::failure;
using domain::reservation_state;

TEST_CASE("a retry waits twice as long each time, up to the maximum") {
  const domain::retry_policy policy{5, 200, 1000, 0};
  CHECK(policy.delay(1, 0) == 200);
  CHECK(policy.delay(2, 0) == 400);
  CHECK(policy.delay(3, 0) == 800);
  CHECK(policy.delay(4, 0) == 1000);
  CHECK(policy.delay(std::numeric_limits<std::uint32_t>::max(), 0) == 1000);
}

TEST_CASE("jitter moves a retry by its percentage at most") {
  const domain::retry_policy policy{5, 100, 100'000, 20};
  std::mt19937_64 chance(1);
  support::unix_ms least = 1'000'000;
  support::unix_ms most = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto pause = policy.delay(4, chance());
    least = std::min(least, pause);
    most = std::max(most, pause);
  }
  CHECK(least >= 640);
  CHECK(least <= 650);
  CHECK(most <= 960);
  CHECK(most >= 950);
}

TEST_CASE("a retry never waits less than a moment, whatever is configured") {
  const domain::retry_policy policy{5, 0, 1000, 100};
  CHECK(domain::retry_policy{5, 0, 1000, 0}.delay(1, 0) == 1);
  for (std::uint64_t chance = 0; chance < 10; ++chance)
    CHECK(policy.delay(1, chance) >= 0);
}

TEST_CASE("attempts end at the maximum") {
  const domain::retry_policy policy{3, 1, 1, 0};
  CHECK_FALSE(policy.exhausted(2));
  CHECK(policy.exhausted(3));
  CHECK(policy.exhausted(4));
}

TEST_CASE("a reservation takes all of its lines or none") {
  std::map<std::string, domain::stock> rows = {{"a", {5, 0}}, {"b", {1, 0}}};
  const auto lookup =
    [&](std::string_view sku) -> std::optional<domain::stock> {
    const auto at = rows.find(std::string(sku));
    if (at == rows.end())
      return std::nullopt;
    return at->second;
  };
  CHECK(domain::reserve({{"a", 5}, {"b", 2}}, lookup).why().code
        == failure::out_of_stock);
  CHECK(domain::reserve({{"a", 1}, {"c", 1}}, lookup).why().code
        == failure::unknown_sku);
  CHECK(domain::reserve({{"a", 3}, {"a", 3}}, lookup).why().code
        == failure::out_of_stock); // one sku twice is summed
  const auto taken = domain::reserve({{"a", 3}, {"a", 2}, {"b", 1}}, lookup);
  REQUIRE(taken.ok());
  CHECK(taken->size() == 2);
  for (const auto& [sku, stock] : *taken)
    CHECK(stock.available() == 0);
}

TEST_CASE("whatever happens, on_hand >= reserved >= 0, and reserved is live") {
  std::mt19937_64 chance(7);
  const auto below = [&](std::uint64_t n) { return chance() % n; };
  const std::vector<std::string> skus = {"a", "b", "c"};
  std::map<std::string, domain::stock> rows;
  for (const auto& sku : skus)
    rows[sku] = {20, 0};
  const auto lookup = [&](std::string_view sku) {
    return std::optional(rows.at(std::string(sku)));
  };
  std::vector<domain::reservation> live;
  std::map<std::string, std::int64_t> consumed;
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    domain::outcome<domain::stock_changes> changes = domain::stock_changes{};
    if (live.empty() || below(2) == 0) {
      domain::reservation fresh;
      for (std::uint64_t n = 0; n <= below(3); ++n)
        fresh.lines.push_back(
          {skus[below(3)], static_cast<std::int64_t>(1 + below(8))});
      changes = domain::reserve(fresh.lines, lookup);
      if (changes)
        live.push_back(fresh);
      else
        ++refused;
    } else {
      const auto at = below(live.size());
      const auto to = below(4) == 0 ? reservation_state::consumed
                                    : reservation_state::released;
      changes = domain::settle(live[at], to, lookup);
      REQUIRE(changes.ok());
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (changes)
      for (const auto& [sku, stock] : *changes)
        rows[sku] = stock;
    if (below(10) == 0) {
      const auto& sku = skus[below(3)];
      if (auto next = domain::set_on_hand(rows[sku],
                                          static_cast<std::int64_t>(below(40))))
        rows[sku] = *next;
    }
    for (const auto& sku : skus) {
      std::int64_t sum = 0;
      for (const auto& one : live)
        for (const auto& line : one.lines)
          sum += line.sku == sku ? line.quantity : 0;
      REQUIRE(rows[sku].reserved == sum);
      REQUIRE(rows[sku].on_hand >= rows[sku].reserved);
      REQUIRE(rows[sku].reserved >= 0);
    }
  }
  CHECK(refused > 100); // it did come to its limits
}

TEST_CASE("consuming takes from the shelf, releasing gives back") {
  const auto lookup = [](std::string_view) {
    return std::optional(domain::stock{10, 4});
  };
  domain::reservation of;
  of.lines = {{"a", 3}};
  CHECK(domain::settle(of, reservation_state::consumed, lookup)->front().second
        == domain::stock{7, 1});
  CHECK(domain::settle(of, reservation_state::released, lookup)->front().second
        == domain::stock{10, 1});
  of.lines = {{"a", 5}}; // more than is reserved: damage, not a count below 0
  CHECK(domain::settle(of, reservation_state::released, lookup).why().code
        == failure::storage_corrupt);
}

TEST_CASE("a count below what orders hold is refused") {
  CHECK(domain::set_on_hand(domain::stock{5, 3}, 2).why().code
        == failure::stock_below_reserved);
  CHECK(*domain::set_on_hand(domain::stock{5, 3}, 3) == domain::stock{3, 3});
  CHECK(*domain::set_on_hand(std::nullopt, 7) == domain::stock{7, 0});
}

TEST_CASE("an order is cancelled or completed from accepted, and once") {
  using domain::command_effect;
  using domain::order_command;
  using domain::order_state;
  domain::order of;
  of.steps = {{order_state::accepted, 1, 1, 0}};
  CHECK(*domain::judge(of, order_command::cancel) == command_effect::step);
  CHECK(*domain::judge(of, order_command::complete) == command_effect::step);
  of.steps.push_back({order_state::cancelled, 2, 2, 0});
  CHECK(*domain::judge(of, order_command::cancel)
        == command_effect::taken_before);
  const auto refused = domain::judge(of, order_command::complete);
  CHECK(refused.why().code == failure::illegal_transition);
  CHECK(refused.why().detail.find("cancelled") != std::string::npos);
}

namespace {

struct no_rows final : domain::effect_rows {
  std::optional<std::string> get(std::string_view) override {
    return std::nullopt;
  }
  void put(std::string, std::string) override {}
  void erase(std::string) override {}
};

domain::effect_answer run(const domain::consumer_spec& spec,
                          std::string_view type, std::string_view effect) {
  auto of = test::event_of("e", 1);
  of.envelope.event_type = type;
  no_rows rows;
  return spec.effect(of, {effect, 1}, rows);
}

} // namespace

TEST_CASE("a job starts once, closes once, and is never opened again") {
  using kind = domain::effect_answer::kind;
  const auto spec = domain::fulfillment_spec();
  const auto started = run(spec, domain::order_accepted, "");
  REQUIRE(started.what == kind::applied);
  CHECK(run(spec, domain::order_accepted, started.effect).what
        == kind::declined);
  CHECK(run(spec, domain::order_cancelled, "").what == kind::declined);
  const auto closed = run(spec, domain::order_completed, started.effect);
  REQUIRE(closed.what == kind::applied);
  CHECK(run(spec, domain::order_cancelled, closed.effect).what
        == kind::declined);
}

TEST_CASE("each template is sent once, and a completion is not announced") {
  using kind = domain::effect_answer::kind;
  const auto spec = domain::notification_spec();
  const auto sent = run(spec, domain::order_accepted, "");
  REQUIRE(sent.what == kind::applied);
  CHECK(run(spec, domain::order_accepted, sent.effect).what == kind::declined);
  CHECK(run(spec, domain::order_completed, sent.effect).effect == sent.effect);
  const auto both = run(spec, domain::order_cancelled, sent.effect);
  CHECK(domain::decode_sends(both.effect)->size() == 2);
}

TEST_CASE("the fake authorizer does what its token says") {
  const auto ask = [](const std::string& token) {
    return domain::authorize_fake({"tn-a", "rsv-1", 5, "EUR", token}, 7);
  };
  CHECK(ask("tok_decline").answer.why().code == failure::payment_declined);
  CHECK_FALSE(ask("tok_silent").after_ms.has_value());
  CHECK(ask("tok_delay_250").after_ms == 250);
  CHECK(ask("tok_delay_x").after_ms == 0);
  CHECK(ask("tok_delay_9999999999").after_ms == 0);
  CHECK(ask("tok_ok").answer->id == "aut-rsv-1"); // a repeat gives the same
}
