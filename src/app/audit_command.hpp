// `parcelflow audit`: the invariants of a closed data directory, for whoever
// does not trust a running process, or restored a backup. The directory is
// opened read-only and locked meanwhile; not a byte of it changes.
// Errors: an exit code; stderr says why.
#pragma once

#include "app/config.hpp"

namespace parcelflow::app {

struct audit_wish {
  bool json = false;
  bool at_rest = false; ///< what is still on its way is a finding
};

/// The report on stdout, progress on stderr if that is a terminal. exit_ok if
/// it is clean, exit_findings if not.
int audit_directory(const loaded_config& loaded, const audit_wish& wish);

} // namespace parcelflow::app
