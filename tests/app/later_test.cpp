// R32: a consumer that is added to a running system, with the time before it
// or without. No gap either way, over kills on the way, and live orders of
// every tenant go on as if nothing happened.
#include "domain/audit_feed.hpp"
#include "tests/support/crash.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace parcelflow;
using namespace parcelflow::test;

namespace {

domain::stream_row feed(world& w, const std::string& tenant,
                        const std::string& order) {
  return w.stream(storage::owner::audit_feed, domain::audit_feed_consumer,
                  tenant, order);
}

/// How many orders lie before; `scripts/campaign later` asks for more.
int orders_before() {
  const char* const asked = std::getenv("PARCELFLOW_TEST_LATER_ORDERS");
  const int count = asked == nullptr ? 10000 : std::atoi(asked);
  REQUIRE(count >= 1000);
  return count;
}

/// Orders of two tenants that nobody works on any more.
struct old_system {
  world w;
  std::vector<std::pair<std::string, std::string>> orders; // tenant, id

  explicit old_system(int count) {
    for (const std::string tenant : {"tn-a", "tn-b"}) {
      w.stock(tenant, "sku-1", 100'000);
      accept(tenant, count / 2);
    }
  }
  /// Many at a time, as they share rounds.
  void accept(const std::string& tenant, int count) {
    std::vector<world::answer_slot> sent;
    for (int i = 0; i < count; ++i) {
      sent.push_back(w.send(world::request(tenant, std::to_string(i))));
      if (sent.size() < 100 && i + 1 < count)
        continue;
      w.run();
      for (const auto& one : sent) {
        REQUIRE((one->has_value()
                 && (**one).what == actors::place_answer::kind::accepted));
        orders.emplace_back(tenant, (**one).order_id);
      }
      sent.clear();
    }
  }
  /// Every second one is completed, the others are cancelled.
  void finish() {
    std::size_t answered = 0;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      w.it->gateway().command({orders[i].first,
                               orders[i].second,
                               i % 2 == 0 ? domain::order_command::complete
                                          : domain::order_command::cancel,
                               {},
                               {}},
                              [&](auto a) { answered += a.ok() ? 1 : 0; });
      if (i % 100 == 99)
        w.run();
    }
    w.run();
    REQUIRE(answered == orders.size());
  }
  void add(app::later_start start, std::uint32_t rate = 0) {
    w.settings.audit_feed.start = start;
    w.settings.audit_feed.rate_per_s = rate;
    w.restart();
  }
};

} // namespace

TEST_CASE("a later consumer is offered the time before, killed on the way") {
  const int count = orders_before();
  old_system s(count);
  s.finish();
  s.add(app::later_start::from_history, 1000);
  const int leg = count / 4;
  s.w.pass(leg);
  for (int death = 0; death < 2; ++death) {
    crash at(s.w);
    at.take_image();
    at.restart();
    if (death == 0) // the walk is not there yet: the kill came on the way
      CHECK(feed(s.w, "tn-b", s.orders.back().second).position == 0);
    const auto live = s.w.accepted("tn-a", "live" + std::to_string(death));
    CHECK(s.w.job("tn-a", live).has_value()); // live orders go on
    s.w.pass(leg);
  }
  s.w.pass(5000 + 2 * count); // 1,000 a second, two events an order
  for (std::size_t i = 0; i < s.orders.size(); ++i) {
    const auto row = feed(s.w, s.orders[i].first, s.orders[i].second);
    REQUIRE(row.position == 2);
    CHECK_FALSE(row.waiting.has_value());
    const auto notes = domain::decode_audit_notes(row.effect);
    REQUIRE(notes.ok());
    CHECK(notes->size() == 2);
  }
  // Walked through before the first kill; after one, the cautious window parks
  // what is offered and runs it from there.
  CHECK(feed(s.w, "tn-a", s.orders[0].second).recent[0].door
        == domain::via::history);
  CHECK(s.w.dead_letters().empty());
  responder r(s.w, "tn-a");
  CHECK(r.last_logged() == "consumer.start audit-feed-v1 from_history");
  // From here on it is a consumer like the others.
  const auto order = s.w.accepted("tn-b", "after");
  CHECK(feed(s.w, "tn-b", order).recent[0].door == domain::via::delivery);
  serves(s.w, "tn-c", "control");
  s.w.check_invariants();
}

TEST_CASE("a later consumer may begin now: what was before is not its own") {
  old_system s(40);
  s.add(app::later_start::from_now);
  s.w.pass(1000);
  const auto row = feed(s.w, "tn-a", s.orders[1].second);
  CHECK(row.position == 1);
  CHECK(row.start_mark == 1);
  CHECK(row.effect.empty());
  // What happens next to an old order follows without a gap.
  REQUIRE(s.w.command("tn-a", s.orders[1].second, domain::order_command::cancel)
            .ok());
  CHECK(feed(s.w, "tn-a", s.orders[1].second).position == 2);
  // A late second delivery of what was before is acknowledged and that is all.
  responder r(s.w, "tn-a");
  REQUIRE(r.resend(s.orders[1].second, 1, 1).ok());
  CHECK(s.w.dead_letters().empty());
  CHECK(s.w.verdicts(std::string(domain::audit_feed_consumer), "skipped") >= 1);
  s.w.restart();
  CHECK(feed(s.w, "tn-a", s.orders[1].second).position == 2);
  serves(s.w, "tn-c", "control");
  s.w.check_invariants();
}
