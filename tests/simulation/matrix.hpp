// Every crash point, none sampled: one canonical script is lived through once
// to count the changes of the disk (N) and the steps of the actors (M), then
// once for each of them with a crash there: N x {process, power, torn} and
// M x {process}, to rest. A part is crashed again while it recovers, to depth
// three.
// Thread rule: call it before the process has threads; it forks.
#pragma once

#include "tests/simulation/simulation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::simulation {

/// At least twenty orders of three tenants with cancellations and completions,
/// a gap, a poisoned effect until its letters, and a replay of them.
[[nodiscard]] schedule canonical_script(bool per_owner);

/// Crashes in the words in which the matrix names a point: "change 104 torn,
/// then step 17"; empty if they cannot be read.
[[nodiscard]] std::vector<crash_plan> crashes_named(std::string_view text);

struct matrix_options {
  bool per_owner = false;
  std::uint64_t stride = 1; ///< only every n-th point: a shortened run
  unsigned workers = 2;
};

struct matrix_result {
  std::uint64_t changes = 0; ///< N
  std::uint64_t steps = 0;   ///< M
  std::uint64_t runs = 0;
  std::uint64_t nested_runs = 0;
  std::uint64_t struck = 0; ///< crashes that happened
  /// Where, and what broke there.
  std::vector<std::pair<std::string, std::string>> failures;
};

[[nodiscard]] matrix_result run_matrix(const matrix_options& options);

} // namespace parcelflow::simulation
