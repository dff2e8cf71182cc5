#include "codec/trace_context.hpp"
#include "codec/utc_time.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace codec = parcelflow::codec;
namespace support = parcelflow::support;

TEST_CASE("an instant of ours is read back exactly") {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<support::unix_ms> years_0_to_9999(
    -62'167'219'200'000, 253'402'300'799'999);
  for (int round = 0; round < 5000; ++round) {
    const auto at = years_0_to_9999(random);
    REQUIRE(codec::parse_utc(support::to_rfc3339(at)) == at);
  }
}

TEST_CASE("seconds carry up to nine decimals") {
  const support::unix_ms base = 1'796'065'200'000;
  CHECK(codec::parse_utc("2026-11-30T19:00:00Z") == base);
  CHECK(codec::parse_utc("2026-11-30T19:00:00.5Z") == base + 500);
  CHECK(codec::parse_utc("2026-11-30T19:00:00.123456789Z") == base + 123);
  CHECK(codec::parse_utc("2024-02-29T00:00:00Z").has_value());
}

TEST_CASE("what is no UTC instant is refused") {
  for (const std::string_view bad : {"",
                                     "Z",
                                     "2026-11-30",
                                     "2026-11-30T19:00:00",
                                     "2026-11-30T19:00:00z",
                                     "2026-11-30t19:00:00Z",
                                     "2026-11-30 19:00:00Z",
                                     "2026-11-30T19:00:00+00:00",
                                     "2026-11-30T19:00:00.Z",
                                     "2026-11-30T19:00:00.1234567890Z",
                                     "2026-11-30T19:00:00.1aZ",
                                     "2026-11-30T19:00:00,5Z",
                                     "2026-11-30T19:00Z",
                                     "2026-02-29T00:00:00Z",
                                     "2026-13-01T00:00:00Z",
                                     "2026-00-01T00:00:00Z",
                                     "2026-11-31T00:00:00Z",
                                     "2026-11-30T24:00:00Z",
                                     "2026-11-30T19:60:00Z",
                                     "2026-11-30T19:00:60Z",
                                     "2026-11-30T19:00:00ZZ",
                                     " 2026-11-30T19:00:00Z"})
    CHECK_MESSAGE(!codec::parse_utc(bad).has_value(), bad);
}

TEST_CASE("a traceparent names its trace") {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string rest = trace + "-00f067aa0ba902b7-01";
  CHECK(codec::trace_id_of("00-" + rest) == trace);
  CHECK(codec::trace_id_of("cc-" + rest) == trace);
  CHECK(codec::trace_id_of("cc-" + rest + "-what-comes") == trace);
}

TEST_CASE("an illegal traceparent names none") {
  const std::string good =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  REQUIRE(codec::trace_id_of(good).has_value());
  const auto with = [&](std::size_t at, std::string_view text) {
    auto changed = good;
    changed.replace(at, text.size(), text);
    return changed;
  };
  const std::string zeros(32, '0');
  for (const auto& bad :
       {with(0, "ff"), with(0, "0G"), with(2, "_"), with(3, zeros),
        with(3, "4B"), with(35, "0"), with(36, zeros.substr(16)), with(52, "x"),
        with(53, "0g"), good + "-later", good + "x",
        "cc" + good.substr(2) + "x", good.substr(1), std::string(),
        "cc" + good.substr(2) + "-" + std::string(300, 'x')})
    CHECK_MESSAGE(!codec::trace_id_of(bad).has_value(), bad);
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_FALSE(codec::trace_id_of(good.substr(0, size)).has_value());
}
