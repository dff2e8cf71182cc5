#include "http/list_query.hpp"

#include <charconv>

namespace parcelflow::http {

using domain::failure;

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end)
    return std::nullopt;
  return value;
}

} // namespace

domain::outcome<list_query>
read_list(const route_call& call, std::string_view list,
          const std::vector<std::string_view>& filters) {
  list_query query;
  query.list = list;
  for (const auto name : filters) {
    const auto value = call.target.parameter(name);
    query.filter += name;
    query.filter +=
      value ? '=' + std::to_string(value->size()) + ':' + std::string(*value)
            : std::string("-");
  }
  if (const auto text = call.target.parameter("limit")) {
    const auto limit = number_of(*text);
    if (!limit || *limit < 1 || *limit > page_items_max)
      return {failure::invalid_request,
              "limit must be a whole number from 1 to "
                + std::to_string(page_items_max)};
    query.page.limit = *limit;
  }
  if (const auto text = call.target.parameter("cursor")) {
    auto after = call.with().cursors.open(query.scope(call), *text);
    if (!after)
      return {failure::invalid_request,
              "cursor is not one of this list and these filters"};
    query.page.after = *std::move(after);
  }
  return query;
}

void answer_list(const route_call& call, const list_query& query,
                 const std::vector<std::string>& items, const std::string& next,
                 std::optional<std::uint64_t> total) {
  const auto cursor = next.empty()
                        ? std::string()
                        : call.with().cursors.seal(query.scope(call), next);
  call.answer(json_response(200, codec::list_json(items, cursor, total)));
}

} // namespace parcelflow::http
