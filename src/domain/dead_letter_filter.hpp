// Which dead letters are meant: one filter for list, plan, export and page,
// over HTTP and on the console alike. Terms are joined by "and"; a filter
// without terms means every record of the tenant.
// Thread rule: plain values. Errors: none; codec/filter_text.hpp parses.
#pragma once

#include "domain/dead_letter.hpp"
#include "domain/letter_glance.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace parcelflow::domain {

struct dead_letter_filter {
  std::optional<dead_letter_state> state;
  std::optional<dead_letter_cause> cause;
  std::string consumer;
  std::string event_type;
  std::optional<std::uint32_t> event_version;
  unix_ms since = 0;        ///< first seen at or after; 0: any
  unix_ms until = 0;        ///< first seen before; 0: any
  std::string aggregate_id; ///< the order
  /// Somewhere in its ids, trace or reason, byte for byte; never the payload.
  std::string text;

  [[nodiscard]] bool matches(const letter_glance& of) const;
  [[nodiscard]] bool matches(const dead_letter& of) const {
    return matches(glance_at(of));
  }
  friend bool operator==(const dead_letter_filter&,
                         const dead_letter_filter&) = default;
};

} // namespace parcelflow::domain
