// The rows of what is paused, as the dead-letter owner keeps them and every
// owner concerned reads them at its start.
// Thread rule: pure reads of a snapshot. Errors: storage_corrupt.
#pragma once

#include "domain/pause.hpp"
#include "storage/store.hpp"

#include <string>

namespace parcelflow::storage {

[[nodiscard]] std::string pause_key_of(const domain::pause_target& target);

[[nodiscard]] domain::outcome<domain::pause_set>
read_pauses(const snapshot& at);

} // namespace parcelflow::storage
