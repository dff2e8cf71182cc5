// How the log adapter's rows are laid out. docs/STORAGE_FORMAT.md repeats it.
//
// topic log, one row a published batch, keyed by the batch's last position:
//   u64 first position · u64 count · count × (u64 offer, text event bytes)
// topic cursor, one row a consumer:
//   u64 settled up to
//
// Thread rule: free functions. Errors: damage is delivered, not dropped: a
// consumer then sees bytes that do not parse at that position and keeps them
// as evidence.
#pragma once

#include "bus/event_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::bus {

[[nodiscard]] std::string encode_log_row(std::uint64_t first,
                                         const std::vector<offered>& batch);

/// The first position of a row, nothing if the row is damaged there.
[[nodiscard]] std::optional<std::uint64_t>
first_in_log_row(std::string_view value, std::uint64_t last);

/// What of a row a consumer wants: positions from, from + 1, …
struct log_range {
  std::uint64_t from = 1;
  std::size_t count = 0;
  std::string_view topic;
};

/// Appends the wanted deliveries that the row with last position `last` holds
/// and returns how many. `from` <= `last`; 0 if the row begins after `from`.
std::size_t read_log_row(std::string_view value, std::uint64_t last,
                         const log_range& wanted, delivery_batch& out);

[[nodiscard]] std::string encode_log_cursor(std::uint64_t settled_up_to);
[[nodiscard]] std::optional<std::uint64_t>
decode_log_cursor(std::string_view value);

} // namespace parcelflow::bus
