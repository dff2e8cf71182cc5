// What is answered about orders, stock and dead letters, as JSON. Times are
// RFC 3339 in UTC; money is whole minor units; members that have no value are
// left out. The answers to a placed order and to a command are made of facts
// that never change, so that a repeated request gets the same bytes.
//
// What a reader may see depends on who reads: `viewer` says it, and these
// functions are the only place that applies it.
// Thread rule: pure functions. Errors: none.
#pragma once

#include "codec/cursor.hpp"
#include "domain/access.hpp"
#include "domain/order_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::codec {

struct viewer {
  domain::role granted = domain::role::tenant_operator;
  const cursor_sealer* veil = nullptr; ///< hides positions; not null

  /// Dead-letter ids and causes.
  [[nodiscard]] bool sees_dead_letters() const noexcept {
    return granted >= domain::role::responder;
  }
  /// Positions of the shared logs, which tell about other tenants' traffic.
  [[nodiscard]] bool sees_positions() const noexcept {
    return granted == domain::role::admin;
  }
};

/// "/v1/orders/ord-…".
[[nodiscard]] std::string order_path(std::string_view order_id);

[[nodiscard]] std::string placed_json(const domain::order& of);
/// Past the deadline with the outcome not known yet.
[[nodiscard]] std::string pending_json(std::string_view order_id);
/// The order must have taken that step (asserted).
[[nodiscard]] std::string command_json(const domain::order& of,
                                       domain::order_state target);

[[nodiscard]] std::string order_json(const domain::order_view& of,
                                     const viewer& who);
/// `counts` are of this process, since `counted_since`.
struct evidence_frame {
  std::string actor; ///< the token id of who asks
  std::string environment;
  support::unix_ms now = 0;
  support::unix_ms counted_since = 0;
  std::vector<domain::consumer_counts> counts;
};
[[nodiscard]] std::string evidence_json(const domain::order_evidence& of,
                                        const evidence_frame& frame,
                                        const viewer& who);

[[nodiscard]] std::string stock_json(std::string_view sku,
                                     const domain::stock& of);
/// The whole record without its payload. For responders alone.
[[nodiscard]] std::string dead_letter_json(const domain::dead_letter& of);
/// The same with what became of its event and a stream that moved.
[[nodiscard]] std::string
dead_letter_json(const domain::dead_letter_evidence& of,
                 const evidence_frame& frame);
/// A row of a list: no payload, no history.
[[nodiscard]] std::string dead_letter_row_json(const domain::dead_letter& of);

/// {"items":[…],"total":…,"nextCursor":"…"}; without a cursor on the last
/// page; with a total (over all pages) where one is known.
[[nodiscard]] std::string
list_json(const std::vector<std::string>& items, std::string_view next_cursor,
          std::optional<std::uint64_t> total = std::nullopt);

} // namespace parcelflow::codec
