// Counts of dead letters: they say exactly what a look at every record would,
// or nothing; a repeat moves nothing; what comes from outside cannot grow them.
#include "storage/letter_counts.hpp"
#include "support/record.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace std::string_literals;
using domain::dead_letter_cause;
using domain::dead_letter_filter;
using domain::dead_letter_state;

namespace {

domain::dead_letter a_letter(const std::string& type = "OrderAccepted",
                             std::uint32_t version = 1) {
  domain::dead_letter of;
  of.consumer = "fulfillment-v1";
  of.cause = dead_letter_cause::sequence_gap;
  of.event_type = type;
  of.event_version = version;
  of.steps = {{dead_letter_state::open, "system", "", 1}};
  return of;
}

dead_letter_filter of_type(const std::string& type) {
  dead_letter_filter filter;
  filter.event_type = type;
  return filter;
}

letter_counts full_of_kinds() {
  letter_counts counts;
  for (std::size_t i = 0; i < letter_counts::kinds_max; ++i) {
    const auto letter = a_letter("Type" + std::to_string(i));
    counts.move(nullptr, &letter);
  }
  return counts;
}

} // namespace

TEST_CASE("a letter that changes its state is counted once") {
  letter_counts counts;
  auto letter = a_letter();
  counts.move(nullptr, &letter);
  CHECK(counts.total({}) == 1);
  auto closed = letter;
  closed.steps.push_back({dead_letter_state::resolved, "system", "", 2});
  counts.move(&letter, &closed);
  dead_letter_filter open;
  open.state = dead_letter_state::open;
  CHECK(counts.total({}) == 1);
  CHECK(counts.total(open) == 0);
  counts.move(&closed, &closed); // seen again
  CHECK(counts.total({}) == 1);
  counts.move(&closed, nullptr);
  CHECK(counts.total({}) == 0);
}

TEST_CASE("counts say what a look at every record says") {
  std::mt19937 dice(7); // NOLINT(cert-msc32-c,cert-msc51-cpp): repeatable
  const auto below = [&](unsigned n) { return dice() % n; };
  letter_counts counts;
  std::vector<domain::dead_letter> all;
  for (int i = 0; i < 500; ++i) {
    auto letter = a_letter(below(2) == 0 ? "OrderAccepted" : "OrderCancelled",
                           1 + below(3));
    letter.consumer = below(2) == 0 ? "fulfillment-v1" : "notification-v1";
    letter.cause = static_cast<dead_letter_cause>(1 + below(7));
    counts.move(nullptr, &letter);
    if (below(2) == 0) {
      auto next = letter;
      next.steps.push_back(
        {static_cast<dead_letter_state>(2 + below(3)), "a", "", 2});
      counts.move(&letter, &next);
      letter = next;
    }
    all.push_back(letter);
  }
  for (int i = 0; i < 200; ++i) {
    dead_letter_filter filter;
    if (below(2) == 0)
      filter.state = static_cast<dead_letter_state>(1 + below(4));
    if (below(2) == 0)
      filter.cause = static_cast<dead_letter_cause>(1 + below(7));
    if (below(2) == 0)
      filter.consumer = "notification-v1";
    if (below(2) == 0)
      filter.event_type = "OrderCancelled";
    if (below(2) == 0)
      filter.event_version = 1 + below(4);
    const auto real =
      std::count_if(all.begin(), all.end(),
                    [&](const auto& one) { return filter.matches(one); });
    CHECK(counts.total(filter) == static_cast<std::uint64_t>(real));
  }
}

TEST_CASE("counts do not guess at time, order or text") {
  letter_counts counts;
  dead_letter_filter filter;
  filter.since = 1;
  CHECK_FALSE(counts.total(filter));
  filter = {};
  filter.until = 1;
  CHECK_FALSE(counts.total(filter));
  filter = {};
  filter.aggregate_id = "ord-1";
  CHECK_FALSE(counts.total(filter));
  filter = {};
  filter.text = "x";
  CHECK_FALSE(counts.total(filter));
}

TEST_CASE("foreign types beyond the bound are counted together") {
  auto counts = full_of_kinds();
  CHECK(counts.total(of_type("Type0")) == 1);
  CHECK(counts.total(of_type("Stranger")) == 0);
  const auto size = encode(counts).size();
  auto stranger = a_letter("Stranger");
  const auto long_name = a_letter(std::string(5000, 'x'));
  for (int i = 0; i < 100; ++i)
    counts.move(nullptr, &stranger);
  counts.move(nullptr, &long_name);
  CHECK(encode(counts).size() < size + 40);

  CHECK(counts.total({}) == letter_counts::kinds_max + 101);
  CHECK_FALSE(counts.total(of_type("Stranger"))); // may be among them
  CHECK_FALSE(counts.total(of_type("Type0")));    // its version 2 may be, too
  auto pair = of_type("Type0");
  pair.event_version = 1;
  CHECK(counts.total(pair) == 1); // that one is counted apart
  auto elsewhere = of_type("Type0");
  elsewhere.consumer = "notification-v1";
  CHECK(counts.total(elsewhere) == 0); // nothing is there at all
}

TEST_CASE("a letter counted together leaves from there") {
  auto counts = full_of_kinds();
  auto stranger = a_letter("Stranger");
  counts.move(nullptr, &stranger);
  const auto first = a_letter("Type0");
  counts.move(&first, nullptr); // its place is not given to another
  auto closed = stranger;
  closed.steps.push_back({dead_letter_state::waived, "ann", "", 2});
  counts.move(&stranger, &closed);
  counts.move(&closed, nullptr);
  CHECK(counts.total(of_type("Stranger")) == 0);
  CHECK(counts.total({}) == letter_counts::kinds_max - 1);
}

TEST_CASE("golden: counts of dead letters") {
  letter_counts counts;
  const auto letter = a_letter("T", 2);
  counts.move(nullptr, &letter);
  auto waived = a_letter("", 0);
  waived.consumer = "p";
  waived.cause = dead_letter_cause::publish_refused;
  waived.steps.push_back({dead_letter_state::waived, "ann", "", 2});
  counts.move(nullptr, &waived);
  counts.move(nullptr, &waived);
  const auto bytes = encode(counts);
  CHECK(bytes
        == "\x01\0"
           "\x02\x01T\x02\0\0"
           "\x02\x0e"
           "fulfillment-v1\x01\x01\x01\x01"
           "\x01p\x07\x04\x02\x02"s);
  CHECK(*decode_letter_counts(bytes) == counts);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_letter_counts(bytes.substr(0, size)).ok());
  CHECK_FALSE(decode_letter_counts(bytes + "x").ok());
}

TEST_CASE("counts that no writer wrote are refused") {
  const auto row = [](std::uint64_t kind, std::uint64_t count, int times) {
    support::record_writer out(1);
    out.u64(1).text("T").u64(1).u64(static_cast<std::uint64_t>(times));
    for (int i = 0; i < times; ++i)
      out.text("c").u64(1).u64(1).u64(kind).u64(count);
    return out.take();
  };
  CHECK(decode_letter_counts(row(1, 3, 1)).ok());
  CHECK_FALSE(decode_letter_counts(row(2, 3, 1)).ok()); // no such kind
  CHECK_FALSE(decode_letter_counts(row(1, 0, 1)).ok()); // an empty cell
  CHECK_FALSE(decode_letter_counts(row(1, 3, 2)).ok()); // one cell twice
}
