// What `scripts/test events` prints last. Runs alone, in a process of its own,
// when every process that wrote has gone: each value is read from the
// directories that the checks left, and demanded.
#include "tests/support/closed_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

using namespace parcelflow;

TEST_CASE("report: what the checks left behind" * doctest::skip()) {
  const char* kept = std::getenv("PARCELFLOW_EVENTS_DIR");
  REQUIRE(kept != nullptr);
  const std::string directory = kept;

  const test::closed_store crash(directory + "/crash");
  const auto applied =
    crash.stream(storage::owner::fulfillment, domain::fulfillment_consumer,
                 "tn-a", "ord-701");
  REQUIRE(applied.recent.size() == 1);
  CHECK(applied.recent[0].event_id == "evt-701");

  const test::closed_store ordering(directory + "/ordering");
  const auto a = ordering.position("tn-a", "ord-701");
  const auto b = ordering.position("tn-b", "ord-901");
  std::cout << "positions tn-a/ord-701=" << a << " tn-b/ord-901=" << b << "\n";
  CHECK(a == 2);
  CHECK(b == 1);

  const test::closed_store duplicate(directory + "/duplicate");
  const auto all = duplicate.jobs();
  const auto jobs =
    std::count(all.begin(), all.end(),
               std::pair<std::string, std::string>("tn-a", "ord-701"));
  std::cout << "jobs tn-a/ord-701=" << jobs << "\n";
  CHECK(jobs == 1);

  const test::closed_store gap(directory + "/gap");
  std::size_t quarantined = 0;
  for (const auto& one : gap.dead_letters()) {
    if (one.consumer != domain::fulfillment_consumer)
      continue;
    quarantined += 1;
    std::cout << "quarantined " << one.event_id << " " << to_string(one.cause)
              << "\n";
    CHECK(one.event_id == "evt-703");
    CHECK(to_string(one.cause) == "SEQUENCE_GAP");
  }
  CHECK(quarantined == 1);
}
