// What responders look at, besides status_view: waiting streams, the outbox's
// state, replays, the operator log, pauses; finding and explaining. The same
// rules hold: each call reads ONE snapshot, every lookup begins with the
// caller's tenant, a foreign object is not found in the words of a missing
// one, and a call looks at a bounded number of rows; but for the total of dead
// letters by time or text, which passes by every record of the tenant or of
// its index by time, once a list (letter_list.hpp).
// Owner: wiring; the store must outlive the view. Thread rule: any thread; it
// may read disk. Errors: not_found; storage_corrupt for a row that does not
// parse.
#pragma once

#include "domain/dead_letter_filter.hpp"
#include "domain/operator_log.hpp"
#include "domain/ops_view.hpp"
#include "domain/pause.hpp"
#include "domain/replay.hpp"
#include "storage/status_view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

class ops_view {
public:
  /// A page of dead letters ends there though it is not full.
  static constexpr std::size_t letters_passed_by_max = 20'000;
  /// Of a tenant's waiting streams so many are asked since when.
  static constexpr std::size_t streams_aged_max = 2'000;
  /// A trace id is looked for among the newest orders, so many.
  static constexpr std::size_t orders_traced_max = 10'000;

  explicit ops_view(const store& rows) : rows_(&rows) {}

  /// With the exact number of matches over all pages. By their ids.
  [[nodiscard]] domain::outcome<domain::letter_page>
  dead_letters(std::string_view tenant,
               const domain::dead_letter_filter& filter,
               const page_request& page) const;

  /// Streams that wait, of one consumer or of all (empty).
  [[nodiscard]] domain::outcome<domain::page<domain::waiting_stream>>
  streams(std::string_view tenant, std::string_view consumer,
          const page_request& page) const;

  /// Newest first.
  [[nodiscard]] domain::outcome<domain::page<domain::replay>>
  replays(std::string_view tenant, const page_request& page) const;
  [[nodiscard]] domain::outcome<domain::replay>
  replay(std::string_view tenant, std::string_view replay_id) const;
  [[nodiscard]] domain::outcome<domain::page<domain::replay_item>>
  replay_items(std::string_view tenant, std::string_view replay_id,
               const page_request& page) const;

  /// The whole process's; for admins over all tenants.
  [[nodiscard]] domain::outbox_status outbox(support::unix_ms now) const;
  [[nodiscard]] domain::outcome<domain::page<domain::tenant_status>>
  tenants(const std::vector<std::string>& names) const;
  [[nodiscard]] domain::outcome<domain::pause_set> pauses() const;

  /// By order, event, key, trace, fulfillment, notification, dead-letter,
  /// replay or plan id: everything of that tenant that bears it; nothing is an
  /// empty list. Each is a look-up by key, but for a trace id (32 hex digits:
  /// the newest `orders_traced_max` orders) and the dead letters of an event or
  /// a trace (the first `letters_passed_by_max` records, in place).
  [[nodiscard]] domain::outcome<std::vector<domain::found>>
  find(std::string_view tenant, std::string_view id) const;
  /// The causal line of an order, by its id or one of its event ids, foreign
  /// ones included.
  [[nodiscard]] domain::outcome<domain::causal_line>
  explain(std::string_view tenant, std::string_view id,
          support::unix_ms now) const;

  /// Newest first. Entries of `tenants` (empty: every entry, for admins).
  [[nodiscard]] domain::outcome<domain::page<domain::log_entry>>
  operator_log(const std::vector<std::string>& tenants,
               const page_request& page) const;
  /// Walks the whole chain; storage_corrupt names the entry that is wrong.
  [[nodiscard]] domain::outcome<domain::chain_status> verify_log() const;

private:
  const store* rows_;
};

} // namespace parcelflow::storage
