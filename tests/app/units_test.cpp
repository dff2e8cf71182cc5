#include "app/units.hpp"

#include <doctest/doctest.h>

namespace parcelflow::app {

using std::chrono::milliseconds;

TEST_CASE("an integer is the whole text, in range") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const auto* bad :
       {"", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "-", "1e3"})
    CHECK_FALSE_MESSAGE(parse_integer(bad), bad);
}

TEST_CASE("a duration has one unit, or the one of its setting") {
  constexpr milliseconds ms{1};
  CHECK(parse_duration("250", ms) == milliseconds(250));
  CHECK(parse_duration("250ms", ms) == milliseconds(250));
  CHECK(parse_duration("3s", ms) == milliseconds(3000));
  CHECK(parse_duration("2m", ms) == milliseconds(120'000));
  CHECK(parse_duration("1h", ms) == milliseconds(3'600'000));
  CHECK(parse_duration("30d", ms) == std::chrono::hours(720));
  CHECK(parse_duration("7", std::chrono::hours(1)) == std::chrono::hours(7));
  for (const auto* bad : {"", "s", "-1s", "1 s", "1S", "1w", "1.5s", "1h30m",
                          "9223372036854775807h"})
    CHECK_FALSE_MESSAGE(parse_duration(bad, ms), bad);
}

TEST_CASE("bytes are read and printed with binary suffixes") {
  CHECK(parse_bytes("1000") == 1000);
  CHECK(parse_bytes("1B") == 1);
  CHECK(parse_bytes("256KiB") == 262144);
  CHECK(parse_bytes("1GiB") == 1073741824);
  for (const auto* bad : {"", "KiB", "-1", "1KB", "1kib", "1MB", "0.5MiB",
                          "9223372036854775807KiB"})
    CHECK_FALSE_MESSAGE(parse_bytes(bad), bad);
  for (const auto* text : {"0", "1000", "1KiB", "64MiB", "1GiB", "1025"})
    CHECK(bytes_text(*parse_bytes(text)) == text);
}

} // namespace parcelflow::app
