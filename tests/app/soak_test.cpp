// Everything at once, by a seed: three tenants, a bus that repeats, reorders
// and breaks off, effects that fail, restarts and crashes anywhere. At rest
// every invariant holds and every order has exactly its effects. More seeds
// with PARCELFLOW_SOAK_SEEDS.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

using namespace parcelflow;
using domain::order_command;
using test::crash;
using test::unsettled;
using test::world;

namespace {

struct soak {
  explicit soak(std::uint64_t seed)
    : chance(seed),
      w(
        [](app::config& with) {
          with.bus.fault_duplicate = 3;
          with.bus.fault_reorder = 4;
          with.bus.fault_fail = 13;
          with.consumer.attempts_max = 50;
          with.consumer.retry_max_ms = std::chrono::milliseconds(2000);
          with.consumer.inbox_inline_max = 1;
          with.consumer.in_flight_max = 8;
          with.relay.batch_events_max = 4;
        },
        [this](app::seams& with) {
          with.adjust_spec = [this](domain::consumer_spec& spec) {
            spec.effect = [this, well = spec.effect](
                            const auto& of, const auto& context, auto& rows) {
              if (below(8) == 0)
                return domain::effect_answer::fail("by chance");
              return well(of, context, rows);
            };
          };
        }) {
    for (const auto* tenant : {"tn-a", "tn-b", "tn-c"})
      w.stock(tenant, "sku-1", 40);
  }

  std::uint64_t below(std::uint64_t n) { return chance() % n; }
  std::string tenant() {
    return std::string("tn-") + static_cast<char>('a' + below(3));
  }

  void place() {
    const auto of = tenant();
    static const char* tokens[] = {"tok_ok", "tok_ok", "tok_ok", "tok_delay_70",
                                   "tok_decline"};
    w.it->gateway().place(
      world::request(of, "k" + std::to_string(below(60)),
                     static_cast<std::int64_t>(1 + below(2)), tokens[below(5)]),
      [this, of](const actors::place_answer& answer) {
        if (answer.what == actors::place_answer::kind::accepted && !doomed())
          told_accepted.emplace(of, answer.order_id);
      });
  }
  /// Cancels or completes some order that is durable.
  void close_one() {
    const auto all = orders();
    if (all.empty())
      return;
    const auto& [of, id] = all[below(all.size())];
    const auto what =
      below(2) == 0 ? order_command::cancel : order_command::complete;
    w.it->gateway().command({of, id, what, {}, {}},
                            [this, of = of, id = id, what](auto answer) {
                              if (answer && !doomed())
                                told_closed[{of, id}] = domain::target_of(what);
                            });
  }
  void crash_somewhere() {
    const auto& names = support::fault_point_names();
    crash at(w, std::string(names[below(names.size())]), 1 + below(5));
    dying = &at;
    for (int i = 0; i < 10 && !at.struck(); ++i) {
      place();
      close_one();
      w.pass(100);
    }
    if (at.struck())
      at.restart();
    crashes += at.struck() ? 1 : 0;
    dying = nullptr;
  }

  std::vector<std::pair<std::string, std::string>> orders() {
    std::vector<std::pair<std::string, std::string>> all;
    const auto from = storage::key_writer(storage::kind::order).take();
    w.it->store().read().scan(storage::owner::order, from,
                              storage::prefix_end(from), [&](auto key, auto) {
                                storage::key_reader in(key);
                                auto of = in.text();
                                all.emplace_back(std::move(of), in.text());
                                return true;
                              });
    return all;
  }

  void everything_has_its_effects() {
    for (const auto& [of, id] : orders()) {
      const auto which = of + " " + id;
      INFO(which);
      const auto order = *w.order(of, id);
      const auto steps = order.steps.size();
      CHECK(w.fulfillment(of, id).position == steps);
      CHECK(w.notification(of, id).position == steps);
      REQUIRE(w.job(of, id).has_value());
      const bool cancelled = order.state() == domain::order_state::cancelled;
      CHECK(w.sends(of, id).size() == (cancelled ? 2 : 1));
    }
    for (const auto& [of, id] : told_accepted) // I2: what was said is so
      CHECK(w.order(of, id).has_value());
    for (const auto& [order, state] : told_closed)
      CHECK(w.order(order.first, order.second)->state() == state);
    for (const auto& letter : w.dead_letters())
      CHECK(letter.state() == domain::dead_letter_state::resolved);
    CHECK(unsettled(w) == 0);
    w.check_invariants();
  }

  /// What is answered now is said by a process that has ended already.
  [[nodiscard]] bool doomed() const {
    return dying != nullptr && dying->struck();
  }

  using name = std::pair<std::string, std::string>;
  std::set<name> told_accepted;
  std::map<name, domain::order_state> told_closed;
  crash* dying = nullptr;
  std::mt19937_64 chance;
  world w;
  int crashes = 0;
};

} // namespace

TEST_CASE("faults, failures and crashes at once leave every order whole") {
  const char* more = std::getenv("PARCELFLOW_SOAK_SEEDS");
  const std::uint64_t seeds = more != nullptr ? std::stoull(more) : 6;
  int crashes = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    INFO("seed ", seed);
    soak s(seed);
    for (int round = 0; round < 12; ++round) {
      for (int i = 0; i < 6; ++i) {
        s.place();
        if (s.below(2) == 0)
          s.close_one();
        if (s.below(2) == 0)
          s.w.run();
      }
      s.w.pass(static_cast<support::unix_ms>(s.below(300)) + 1);
      if (s.below(3) == 0)
        s.crash_somewhere();
      else if (s.below(4) == 0)
        s.w.restart();
    }
    s.w.pass(120'000, 500);
    CHECK(s.orders().size() > 10);
    s.everything_has_its_effects();
    crashes += s.crashes;
    s.w.restart(); // and the state is the same when read again
    s.w.pass(1000);
    s.everything_has_its_effects();
  }
  CHECK(crashes > 0); // it did crash
}
