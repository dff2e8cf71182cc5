// The audit of a consumer that came later: its account, and its walk through
// the time before. Clean while it walks; each damage is named by its row.
#include "domain/audit_feed.hpp"
#include "support/record.hpp"
#include "tests/app/audit_lab.hpp"
#include "tests/support/world.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using domain::audit_rule;
using storage::audit_mode;
using storage::owner;
using test::world;

namespace {

constexpr int orders_before = 6;
const std::string name(domain::audit_feed_consumer);
const std::string cursor_key = storage::history_key(name);

std::string cursor_at(std::uint64_t next) {
  return support::record_writer(1).u64(next).flag(true).take();
}

/// Six orders of the time before, one after it.
struct old_system {
  world w;
  std::vector<std::string> orders;

  explicit old_system(app::later_start start) {
    w.stock("tn-a", "sku-1", 100);
    for (int i = 0; i < orders_before; ++i)
      orders.push_back(w.accepted("tn-a", std::to_string(i)));
    w.settings.audit_feed.start = start;
    w.restart();
    w.pass(1000);
    orders.push_back(w.accepted("tn-a", "after"));
  }
  [[nodiscard]] storage::audit_report audit() {
    return storage::audit(
      w.it->store(), test::audit_lab::options_at(w.clock, audit_mode::at_rest));
  }
  std::string stream(std::size_t order) const {
    return storage::stream_key("tn-a", name, orders.at(order));
  }
};

const domain::audit_account& account(const storage::audit_report& report) {
  const auto found =
    std::ranges::find(report.accounts, name, &domain::audit_account::consumer);
  REQUIRE(found != report.accounts.end());
  return *found;
}

std::string told(const storage::audit_report& report) {
  std::string text;
  for (const auto& one : report.findings)
    text += std::string(to_string(one.rule)) + " " + one.row.kind + ": "
            + one.what + "\n";
  return text;
}

/// Closes the engine, damages a copy of what it left, and audits that.
template <class Damage>
storage::audit_report damaged(old_system& s, const Damage& damage) {
  s.w.close();
  test::damaged_store copy(s.w.settings.data.directory);
  REQUIRE(copy.audit(s.w.clock.now(), audit_mode::running).clean());
  damage(copy);
  return copy.audit(s.w.clock.now(), audit_mode::running);
}

void only(const storage::audit_report& report, audit_rule rule,
          const std::string& key) {
  CHECK_MESSAGE(report.findings_total == 1, told(report));
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings[0].rule == rule);
  CHECK(report.findings[0].row == storage::name_of(owner::audit_feed, key));
}

} // namespace

TEST_CASE("who never came has no account; who came has all of one") {
  world never;
  for (const auto& one :
       storage::audit(never.it->store(), test::audit_lab::options_at(
                                           never.clock, audit_mode::at_rest))
         .accounts)
    CHECK(one.consumer != name);

  old_system all(app::later_start::from_history);
  const auto report = all.audit();
  CHECK_MESSAGE(report.clean(), told(report));
  CHECK(account(report).events == orders_before + 1);
  CHECK(account(report).applied == orders_before + 1);

  old_system now(app::later_start::from_now);
  const auto later = now.audit();
  CHECK_MESSAGE(later.clean(), told(later));
  CHECK(account(later).before_start == orders_before);
  CHECK(account(later).applied == 1);
}

TEST_CASE("a history cursor stands where the outbox and the streams say") {
  old_system s(app::later_start::from_history);
  SUBCASE("beyond the outbox") {
    only(damaged(s,
                 [](auto& at) {
                   at.put(owner::audit_feed, cursor_key, cursor_at(1000));
                 }),
         audit_rule::books, cursor_key);
  }
  SUBCASE("gone back") {
    only(damaged(s,
                 [](auto& at) {
                   at.put(owner::audit_feed, cursor_key, cursor_at(3));
                 }),
         audit_rule::accounting, cursor_key);
  }
  SUBCASE("lost") {
    only(damaged(s, [](auto& at) { at.erase(owner::audit_feed, cursor_key); }),
         audit_rule::accounting, cursor_key);
  }
  SUBCASE("not a cursor") {
    const auto report = damaged(
      s, [](auto& at) { at.put(owner::audit_feed, cursor_key, "garbage"); });
    REQUIRE_FALSE(report.findings.empty());
    for (const auto& one : report.findings)
      CHECK(one.row == storage::name_of(owner::audit_feed, cursor_key));
  }
}

TEST_CASE("what the walk passed has left its stream") {
  old_system s(app::later_start::from_history);
  const auto report =
    damaged(s, [&](auto& at) { at.erase(owner::audit_feed, s.stream(2)); });
  only(report, audit_rule::accounting, s.stream(2));
  CHECK(account(report).wrong == 1);
}

TEST_CASE("a walk from now that went back is named, too") {
  old_system s(app::later_start::from_now);
  only(
    damaged(
      s, [](auto& at) { at.put(owner::audit_feed, cursor_key, cursor_at(1)); }),
    audit_rule::accounting, cursor_key);
}
