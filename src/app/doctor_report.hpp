// A diagnosis in words, and as JSON. No payload is in either.
// Thread rule: pure functions. Errors: none.
#pragma once

#include "storage/doctor.hpp"

#include <string>

namespace parcelflow::app {

/// What was found, then what to do, a few lines.
[[nodiscard]] std::string diagnosis_text(const storage::diagnosis& of,
                                         const std::string& directory);
[[nodiscard]] std::string diagnosis_json(const storage::diagnosis& of,
                                         const std::string& directory);

} // namespace parcelflow::app
