// F13 and F14: the process dies while a consumer works on an event.
#include "tests/process/killed_at.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using test::survives;

TEST_CASE("killed inside an effect, the effect happens once") {
  survives("consumer.in_effect", 5);
}
TEST_CASE("killed before a consumer's commit, the event comes again") {
  survives("consumer.before_commit", 6);
}
TEST_CASE("killed after a consumer's commit, the event is known already") {
  survives("consumer.after_commit", 6);
}
TEST_CASE("killed before the settlement, the event is known already") {
  survives("consumer.before_settle", 5);
}
TEST_CASE("killed after the settlement, the event does not matter any more") {
  survives("consumer.after_settle", 6);
}

TEST_CASE("killed again while it is judged alone, the event arrives still") {
  // Deaths are counted only after an unclean stop, so the first makes one.
  for (const std::uint64_t countdown : {1U, 2U}) {
    CAPTURE(countdown);
    test::crash_case one;
    one.dies_at({"consumer.in_effect"});
    one.dies_at({"consumer.after_attempt", countdown});
    one.recovers();
  }
}
