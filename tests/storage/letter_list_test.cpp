// Lists of dead letters: the total is the number of what the pages hold, by
// whichever way it is found.
#include "storage/letter_counts.hpp"
#include "storage/ops_view.hpp"
#include "tests/storage/status_fixture.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace parcelflow;
using domain::dead_letter_cause;
using domain::dead_letter_filter;
using domain::dead_letter_state;
using storage::owner;
using test::noon;
using test::status_fixture;

namespace {

class letters_fixture : public status_fixture {
public:
  letters_fixture() : ops(*store) {}

  domain::dead_letter letter_at(int number) const {
    domain::dead_letter of;
    of.tenant_id = "acme";
    of.dead_letter_id = "dl-" + std::to_string(1000 + number);
    of.consumer = number % 2 == 0 ? "fulfillment-v1" : "notification-v1";
    of.cause = static_cast<dead_letter_cause>(1 + number % 3);
    of.aggregate_id = "ord-" + std::to_string(number % 5);
    of.event_id = "evt-" + std::to_string(number);
    of.event_type = number % 4 == 0 ? "OrderCancelled" : "OrderAccepted";
    of.event_version = static_cast<std::uint32_t>(1 + number % 2);
    of.reason = "because " + std::to_string(number);
    of.first_seen = noon + number;
    of.attempts = {{noon, "sick"}};
    of.steps = {{dead_letter_state::open, "system", "why", noon}};
    if (number % 7 == 0)
      of.steps.push_back({dead_letter_state::waived, "ann", "old", noon + 1});
    of.replay_ids = {"rpl-1"};
    return of;
  }
  /// As the dead-letter owner does: record, index, counts.
  void add(const domain::dead_letter& of, bool counted = true) {
    put(owner::dead_letter,
        storage::dead_letter_key(of.tenant_id, of.dead_letter_id),
        domain::encode(of));
    put(owner::dead_letter,
        storage::dead_letter_order_key(of.tenant_id, of.aggregate_id,
                                       of.dead_letter_id),
        std::string("\x01\0", 2));
    put(
      owner::dead_letter,
      storage::letter_time_key(of.tenant_id, of.first_seen, of.dead_letter_id),
      std::string("\x01\0", 2));
    if (!counted)
      return;
    counts_[of.tenant_id].move(nullptr, &of);
    put(owner::dead_letter, storage::letter_counts_key(of.tenant_id),
        storage::encode(counts_[of.tenant_id]));
  }
  /// The ids on all pages; each page must say the same total.
  std::vector<std::string> pages(const dead_letter_filter& filter,
                                 std::size_t limit, std::uint64_t total) const {
    std::vector<std::string> ids;
    storage::page_request next{{}, limit};
    do {
      const auto page = ops.dead_letters("acme", filter, next);
      REQUIRE(page.ok());
      CHECK(page->total == total);
      CHECK(page->letters.items.size() <= limit);
      for (const auto& one : page->letters.items) {
        CHECK(one.payload.empty());
        ids.push_back(one.dead_letter_id);
      }
      next.after = page->letters.next;
    } while (!next.after.empty());
    return ids;
  }
  void check_filter(const dead_letter_filter& filter,
                    const std::vector<domain::dead_letter>& all) const {
    std::vector<std::string> meant;
    for (const auto& one : all)
      if (filter.matches(one))
        meant.push_back(one.dead_letter_id);
    for (const std::size_t limit : {1, 7, 200})
      CHECK(pages(filter, limit, meant.size()) == meant);
  }

  storage::ops_view ops;

private:
  std::map<std::string, storage::letter_counts> counts_;
};

std::vector<dead_letter_filter> many_filters() {
  std::vector<dead_letter_filter> all(14);
  all[1].state = dead_letter_state::open;
  all[2].cause = dead_letter_cause::sequence_fork;
  all[3].consumer = "notification-v1";
  all[4].event_type = "OrderCancelled";
  all[5].event_version = 2;
  all[6].aggregate_id = "ord-3";
  all[7].since = noon + 10;
  all[8].until = noon + 20;
  all[9].text = "because 1";
  all[10].aggregate_id = "ord-3";
  all[10].state = dead_letter_state::open;
  all[10].since = noon + 4;
  all[11].since = noon + 12;
  all[11].until = noon + 13;
  all[12].since = noon + 5;
  all[12].consumer = "notification-v1";
  all[12].text = "evt-";
  all[13].since = noon + 1'000'000;
  return all;
}

} // namespace

TEST_CASE("pages hold what the filter means, and the total says how many") {
  letters_fixture rows;
  std::vector<domain::dead_letter> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(rows.letter_at(i));
    rows.add(all.back());
  }
  auto foreign = rows.letter_at(3);
  foreign.tenant_id = "globex";
  rows.add(foreign);
  for (const auto& filter : many_filters())
    rows.check_filter(filter, all);
  CHECK(rows.ops.dead_letters("acm", {}, {})->total == 0);
  CHECK(rows.ops.dead_letters("globex", {}, {})->total == 1);
}

TEST_CASE("without counts the records are counted") {
  letters_fixture rows;
  std::vector<domain::dead_letter> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(rows.letter_at(i));
    rows.add(all.back(), false);
  }
  for (const auto& filter : many_filters())
    rows.check_filter(filter, all);
}

TEST_CASE("a time that many records share is counted in its index") {
  letters_fixture rows;
  const int many =
    2 * static_cast<int>(storage::status_view::rows_looked_at_max);
  std::vector<domain::dead_letter> all;
  for (int i = 0; i < many; ++i) {
    all.push_back(rows.letter_at(10'000 + i));
    rows.add(all.back());
  }
  dead_letter_filter late;
  late.since = all.front().first_seen + 10;
  dead_letter_filter mixed = late;
  mixed.text = "because 11";
  for (const auto& filter : {late, mixed}) {
    std::vector<std::string> meant;
    for (const auto& one : all)
      if (filter.matches(one))
        meant.push_back(one.dead_letter_id);
    CHECK(rows.pages(filter, 200, meant.size()) == meant);
  }
}

TEST_CASE("what was counted for the first page goes with the others") {
  letters_fixture rows;
  for (int i = 0; i < 10; ++i)
    rows.add(rows.letter_at(i));
  dead_letter_filter filter;
  filter.text = "because";
  const auto first = rows.ops.dead_letters("acme", filter, {{}, 4});
  CHECK(first->total == 10);
  rows.add(rows.letter_at(10));
  const auto second =
    rows.ops.dead_letters("acme", filter, {first->letters.next, 4});
  CHECK(second->total == 10);
  const auto third =
    rows.ops.dead_letters("acme", filter, {second->letters.next, 4});
  CHECK(third->total == 10);
  CHECK(third->letters.items.back().dead_letter_id
        == rows.letter_at(10).dead_letter_id);
  CHECK(third->letters.next.empty());
  CHECK(rows.ops.dead_letters("acme", filter, {{}, 4})->total == 11);
}

TEST_CASE("a record that does not parse is an error, never a wrong total") {
  letters_fixture rows;
  rows.add(rows.letter_at(1));
  rows.put(owner::dead_letter, storage::dead_letter_key("acme", "dl-9"),
           std::string("\x01\0\x01", 3));
  for (const auto& filter : many_filters()) {
    const auto page = rows.ops.dead_letters("acme", filter, {});
    const bool looked_at_all = !filter.text.empty() && filter.since == 0;
    if (looked_at_all)
      CHECK(page.why().code == domain::failure::storage_corrupt);
    else
      CHECK(page->total == page->letters.items.size()); // it is behind
  }
  rows.put(owner::dead_letter, storage::letter_counts_key("acme"), "\x01");
  CHECK(rows.ops.dead_letters("acme", {}, {}).why().code
        == domain::failure::storage_corrupt);
}

TEST_CASE("a glance at a record sees what its decoding sees") {
  letters_fixture rows;
  for (int i = 0; i < 8; ++i) {
    auto letter = rows.letter_at(i);
    letter.trace_id = "trace";
    const auto bytes = domain::encode(letter);
    const auto glance = domain::glance_at(letter.dead_letter_id, bytes);
    REQUIRE(glance.ok());
    const auto full = domain::glance_at(letter);
    CHECK(glance->dead_letter_id == full.dead_letter_id);
    CHECK(glance->consumer == full.consumer);
    CHECK(glance->reason == full.reason);
    CHECK(glance->aggregate_id == full.aggregate_id);
    CHECK(glance->event_id == full.event_id);
    CHECK(glance->event_type == full.event_type);
    CHECK(glance->trace_id == full.trace_id);
    CHECK(glance->cause == full.cause);
    CHECK(glance->state == full.state);
    CHECK(glance->event_version == full.event_version);
    CHECK(glance->first_seen == full.first_seen);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK_FALSE(
        domain::glance_at("dl-1", std::string_view(bytes).substr(0, size))
          .ok());
    CHECK_FALSE(domain::glance_at("dl-1", bytes + "x").ok());
  }
}
