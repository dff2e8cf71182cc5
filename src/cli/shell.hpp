// parcelctl's shell: the console's own language with line editing, history and
// completion of verbs, terms and choices. History is kept in
// ~/.parcelctl_history, readable by its owner alone; logins are not in it.
// Thread rule: one thread, one shell a process (libedit). Errors: an exit code.
#pragma once

#include "cli/console_client.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::cli {

[[nodiscard]] int run_shell(const client_options& options);

/// What could stand where the last word of `line` begins, and goes on as it.
[[nodiscard]] std::vector<std::string> completions_of(std::string_view line);

} // namespace parcelflow::cli
