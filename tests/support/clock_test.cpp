// Times as text, and ids that never run backwards.
#include "support/clock.hpp"
#include "support/id_source.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace parcelflow::support;

TEST_CASE("a time is written as RFC 3339 in UTC with milliseconds") {
  CHECK(to_rfc3339(0) == "1970-01-01T00:00:00.000Z");
  CHECK(to_rfc3339(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(to_rfc3339(951'782'400'000) == "2000-02-29T00:00:00.000Z");
  CHECK(to_rfc3339(1'796'065'259'007) == "2026-11-30T19:00:59.007Z");
  CHECK(to_rfc3339(253'402'300'799'999) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("later ids sort after earlier ones, whatever the clock does") {
  manual_clock clock(1'796'065'259'007);
  seeded_id_source ids(clock, 7);
  std::string last;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 3 == 0)
      clock.advance(i % 2 == 0 ? 1 : -5000); // also backwards
    const auto next = ids.next_ulid();
    REQUIRE(is_ulid(next));
    REQUIRE(next > last);
    last = next;
  }
}

TEST_CASE("the same seed gives the same ids, another one others") {
  const manual_clock clock(1'796'065'259'007);
  seeded_id_source a(clock, 1);
  seeded_id_source b(clock, 1);
  seeded_id_source c(clock, 2);
  CHECK(a.next_ulid() == b.next_ulid());
  CHECK(a.next_trace_id() == b.next_trace_id());
  CHECK(a.next_ulid() != c.next_ulid());
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i)
    seen.insert(a.below(10));
  CHECK(seen.size() == 10);
}

TEST_CASE("a new process goes on behind the ids of the one before") {
  manual_clock clock(1'796'065'259'007);
  seeded_id_source before(clock, 1);
  const auto last = before.next_ulid();
  CHECK(ulid_time(last) == 1'796'065'259'007);
  clock.set(1'000'000'000'000); // years back
  seeded_id_source after(clock, 2);
  after.not_before(ulid_time(last));
  CHECK(after.next_ulid() > last);
  CHECK(ulid_time("no ulid") == 0);
}
