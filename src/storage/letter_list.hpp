// Dead letters by filter: a page and the exact number of all that match. For
// the views' .cpp files.
//
// The total is found in the first of these ways that tells it: the counts kept
// with the records; the order's index; the index by time; one pass over all
// records of the tenant, in place. What the last two found goes on in `next`,
// so a walk through all pages counts once.
// Thread rule: one thread, for one answer. Errors: remembered by the reader.
#pragma once

#include "domain/dead_letter_filter.hpp"
#include "domain/ops_view.hpp"
#include "storage/row_reader.hpp"
#include "storage/status_view.hpp"

#include <string_view>

namespace parcelflow::storage {

[[nodiscard]] domain::letter_page
letters_of(row_reader& in, std::string_view tenant,
           const domain::dead_letter_filter& filter, const page_request& page);

} // namespace parcelflow::storage
