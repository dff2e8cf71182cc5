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

/// An event's stage on its way onto the bus.
[[nodiscard]] domain::stage published_stage(row_reader& in,
                                            const domain::order& of,
                                            const domain::order_step& step);

} // namespace parcelflow::storage
