// One variant before the checks of the simulation: it lives through seeds
// until a promise breaks, an assertion stops it, or the seeds are over. A
// variant that survives is a hole in the checks.
// Thread rule: call it before the process has threads; it forks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::mutants {

struct trial_options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 300;
  unsigned seed_limit_s = 120; ///< of the wall: longer is a life that hangs
};

struct trial_result {
  bool killed = false;
  std::string by;            ///< the first check that spoke
  std::uint64_t seeds = 0;   ///< lived through, the last one included
  std::uint64_t reached = 0; ///< how often its code ran in those it survived
};

/// An empty name: the product as it is, which must survive.
[[nodiscard]] trial_result try_variant(std::string_view name,
                                       const trial_options& options);

} // namespace parcelflow::mutants
