// What the embedded adapters answer to a batch: both accept it whole or not at
// all, and number what they accepted.
// Thread rule: free functions.
#pragma once

#include "bus/event_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace parcelflow::bus {

/// The answer to a batch with events beyond `payload_max` bytes: bus_refused
/// for these, bus_unreachable for the others, which may be offered again
/// without them. Nothing if the batch has none.
[[nodiscard]] std::optional<std::vector<publish_result>>
refuse_oversize(const std::vector<offered>& batch, std::size_t payload_max);

/// Message ids of `count` events from position `first` on: "p<position>".
[[nodiscard]] std::vector<publish_result> accepted_from(std::uint64_t first,
                                                        std::size_t count);

} // namespace parcelflow::bus
