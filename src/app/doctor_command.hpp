// `parcelflow doctor`: what is wrong with a data directory that the daemon
// refuses, what is left of it, and what to do. The directory is locked
// meanwhile and not a byte of it changes; the work is done on a copy.
// Errors: an exit code; stderr says why.
#pragma once

#include "app/config.hpp"

#include <string>

namespace parcelflow::app {

struct doctor_wish {
  bool json = false;
  std::string repair_to;      ///< empty: say, write nothing
  std::string work_directory; ///< empty: beside the directory
};

/// The diagnosis on stdout. exit_ok if the directory is whole, or harmless and
/// repaired; exit_findings if not.
int examine_directory(const loaded_config& loaded, const doctor_wish& wish);

} // namespace parcelflow::app
