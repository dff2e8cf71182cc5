// JSON as text for people: tables, and `name  value` lines.
// Thread rule: pure functions. Errors: none.
#pragma once

#include "codec/json_tree.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::ops {

/// A column: its head, and the path of its value in an item.
struct column {
  std::string_view head;
  std::string_view path;
};

/// One line for people: no line ends, a time without its date's T and Z.
[[nodiscard]] std::string cell_of(const codec::json_tree& value);

/// Heads and rows; with `width` > 0 no line is longer, as far as possible.
[[nodiscard]] std::string table_of(const codec::json_tree& items,
                                   std::span<const column> columns,
                                   std::size_t width);

/// An object's members, nested ones indented; arrays of objects as tables, or,
/// if an item has objects inside, as blocks that begin with a dash.
[[nodiscard]] std::string fields_of(const codec::json_tree& object,
                                    std::size_t width);

} // namespace parcelflow::ops
