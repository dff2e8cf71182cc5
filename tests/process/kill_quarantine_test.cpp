// F20 and F21: the process dies while an event is put aside. The bus loses the
// event before it (the fourth), so a real gap opens, is recorded, and heals
// when the producer is asked again.
#include "tests/process/killed_at.hpp"
#include "tests/support/closed_store.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;

namespace {

const std::string lose_the_fourth = "--bus.fault_drop=4";

void survives(const std::string& point, std::uint64_t later) {
  // More orders would lose more events, and nobody misses the last of a stream.
  test::survives({point, 1, {lose_the_fourth}, false}, later);
}

} // namespace

TEST_CASE("killed once an event is parked, its record is made once") {
  survives("consumer.after_park", 2);
}
TEST_CASE("killed before the record, it is made once") {
  survives("dead_letter.before_commit", 2);
}
TEST_CASE("killed after the record, it is not made again") {
  survives("dead_letter.after_commit", 3);
}
TEST_CASE("killed when the record is known, the event is settled later") {
  survives("consumer.after_tell", 2);
}
TEST_CASE("a gap that nobody interrupts heals by itself") {
  test::crash_case one;
  auto flags = test::quick_flags();
  flags.push_back(lose_the_fourth);
  one.recovers(flags);
  // One record a consumer was made and closed; so the cases above had a gap.
  const test::closed_store left(one.daemon.directory());
  CHECK(left.dead_letters().size() == 3);
  for (const auto& letter : left.dead_letters())
    CHECK(letter.cause == domain::dead_letter_cause::sequence_gap);
}
