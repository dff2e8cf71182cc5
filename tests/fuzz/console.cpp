// A line at the console: it is a command of the table, or refused.
#include "ops/console_command.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void console(std::string_view input) {
  const auto line = ops::parse_line(input);
  if (line && line->what)
    PF_ASSERT(line->what->what != nullptr
              && ops::find_verb(line->what->what->name) == line->what->what);
}

} // namespace parcelflow::fuzz
