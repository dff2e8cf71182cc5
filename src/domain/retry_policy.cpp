#include "domain/retry_policy.hpp"

#include <algorithm>

namespace parcelflow::domain {

support::unix_ms retry_policy::delay(std::uint32_t attempts,
                                     std::uint64_t chance) const noexcept {
  support::unix_ms base = std::max<support::unix_ms>(min_ms, 1);
  for (std::uint32_t i = 1; i < attempts && base < max_ms; ++i)
    base *= 2;
  base = std::min(base, max_ms);
  const support::unix_ms span = base * jitter_percent / 100;
  if (span == 0)
    return base;
  const auto width = static_cast<std::uint64_t>(2 * span + 1);
  return base - span + static_cast<support::unix_ms>(chance % width);
}

} // namespace parcelflow::domain
