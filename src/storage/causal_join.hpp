// The causal line of an order (R23), put together from its owners' rows. For
// ops_view's .cpp files.
// Thread rule: one thread, for one answer. Errors: remembered by the reader.
#pragma once

#include "domain/ops_view.hpp"
#include "storage/row_reader.hpp"

#include <optional>
#include <string_view>

namespace parcelflow::storage {

/// Nothing if no row of that tenant knows the aggregate.
[[nodiscard]] std::optional<domain::causal_line>
causal_line_of(row_reader& in, std::string_view tenant,
               std::string_view aggregate, support::unix_ms now);

} // namespace parcelflow::storage
