// What is read at each scrape and not counted on the way: how old the oldest
// unpublished event is, how far consumers lag, what streams wait, the disk.
// Owner: the daemon; the registrations go before the runtime.
// Thread rule: made and dropped by one thread; read by the scraping one.
#pragma once

#include "app/wiring.hpp"
#include "support/clock.hpp"

#include <vector>

namespace parcelflow::app {

[[nodiscard]] std::vector<support::scrape_registration>
scrape_gauges(runtime& of, const support::clock& clock);

/// Milliseconds since the oldest event that is not published was committed; 0
/// if all are. Reads one snapshot.
[[nodiscard]] std::int64_t oldest_unpublished_ms(const storage::store& store,
                                                 support::unix_ms now);

} // namespace parcelflow::app
