// Completion files for shells, made of the table of verbs.
// Thread rule: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::cli {

/// Empty if there is none for that shell: bash, zsh, fish.
[[nodiscard]] std::string completion_for(std::string_view shell);

/// The verbs that make sense in one command.
[[nodiscard]] std::vector<std::string_view> one_shot_verbs();

} // namespace parcelflow::cli
