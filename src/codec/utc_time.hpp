// RFC 3339 instants as events carry them: UTC, written with 'Z', seconds with
// up to nine decimals. Leap seconds (":60") are refused: no clock of ours
// produces them and unix time cannot hold them.
// Thread rule: free function without state.
#pragma once

#include "support/clock.hpp"

#include <optional>
#include <string_view>

namespace parcelflow::codec {

/// The instant in milliseconds (finer decimals are cut), or nothing if `text`
/// is not such an instant.
[[nodiscard]] std::optional<support::unix_ms> parse_utc(std::string_view text);

} // namespace parcelflow::codec
