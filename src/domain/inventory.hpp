// Stock and reservations. Per (tenant, sku): on_hand >= reserved >= 0, and
// reserved is the sum of the live reservations. A reservation is all-or-nothing
// over its lines; it is held until its order is accepted, and it ends released
// or consumed. Pure decisions; rows and actors live elsewhere.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "domain/order.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::domain {

struct stock {
  std::int64_t on_hand = 0;
  std::int64_t reserved = 0;

  [[nodiscard]] std::int64_t available() const noexcept {
    return on_hand - reserved;
  }
  friend bool operator==(const stock&, const stock&) = default;
};

enum class reservation_state : std::uint8_t {
  held = 1,  ///< no order yet; released at its deadline
  confirmed, ///< its order is accepted
  released,
  consumed,
};

[[nodiscard]] std::string_view to_string(reservation_state state) noexcept;

/// Counts in `reserved`.
[[nodiscard]] inline bool is_live(reservation_state state) noexcept {
  return state == reservation_state::held
         || state == reservation_state::confirmed;
}

struct reserved_line {
  std::string sku;
  std::int64_t quantity = 0;

  friend bool operator==(const reserved_line&, const reserved_line&) = default;
};

struct reservation {
  reservation_state state = reservation_state::held;
  std::string idempotency_key; ///< of the order request
  sha256_digest fingerprint{}; ///< of the order request
  std::vector<reserved_line> lines;
  unix_ms created_at = 0;
  unix_ms deadline = 0;    ///< while held
  std::uint64_t chunk = 0; ///< where the list of held ones names it

  friend bool operator==(const reservation&, const reservation&) = default;
};

using stock_lookup = std::function<std::optional<stock>(std::string_view sku)>;
using stock_changes = std::vector<std::pair<std::string, stock>>;

/// Sums the lines by sku; the changed stock rows, or unknown_sku/out_of_stock
/// naming the sku (and nothing changed).
[[nodiscard]] outcome<stock_changes>
reserve(const std::vector<reserved_line>& lines, const stock_lookup& lookup);

/// What a live reservation gives back (release) or takes away (consume).
[[nodiscard]] outcome<stock_changes>
settle(const reservation& of, reservation_state to, const stock_lookup& lookup);

/// An absolute count; refused below what is reserved.
[[nodiscard]] outcome<stock> set_on_hand(std::optional<stock> current,
                                         std::int64_t on_hand);

[[nodiscard]] std::string encode(const stock& of);
[[nodiscard]] outcome<stock> decode_stock(std::string_view bytes);
[[nodiscard]] std::string encode(const reservation& of);
[[nodiscard]] outcome<reservation> decode_reservation(std::string_view bytes);

inline constexpr std::string_view inventory_consumer = "inventory-v1";

} // namespace parcelflow::domain
