// A dead letter, its payload apart from it, and what became of its event (R22).
// For status_view's .cpp files. Thread rule: one thread, for one answer.
// Errors: remembered by the reader.
#pragma once

#include "storage/row_reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

[[nodiscard]] std::optional<domain::dead_letter>
letter_of(row_reader& in, std::string_view tenant, std::string_view id);

/// Its bytes as received; nothing if they expired, or it is not there.
[[nodiscard]] std::optional<std::string>
payload_of(row_reader& in, std::string_view tenant, std::string_view id);

[[nodiscard]] domain::dead_letter_evidence
evidence_of(row_reader& in, domain::dead_letter letter,
            const std::vector<std::string>& control_tenants);

} // namespace parcelflow::storage
