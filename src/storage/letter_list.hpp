// Dead letters by filter: a page and the exact number of all that match. For
// the views' .cpp files.
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
