// When a failed thing is tried again: exponential backoff with jitter and a
// bounded number of attempts. Pure; chance comes in as a number.
#pragma once

#include "support/clock.hpp"

#include <cstdint>

namespace parcelflow::domain {

struct retry_policy {
  std::uint32_t attempts_max = 5;
  support::unix_ms min_ms = 200;
  support::unix_ms max_ms = 60000;
  std::uint32_t jitter_percent = 20;

  [[nodiscard]] bool exhausted(std::uint32_t attempts) const noexcept {
    return attempts >= attempts_max;
  }
  /// Milliseconds to wait after `attempts` failures (from 1): doubled each
  /// time up to max_ms, then moved by at most jitter_percent either way.
  /// `chance` is uniform over all of uint64.
  [[nodiscard]] support::unix_ms delay(std::uint32_t attempts,
                                       std::uint64_t chance) const noexcept;
  /// No delay is longer.
  [[nodiscard]] support::unix_ms longest() const noexcept {
    return max_ms + max_ms * jitter_percent / 100;
  }
};

} // namespace parcelflow::domain
