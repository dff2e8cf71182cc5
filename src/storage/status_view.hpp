// The read-only join over all owners' durable rows: what HTTP and the console
// show. Each call reads ONE snapshot, so an answer never mixes two instants,
// and delivery by the bus never counts as done: only what the owner committed
// does. Every lookup begins with the caller's tenant (R28); a foreign object
// is not found, in the same words as a missing one.
//
// Owner: wiring; the store must outlive the view. Thread rule: any thread; it
// may read disk, and a list looks at no more than `rows_looked_at_max` rows a
// page. Errors: not_found; storage_corrupt for a row that does not parse. No
// RocksDB type is seen here.
#pragma once

#include "domain/failure.hpp"
#include "domain/order_view.hpp"
#include "support/clock.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

class store;

struct order_filter {
  std::optional<domain::order_state> state;
  /// Accepted before this and not (fulfillment_started and notified).
  std::optional<support::unix_ms> unfinished_since;
};

/// Where a page begins and how long it may be.
struct page_request {
  std::string after; ///< `next` of the page before; empty: from the start
  std::size_t limit = 50;
};

class status_view {
public:
  static constexpr std::size_t rows_looked_at_max = 2000;

  explicit status_view(const store& rows) : rows_(&rows) {}

  [[nodiscard]] domain::outcome<domain::order_view>
  order(std::string_view tenant, std::string_view order_id) const;
  [[nodiscard]] domain::outcome<domain::order_view>
  order_by_key(std::string_view tenant, std::string_view key) const;
  /// By the id under which an event of the order was committed.
  [[nodiscard]] domain::outcome<domain::order_view>
  order_by_event(std::string_view tenant, std::string_view event_id) const;
  /// `now` for the ages of what is not published yet.
  [[nodiscard]] domain::outcome<domain::order_evidence>
  evidence(std::string_view tenant, std::string_view order_id,
           support::unix_ms now) const;
  /// In the order of their ids, which is the order of acceptance.
  [[nodiscard]] domain::outcome<domain::page<domain::order_view>>
  orders(std::string_view tenant, const order_filter& filter,
         const page_request& page) const;

  [[nodiscard]] domain::outcome<domain::stock>
  stock(std::string_view tenant, std::string_view sku) const;
  [[nodiscard]] domain::outcome<domain::page<domain::stock_entry>>
  stock_list(std::string_view tenant, const page_request& page) const;

  /// Without its payload.
  [[nodiscard]] domain::outcome<domain::dead_letter>
  dead_letter(std::string_view tenant, std::string_view id) const;
  /// Its bytes as received, if they have not expired. Whoever shows them has
  /// written the look into the operator log.
  [[nodiscard]] domain::outcome<std::string>
  dead_letter_payload(std::string_view tenant, std::string_view id) const;
  /// With what became of its event, and a stream of the same consumer that
  /// moved: of another of `control_tenants`, else of the built-in `_control`.
  [[nodiscard]] domain::outcome<domain::dead_letter_evidence>
  dead_letter_evidence(std::string_view tenant, std::string_view id,
                       const std::vector<std::string>& control_tenants) const;

private:
  const store* rows_;
};

} // namespace parcelflow::storage
