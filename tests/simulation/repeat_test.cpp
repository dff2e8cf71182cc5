// A life repeats exactly, whatever part of its schedule is kept; the canonical
// script does what the matrix claims of it.
#include "support/log.hpp"
#include "tests/simulation/matrix.hpp"
#include "tests/simulation/simulation.hpp"

#include <doctest/doctest.h>

#include <iostream>

using namespace parcelflow;
using namespace parcelflow::simulation;

namespace {

/// CAF tells of each actor that dies with its store; that is wanted here.
struct quiet {
  quiet() {
    support::log::set_level(support::log::level::off);
    std::cout.setstate(std::ios::failbit);
  }
  ~quiet() {
    std::cout.clear();
    support::log::set_level(support::log::level::info);
  }
};

outcome lived(const schedule& of) {
  const quiet around; // no longer: doctest speaks to std::cout as well
  return live_through(of);
}

} // namespace

TEST_CASE("the same seed lives the same life, in any build") {
  for (const std::uint64_t seed : {3ULL, 7ULL, 12ULL}) {
    CAPTURE(seed);
    const auto once = lived(draw_schedule(seed));
    const auto again = lived(draw_schedule(seed));
    CHECK(once.violations.empty());
    CHECK(once.trace_hash == again.trace_hash);
    CHECK(once.steps == again.steps);
    CHECK(once.crashes >= 4);
  }
  CHECK(lived(draw_schedule(3)).trace_hash
        != lived(draw_schedule(7)).trace_hash);
}

TEST_CASE("acts that are left out change none of the others") {
  const auto whole = draw_schedule(5);
  std::vector<std::uint64_t> kept;
  for (const auto& one : whole.acts)
    if (one.number % 3 == 0)
      kept.push_back(one.number);
  const auto part = only(whole, parse_numbers(to_text(kept)));
  REQUIRE(part.acts.size() == kept.size());
  for (const auto& one : part.acts)
    CHECK(one.kind == whole.acts[one.number].kind);
}

TEST_CASE("lists of numbers are written short and read back") {
  CHECK(to_text({1, 2, 3, 7, 9, 10}) == "1-3,7,9-10");
  CHECK(parse_numbers("1-3,7,9-10")
        == std::vector<std::uint64_t>{1, 2, 3, 7, 9, 10});
}

TEST_CASE("the canonical script has what it is known for") {
  for (const bool per_owner : {false, true}) {
    const auto one = lived(canonical_script(per_owner));
    CHECK(one.violations.empty());
    CHECK(one.orders >= 20);
    CHECK(one.replays >= 1);
    CHECK(one.hits.contains("effect failed"));
    CHECK(one.hits.contains("gap"));
  }
}
