// How far an order came, read from its owners' rows: the stages of R5 and the
// evidence of R22. The rules that turn rows into stages stand here alone.
// For status_view's .cpp files. Thread rule: one thread, for one answer.
// Errors: remembered by the reader.
#pragma once

#include "storage/row_reader.hpp"

namespace parcelflow::storage {

[[nodiscard]] domain::order_view view_of(row_reader& in, domain::order of);
[[nodiscard]] domain::order_evidence
evidence_of(row_reader& in, domain::order of, support::unix_ms now);

/// Whose family a consumer's rows are in; nothing for a name that is none.
[[nodiscard]] std::optional<owner> owner_of(std::string_view consumer);

/// The inbox entry of a used sequence, inline or moved out.
[[nodiscard]] std::optional<domain::inbox_entry>
used_at(row_reader& in, owner of, std::string_view tenant,
        std::string_view consumer, std::string_view aggregate,
        const domain::stream_row& row, std::uint64_t sequence);

/// An event's stage on its way onto the bus.
[[nodiscard]] domain::stage published_stage(row_reader& in,
                                            const domain::order& of,
                                            const domain::order_step& step);

} // namespace parcelflow::storage
