// What a row is called when one speaks about it: family, kind, tenant and the
// parts of its key by name. The table here repeats docs/STORAGE_FORMAT.md for
// programs: which kinds there are, in whose family, and how their keys are
// built. A kind that it does not know, or in a family that has none of it, is
// foreign.
// Thread rule: constant data and pure functions. Errors: a key that does not
// parse still gets a name, made of its bytes.
#pragma once

#include "domain/audit_report.hpp"
#include "storage/family.hpp"
#include "storage/keys.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

using domain::row_name;

[[nodiscard]] row_name name_of(owner of, std::string_view key);

/// The kinds at home in a family, ascending.
[[nodiscard]] std::vector<kind> kinds_of(owner of);
[[nodiscard]] std::string_view to_string(kind of) noexcept;

/// Printable ASCII only, other bytes as \xNN, cut at 256 characters.
[[nodiscard]] std::string printable(std::string_view bytes);

} // namespace parcelflow::storage
