#include "support/clock.hpp"

#include <chrono>
#include <cstdio>

namespace parcelflow::support {

unix_ms system_clock::now() const noexcept {
  using namespace std::chrono;
  return duration_cast<milliseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

std::string to_rfc3339(unix_ms at) {
  using namespace std::chrono;
  const auto point = sys_time<milliseconds>(milliseconds(at));
  const auto day = floor<days>(point);
  const year_month_day date(day);
  const auto in_day = hh_mm_ss<milliseconds>(point - day);
  char text[40];
  const int size = std::snprintf(
    text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
    static_cast<unsigned>(date.day()), static_cast<int>(in_day.hours().count()),
    static_cast<int>(in_day.minutes().count()),
    static_cast<int>(in_day.seconds().count()),
    static_cast<int>(in_day.subseconds().count()));
  return {text, static_cast<std::size_t>(size)};
}

} // namespace parcelflow::support
