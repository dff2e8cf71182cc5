// Which order an event id belongs to. For the views' .cpp files.
// Thread rule: one thread, for one answer. Errors: remembered by the reader.
#pragma once

#include "storage/consumer_homes.hpp"

#include <optional>
#include <string_view>

namespace parcelflow::storage {

/// Of an event that was committed here under that id.
[[nodiscard]] std::optional<domain::event_place>
committed_place(row_reader& in, std::string_view tenant,
                std::string_view event_id);

/// The same, or of one that a consumer has used: by the index of foreign ids.
[[nodiscard]] std::optional<domain::event_place>
place_of_event(row_reader& in, std::string_view tenant,
               std::string_view event_id);

} // namespace parcelflow::storage
