// Where the token comes from: a file or the environment, never an argument,
// which every user of the machine could read.
// Thread rule: pure functions over the process's environment. Errors: a
// sentence for people.
#pragma once

#include "domain/failure.hpp"

#include <string>

namespace parcelflow::cli {

/// `file` if one is named, else PARCELFLOW_TOKEN_FILE, else PARCELFLOW_TOKEN.
[[nodiscard]] domain::outcome<std::string> find_token(const std::string& file);

} // namespace parcelflow::cli
