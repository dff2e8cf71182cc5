// Where consumers' rows are: which family a consumer lives in, which consumers
// there are, and where a stream went that was redirected. For the views' .cpp
// files.
// Thread rule: one thread, for one answer. Errors: remembered by the reader.
#pragma once

#include "storage/row_reader.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

/// The families that hold consumers, in the order in which they are shown.
inline constexpr std::array<owner, 4> consumer_families{
  owner::fulfillment, owner::notification, owner::inventory, owner::audit_feed};

struct consumer_home {
  owner of = owner::fulfillment;
  std::string name;
};

/// The three of every order, then whichever ever ran besides.
[[nodiscard]] std::vector<consumer_home> consumers_of(row_reader& in);
/// Nothing for a name that no consumer has.
[[nodiscard]] std::optional<consumer_home> home_of(row_reader& in,
                                                   std::string_view consumer);

/// A stream where it is now: at its consumer, or at the one that it was
/// redirected to (one hop).
struct placed_stream {
  consumer_home at;
  domain::stream_row row;
  std::string redirected_from; ///< empty: it is where it was
};

[[nodiscard]] placed_stream follow(row_reader& in, const consumer_home& from,
                                   std::string_view tenant,
                                   std::string_view aggregate);

/// The inbox entry of a used sequence: inline, moved out, or from before the
/// stream was handed over.
[[nodiscard]] std::optional<domain::inbox_entry>
used_at(row_reader& in, const consumer_home& where, std::string_view tenant,
        std::string_view aggregate, const domain::stream_row& row,
        std::uint64_t sequence);

} // namespace parcelflow::storage
