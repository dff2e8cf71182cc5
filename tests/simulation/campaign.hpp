// Many lives, one after the other, in several processes side by side (named
// crash points belong to a process). Worker w lives through the seeds that
// leave the remainder w, so what a campaign covers does not depend on speed.
// Thread rule: call it before the process has threads; it forks.
#pragma once

#include "tests/simulation/simulation.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parcelflow::simulation {

struct campaign_options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  unsigned workers = 2;
  bool progress = true;
  bool all_hits = false;
  bool demand_all = true; ///< a fault that was never met fails the campaign
};

struct campaign_totals {
  std::uint64_t seeds = 0;
  std::uint64_t crashes = 0;
  std::uint64_t steps = 0;
  std::uint64_t disk_changes = 0;
  std::uint64_t orders = 0;
  std::uint64_t simulated_ms = 0;
  std::map<std::string, std::uint64_t> hits;
  std::map<std::uint64_t, std::vector<std::string>> failed; ///< by seed
};

[[nodiscard]] campaign_totals run_campaign(const campaign_options& options);

} // namespace parcelflow::simulation
