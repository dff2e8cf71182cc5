// Settings that are fine one by one and contradict each other. Each rule names
// the keys that clash, so that the loader can say where their values stand.
// Thread rule: pure functions. Errors: none; a contradiction is the answer.
#pragma once

#include "app/config.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace parcelflow::app {

struct contradiction {
  std::vector<std::string_view> keys; ///< the setting to change comes first
  std::string_view rule;              ///< what must hold
};

/// The first rule that does not hold.
[[nodiscard]] std::optional<contradiction>
find_contradiction(const config& values);

} // namespace parcelflow::app
