// The rules for single values that envelopes, order requests and event data
// share, and the reading of order lines. Included by .cpp files of this folder
// only. Thread rule: plain values. Errors: told through the member_reader.
#pragma once

#include "codec/json_members.hpp"
#include "codec/utc_time.hpp"
#include "domain/order.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace parcelflow::codec {

inline constexpr std::size_t customer_reference_bytes_max = 128;

inline constexpr text_rule public_id_rule = {
  [](std::string_view text) { return domain::is_public_id(text); },
  "1 to 128 characters of A-Z a-z 0-9 . _ : -"};

inline constexpr text_rule utc_instant_rule = {
  [](std::string_view text) { return parse_utc(text).has_value(); },
  "an RFC 3339 instant in UTC, such as 2026-11-30T19:00:00.000Z"};

inline constexpr text_rule currency_rule = {
  [](std::string_view text) {
    return text.size() == 3
           && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == text.npos;
  },
  "three upper-case letters, such as EUR"};

inline constexpr text_rule customer_reference_rule = {
  [](std::string_view text) {
    return text.size() <= customer_reference_bytes_max;
  },
  "text of at most 128 bytes"};

struct line_limits {
  std::size_t lines_max;
  std::int64_t quantity_max;
  bool unknown_members; ///< accepted?
};

/// The member "lines": at least one, each sku once.
[[nodiscard]] std::vector<domain::order_line>
read_lines(member_reader& members, const line_limits& limits);

} // namespace parcelflow::codec
