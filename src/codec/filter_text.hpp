// The one filter grammar. A filter is a list of terms `name=value`:
//
//   state=open|replaying|resolved|waived   cause=SEQUENCE_GAP|…
//   consumer=NAME   type=NAME   version=N   order=ID
//   since=TIME   until=TIME        (when first seen)
//   text=TEXT                      (in ids, trace or reason)
//
// TIME is RFC 3339 in UTC, or an age such as 15m, 2h, 7d before now. Over
// HTTP each term is a query parameter of that name; on the console terms are
// words, and a value with spaces stands in double quotes. Each name once.
// Thread rule: pure functions. Errors: invalid_request, naming the term and
// what is allowed.
#pragma once

#include "domain/dead_letter_filter.hpp"
#include "domain/failure.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::codec {

using filter_terms = std::vector<std::pair<std::string, std::string>>;

/// Every name of the grammar, in the order above.
[[nodiscard]] const std::vector<std::string_view>& filter_names();

[[nodiscard]] domain::outcome<domain::dead_letter_filter>
parse_filter(const filter_terms& terms, support::unix_ms now);

/// `cause=SEQUENCE_GAP text="no stock"` -> terms.
[[nodiscard]] domain::outcome<filter_terms> split_terms(std::string_view text);

/// Canonical: equal filters have equal texts; parse(split(x)) gives it back.
[[nodiscard]] std::string filter_text(const domain::dead_letter_filter& of);

/// "250ms", "30s", "5m", "2h", "1d".
[[nodiscard]] std::optional<support::unix_ms>
parse_duration(std::string_view text);

} // namespace parcelflow::codec
