// What the last audit said, for whoever must not wait for one: /readyz.
// Owner: wiring. Thread rule: the auditor writes, any thread reads; the three
// values belong together only when all is quiet.
#pragma once

#include "support/clock.hpp"

#include <atomic>
#include <cstdint>

namespace parcelflow::actors {

struct audit_board {
  std::atomic<support::unix_ms> last_at{0}; ///< 0: none was completed yet
  std::atomic<support::unix_ms> last_clean_at{0};
  std::atomic<std::uint64_t> findings{0}; ///< of the last one
};

} // namespace parcelflow::actors
