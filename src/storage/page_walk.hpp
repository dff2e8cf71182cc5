// Pages of one tenant's rows of one kind, for the views' .cpp files.
// Thread rule: one thread, for one answer. Errors: remembered by the reader.
#pragma once

#include "storage/keys.hpp"
#include "storage/row_reader.hpp"
#include "storage/status_view.hpp"

#include <string>
#include <string_view>

namespace parcelflow::storage {

/// Where a page begins: behind the row whose last component was `after`.
inline std::string first_key(kind what, std::string_view tenant,
                             std::string_view after) {
  if (after.empty())
    return key_writer(what).text(tenant).take();
  // A key is no prefix of another: +NUL is next.
  return key_writer(what).text(tenant).text(after).take() + '\0';
}

/// Walks the rows of one tenant and kind from a page's start. `take` answers
/// whether the row belongs on the page; the walk ends when the page is full or
/// enough rows were looked at, and then says where to go on.
template <class Item, class Take>
domain::page<Item> walk(row_reader& in, owner of, kind what,
                        std::string_view tenant, const page_request& request,
                        const Take& take) {
  domain::page<Item> page;
  const auto all = key_writer(what).text(tenant).take();
  std::size_t looked_at = 0;
  std::string last;
  bool more = false;
  in.rows().scan(of, first_key(what, tenant, request.after), prefix_end(all),
                 [&](std::string_view key, std::string_view value) {
                   if (page.items.size() >= request.limit
                       || looked_at >= status_view::rows_looked_at_max) {
                     more = true;
                     return false;
                   }
                   looked_at += 1;
                   key_reader parts(key);
                   parts.text();
                   last = parts.text();
                   take(last, value, page.items);
                   return !in.failed();
                 });
  if (more)
    page.next = std::move(last);
  return page;
}

template <class Value>
domain::outcome<Value> answer(const row_reader& in, std::optional<Value> found,
                              std::string_view missing) {
  if (in.failed())
    return in.why();
  if (!found)
    return {domain::failure::not_found, std::string(missing)};
  return *std::move(found);
}

template <class Value>
domain::outcome<Value> answer(const row_reader& in, Value value) {
  if (in.failed())
    return in.why();
  return value;
}

} // namespace parcelflow::storage
