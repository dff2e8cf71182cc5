#include "codec/utc_time.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace parcelflow::codec {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// `pattern`: '0' stands for a digit, anything else for itself.
bool looks_like(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size()
         && std::equal(
           text.begin(), text.end(), pattern.begin(),
           [](char c, char p) { return p == '0' ? is_digit(c) : c == p; });
}

int number_of(std::string_view digits) {
  int value = 0;
  for (const char c : digits)
    value = value * 10 + (c - '0');
  return value;
}

/// ".1" to ".123456789" in milliseconds; nothing at all is 0.
std::optional<int> parse_fraction(std::string_view text) {
  if (text.empty())
    return 0;
  const auto digits = text.substr(1);
  if (text.front() != '.' || digits.empty() || digits.size() > 9
      || !std::all_of(digits.begin(), digits.end(), is_digit))
    return std::nullopt;
  std::string thousandths(digits.substr(0, 3));
  thousandths.resize(3, '0');
  return number_of(thousandths);
}

} // namespace

std::optional<support::unix_ms> parse_utc(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view pattern = "0000-00-00T00:00:00";
  if (text.size() <= pattern.size() || text.back() != 'Z'
      || !looks_like(text.substr(0, pattern.size()), pattern))
    return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) {
    return number_of(text.substr(at, size));
  };
  const year_month_day date(year(part(0, 4)),
                            month(static_cast<unsigned>(part(5, 2))),
                            day(static_cast<unsigned>(part(8, 2))));
  const int hour = part(11, 2);
  const int minute = part(14, 2);
  const int second = part(17, 2);
  const auto fraction = parse_fraction(
    text.substr(pattern.size(), text.size() - pattern.size() - 1));
  if (!date.ok() || hour > 23 || minute > 59 || second > 59 || !fraction)
    return std::nullopt;
  const auto at = sys_days(date) + hours(hour) + minutes(minute)
                  + seconds(second) + milliseconds(*fraction);
  return duration_cast<milliseconds>(at.time_since_epoch()).count();
}

} // namespace parcelflow::codec
