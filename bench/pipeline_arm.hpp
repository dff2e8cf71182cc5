// One arm of the pipeline bench: the real engine in this process, durable, on
// threads of its own, driven with a fixed number of orders in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parcelflow::bench {

struct arm_plan {
  std::string directory; ///< empty and on the disk to be measured
  std::size_t orders = 0;
  std::size_t in_flight = 0;
  std::size_t tenants = 0;
  bool per_owner = false; ///< storage.committer
};

struct arm_result {
  double accepted_per_s = 0;
  double both_effects_per_s = 0;
  double accept_p50_ms = 0;
  double accept_p99_ms = 0;
  double cpu_us_per_order = 0;
  std::size_t rounds = 0;
  std::uint64_t bytes = 0;                 ///< of all rounds
  std::vector<std::string> rounds_written; ///< each round as RocksDB got it
};

/// Runs until every order has its job and its confirmation; ends the process
/// with a message if one of them does not.
arm_result run_pipeline(const arm_plan& plan);

/// The ceiling: writes the rows of those rounds to a raw RocksDB with the same
/// options and families, `in_flight` orders a synced write. Orders a second.
double run_ceiling(const arm_plan& plan,
                   const std::vector<std::string>& rounds);

} // namespace parcelflow::bench
