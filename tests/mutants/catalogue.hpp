// The catalogue of tests/mutants/catalogue as a table; cmake/mutate.py writes
// it beside the mutated copies, from the same files.
// Thread rule: a constant.
#pragma once

#include <string_view>
#include <vector>

namespace parcelflow::mutants {

struct mutant {
  std::string_view name;
  std::string_view says; ///< what is wrong with it
  std::string_view rule; ///< what it breaks
  std::string_view file; ///< where, below src/
  bool quick = false;    ///< part of the default test
};

[[nodiscard]] const std::vector<mutant>& catalogue();

} // namespace parcelflow::mutants
