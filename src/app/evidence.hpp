// Evidence read from a closed data directory, for a person or a test that does
// not trust a running process. Reads only; the directory is locked meanwhile.
// Errors: an exit code; stderr says why.
#pragma once

#include "app/config.hpp"

#include <string>

namespace parcelflow::app {

/// One JSON line an order of the tenant (or the one named) on stdout.
int print_evidence(const loaded_config& loaded, const std::string& tenant,
                   const std::string& order_id);

} // namespace parcelflow::app
