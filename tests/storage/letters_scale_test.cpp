// A hundred thousand open dead letters: the first page with its total comes
// soon, whatever was asked. The figures stand in docs/BENCHMARKS.md; they are
// of processor time, so the bounds hold on a busy machine too.
#include "storage/keys.hpp"
#include "storage/letter_counts.hpp"
#include "storage/ops_view.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>

using namespace parcelflow;
using domain::dead_letter_cause;
using storage::owner;

namespace {

constexpr int letters = 100'000;
constexpr support::unix_ms noon = 1'800'000'000'000;

domain::dead_letter letter_at(int number) {
  domain::dead_letter of;
  of.tenant_id = "acme";
  // Ids are digests: in no order of time.
  constexpr int prime = 100'003;
  of.dead_letter_id =
    "dl-" + std::to_string(10'000'000LL + number * 61'231LL % prime);
  of.consumer = number % 2 == 0 ? "fulfillment-v1" : "notification-v1";
  of.topic = domain::order_topic;
  of.cause = number % 1000 == 999 ? dead_letter_cause::stale
                                  : dead_letter_cause::sequence_gap;
  of.reason = "sequence 2 came, 1 was expected";
  of.aggregate_id = "ord-01HZZZZZZZZZZZZZZZZZ" + std::to_string(number);
  of.event_id = "evt-01HZZZZZZZZZZZZZZZZZ" + std::to_string(number) + "-2";
  of.event_type = domain::order_completed;
  of.event_version = 1;
  of.expected_sequence = 1;
  of.observed_sequence = 2;
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.environment = "prod";
  of.decision = "quarantined; the stream waits for the hole";
  of.replay_role = "responder";
  of.first_seen = of.last_seen = noon + number;
  of.steps = {{domain::dead_letter_state::open, "system", "gap", noon}};
  return of;
}

void fill(storage::store& store) {
  auto rows = store.take(owner::dead_letter);
  storage::letter_counts counts;
  for (int i = 0; i < letters; ++i) {
    const auto letter = letter_at(i);
    counts.move(nullptr, &letter);
    rows.put(storage::dead_letter_key("acme", letter.dead_letter_id),
             domain::encode(letter));
    rows.put(storage::dead_letter_order_key("acme", letter.aggregate_id,
                                            letter.dead_letter_id),
             std::string("\x01\0", 2));
    rows.put(storage::letter_time_key("acme", letter.first_seen,
                                      letter.dead_letter_id),
             std::string("\x01\0", 2));
    if (i % 10'000 == 9'999) {
      rows.put(storage::letter_counts_key("acme"), storage::encode(counts));
      test::commit(store, rows);
    }
  }
}

/// Of this thread: a look is made on it, and others load the machine.
double processor_ms() {
  timespec now{};
  REQUIRE(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e3
         + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The middle of several looks, in milliseconds of processor time.
double median_ms(const storage::ops_view& ops,
                 const domain::dead_letter_filter& filter,
                 std::uint64_t total) {
  std::vector<double> took;
  for (int i = 0; i < 9; ++i) {
    const auto begin = processor_ms();
    const auto page = ops.dead_letters("acme", filter, {{}, 50});
    took.push_back(processor_ms() - begin);
    REQUIRE(page.ok());
    CHECK(page->total == total);
    CHECK(page->letters.items.size() == std::min<std::uint64_t>(total, 50));
  }
  std::sort(took.begin(), took.end());
  return took[took.size() / 2];
}

} // namespace

TEST_CASE("the first page of 100,000 dead letters, with its total") {
  const test::temp_directory place;
  auto options = test::options_for(place.path() + "/data");
  options.sync = false;
  const auto store = test::open_or_throw(options);
  fill(*store);
  const storage::ops_view ops(*store);

  domain::dead_letter_filter all;
  domain::dead_letter_filter by_consumer;
  by_consumer.consumer = "notification-v1";
  domain::dead_letter_filter rare;
  rare.cause = dead_letter_cause::stale;
  domain::dead_letter_filter by_order;
  by_order.aggregate_id = letter_at(777).aggregate_id;
  domain::dead_letter_filter by_time;
  by_time.since = noon + letters / 2;
  domain::dead_letter_filter by_hour;
  by_hour.since = noon + letters - 1'500;
  domain::dead_letter_filter by_text;
  by_text.text = letter_at(99'999).event_id;
  const struct {
    std::string name;
    const domain::dead_letter_filter* filter;
    std::uint64_t total;
    double most_ms;
  } asked[] = {
    {"no filter", &all, letters, 50},
    {"consumer=", &by_consumer, letters / 2, 50},
    {"order=", &by_order, 1, 50},
    {"since=", &by_time, letters / 2, 200},
    {"since= (1,500 of them)", &by_hour, 1'500, 200},
    {"text=", &by_text, 1, 1000},
  };
  for (const auto& one : asked) {
    const double took = median_ms(ops, *one.filter, one.total);
    MESSAGE(one.name << ": " << took << " ms");
    CHECK(took < one.most_ms);
  }
  // One in a thousand: the page ends after a bounded look, with the way on.
  const auto page = ops.dead_letters("acme", rare, {{}, 50});
  CHECK(page->total == letters / 1000);
  CHECK_FALSE(page->letters.items.empty());
  CHECK_FALSE(page->letters.next.empty());
}
