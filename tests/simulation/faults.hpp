// The fault matrix of the design as far as a simulation is answerable for it:
// which hits show that a row was met. A campaign in which a row was never met
// proves nothing about it, so it fails; rows that later work builds are listed
// as such.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::simulation {

using hit_counts = std::map<std::string, std::uint64_t>;

struct fault_row {
  std::string_view id;                ///< "F3"
  std::string_view what;              ///< in a few words
  std::vector<std::string_view> hits; ///< beginnings of names; any will do
};

/// Rows that every campaign must meet.
[[nodiscard]] const std::vector<fault_row>& fault_rows();
/// Rows whose machinery is not there yet, and who builds it.
[[nodiscard]] const std::vector<fault_row>& later_rows();

[[nodiscard]] std::uint64_t met(const fault_row& row, const hit_counts& hits);

/// "sync 000031.log" -> "sync #.log": the same place in every life.
[[nodiscard]] std::string place_of(std::string_view struck);

} // namespace parcelflow::simulation
