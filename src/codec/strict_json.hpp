// JSON as this program accepts it: RFC 8259, and beyond that bounded in size
// and depth, each member name once in its object, every whole number exact (a
// parser that turns a huge integer into a float changes money), valid UTF-8,
// no U+0000, no byte order mark, nothing after the value.
// Thread rule: free functions without state.
// Errors: `invalid_request` or `payload_too_large`, naming the byte (the first
// is byte 1) and never quoting a value; nothing is thrown.
#pragma once

#include "domain/failure.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace parcelflow::codec {

struct json_limits {
  std::size_t bytes_max = std::size_t{1} << 20;
  std::size_t depth_max = 32; ///< objects and arrays inside one another
};

[[nodiscard]] domain::outcome<nlohmann::json>
parse_strict(std::string_view text, const json_limits& limits = {});

/// The verbatim bytes of one member's value in the text of a JSON object.
/// Only for text that `parse_strict` accepted as an object; names are compared
/// as JSON does, so an escaped name is found too.
[[nodiscard]] std::optional<std::string_view>
find_member(std::string_view object, std::string_view name);

} // namespace parcelflow::codec
