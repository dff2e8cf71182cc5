// How many dead letters a tenant has, by consumer, cause, type, version and
// state: so that a list can say its total without reading every record. One
// row a tenant (kind letter_counts), kept by the dead-letter owner in the same
// batch as each record, so that counts and records never differ.
//
// Types and versions come from outside, so the row is bounded: the first
// `kinds_max` pairs of them are counted apart, and whatever comes after, or has
// a name too long, together. A pair that is counted apart once always is.
//
// Thread rule: plain value. Errors: storage_corrupt; taking out what was never
// put in is a programmer's error (asserted).
#pragma once

#include "domain/dead_letter_filter.hpp"
#include "domain/failure.hpp"
#include "domain/sequence_rule.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace parcelflow::storage {

class letter_counts {
public:
  static constexpr std::size_t kinds_max = 64;
  static constexpr std::size_t type_bytes_max = 128;

  /// A record as it was before (nullptr: it was not there) and as it is now.
  void move(const domain::dead_letter* from, const domain::dead_letter* to);

  /// How many records the filter means; nothing if the counts do not tell:
  /// it asks for time, order or text, or for a type or version that may be
  /// among those counted together.
  [[nodiscard]] std::optional<std::uint64_t>
  total(const domain::dead_letter_filter& of) const;

  friend bool operator==(const letter_counts&, const letter_counts&) = default;
  friend std::string encode(const letter_counts& of);
  friend domain::outcome<letter_counts>
  decode_letter_counts(std::string_view bytes);

private:
  struct cell {
    std::string consumer;
    domain::dead_letter_cause cause{};
    domain::dead_letter_state state{};
    std::size_t kind = 0; ///< place in kinds_ + 1; 0: counted together

    friend bool operator==(const cell&, const cell&) = default;
    friend bool operator<(const cell& a, const cell& b) {
      return std::tie(a.consumer, a.cause, a.state, a.kind)
             < std::tie(b.consumer, b.cause, b.state, b.kind);
    }
  };

  [[nodiscard]] std::size_t place_of(const domain::event_kind& kind) const;
  [[nodiscard]] cell cell_of(const domain::dead_letter& letter) const;

  std::vector<domain::event_kind> kinds_; ///< only ever grows
  std::map<cell, std::uint64_t> cells_;   ///< none is 0
};

[[nodiscard]] std::string encode(const letter_counts& of);
[[nodiscard]] domain::outcome<letter_counts>
decode_letter_counts(std::string_view bytes);

} // namespace parcelflow::storage
