#include "support/clock.hpp"

#include <chrono>

namespace parcelflow::support {

unix_ms system_clock::now() const noexcept {
  using namespace std::chrono;
  return duration_cast<milliseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

unix_ms system_clock::steady() const noexcept {
  using namespace std::chrono;
  return duration_cast<milliseconds>(
           std::chrono::steady_clock::now().time_since_epoch())
    .count();
}

std::string to_rfc3339(unix_ms at) {
  using namespace std::chrono;
  const auto point = sys_time<milliseconds>(milliseconds(at));
  const auto day = floor<days>(point);
  const year_month_day date(day);
  const hh_mm_ss<milliseconds> clock(point - day);
  std::string text = "0000-00-00T00:00:00.000Z";
  // Digits right to left; once an event, so without printf.
  const auto put = [&](std::size_t last, std::size_t digits, auto value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (; digits > 0; --digits, rest /= 10)
      text[last--] = static_cast<char>('0' + rest % 10);
  };
  put(3, 4, static_cast<int>(date.year()));
  put(6, 2, static_cast<unsigned>(date.month()));
  put(9, 2, static_cast<unsigned>(date.day()));
  put(12, 2, clock.hours().count());
  put(15, 2, clock.minutes().count());
  put(18, 2, clock.seconds().count());
  put(22, 3, clock.subseconds().count());
  return text;
}

} // namespace parcelflow::support
