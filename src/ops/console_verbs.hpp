// What the verbs do: look through the views, or ask the desk. The answer is
// JSON, made by codec, the same as over HTTP.
// Thread rule: `run` on the caller's thread, where it may read disk; `answer`
// is called once, there or on an actor's thread. Errors: faults in the answer.
#pragma once

#include "ops/console_dependencies.hpp"

#include <functional>
#include <string>

namespace parcelflow::ops {

using verb_answer = std::function<void(domain::outcome<std::string>)>;

/// Every verb but those of the session itself, and tail.
void run_verb(const console_dependencies& with, const admitted_command& what,
              verb_answer answer);

/// One verdict for whoever follows; empty if its command does not ask for it.
[[nodiscard]] std::string tail_row(const command& of, std::string_view tenant,
                                   const actors::tail_line& line);

} // namespace parcelflow::ops
