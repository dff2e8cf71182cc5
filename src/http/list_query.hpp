// The query of a list: how long a page, where it begins, and the filters that
// its cursor is bound to.
// Thread rule: plain values. Errors: invalid_request, naming the parameter and
// what is allowed.
#pragma once

#include "http/route_call.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::http {

inline constexpr std::size_t page_items_max = 200;

/// A list as asked for. `filters` are the parameters that choose rows, in a
/// fixed order.
struct list_query {
  std::string list;
  std::string filter; ///< canonical text, for the cursor
  storage::page_request page;

  [[nodiscard]] codec::cursor_scope scope(const route_call& call) const {
    return {list, call.tenant, filter};
  }
};

[[nodiscard]] domain::outcome<list_query>
read_list(const route_call& call, std::string_view list,
          const std::vector<std::string_view>& filters);

/// Seals the next page's cursor and answers.
void answer_list(const route_call& call, const list_query& query,
                 const std::vector<std::string>& items, const std::string& next,
                 std::optional<std::uint64_t> total = std::nullopt);

} // namespace parcelflow::http
