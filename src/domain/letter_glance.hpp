// What a filter asks of a dead letter, read out of its record in place: no
// copy, no history. A list of a hundred thousand records is mostly rows that
// are passed by, and this is what passing one by costs.
// Thread rule: plain value; it looks into the bytes, which must outlive it.
// Errors: storage_corrupt, as the full decoding says it.
#pragma once

#include "domain/dead_letter.hpp"

#include <cstdint>
#include <string_view>

namespace parcelflow::domain {

struct letter_glance {
  std::string_view dead_letter_id;
  std::string_view consumer;
  std::string_view reason;
  std::string_view aggregate_id;
  std::string_view event_id;
  std::string_view event_type;
  std::string_view trace_id;
  dead_letter_cause cause = dead_letter_cause::invalid_envelope;
  dead_letter_state state = dead_letter_state::open;
  std::uint32_t event_version = 0;
  unix_ms first_seen = 0;
};

[[nodiscard]] letter_glance glance_at(const dead_letter& of);
/// Of the record that encode(dead_letter) wrote.
[[nodiscard]] outcome<letter_glance> glance_at(std::string_view id,
                                               std::string_view bytes);

} // namespace parcelflow::domain
