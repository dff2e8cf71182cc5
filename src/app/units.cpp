#include "app/units.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace parcelflow::app {

namespace {

struct unit {
  std::string_view suffix;
  std::int64_t factor;
};

// Longer suffixes first: "ms" ends in "s", "KiB" in "B".
constexpr std::array<unit, 5> time_units{
  {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::array<unit, 4> byte_units{
  {{"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"B", 1}}};

template <std::size_t N>
std::optional<std::int64_t> scaled(std::string_view text,
                                   const std::array<unit, N>& units,
                                   std::int64_t bare) {
  std::int64_t factor = bare;
  for (const auto& [suffix, own] : units)
    if (text.ends_with(suffix)) {
      text.remove_suffix(suffix.size());
      factor = own;
      break;
    }
  const auto number = parse_integer(text);
  if (!number || *number < 0
      || *number > std::numeric_limits<std::int64_t>::max() / factor)
    return std::nullopt;
  return *number * factor;
}

} // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || rest != end)
    return std::nullopt;
  return number;
}

std::optional<std::chrono::milliseconds>
parse_duration(std::string_view text, std::chrono::milliseconds bare) {
  const auto ms = scaled(text, time_units, bare.count());
  if (!ms)
    return std::nullopt;
  return std::chrono::milliseconds(*ms);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  return scaled(text, byte_units, 1);
}

std::string bytes_text(std::int64_t bytes) {
  for (const auto* name : {"GiB", "MiB", "KiB"})
    for (const auto& [suffix, factor] : byte_units)
      if (suffix == name && bytes != 0 && bytes % factor == 0)
        return std::to_string(bytes / factor) + name;
  return std::to_string(bytes);
}

} // namespace parcelflow::app
