// What responders are shown, put together by storage/ops_view from the owners'
// rows as of one instant.
// Thread rule: plain values, no logic. Times are unix milliseconds, 0 = none.
#pragma once

#include "domain/order_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parcelflow::domain {

struct letter_page {
  page<dead_letter> letters; ///< without payloads
  std::uint64_t total = 0;   ///< matches over all pages
};

/// A stream of a consumer that does not go on by itself right now.
struct waiting_stream {
  std::string consumer;
  std::string aggregate_id;
  std::uint64_t position = 0;
  wait_cause cause = wait_cause::gap;
  unix_ms since = 0;
  std::uint64_t rows = 0;          ///< in the waiting room
  std::uint64_t first_waiting = 0; ///< lowest sequence there
  std::string head_type;           ///< of the event at position + 1, if there
  std::uint32_t head_version = 0;
  std::string dead_letter_id;  ///< of the head or of the gap
  unix_ms next_attempt_at = 0; ///< retry
};

/// The outbox as a whole.
struct outbox_status {
  std::uint64_t last_position = 0;
  std::uint64_t published_up_to = 0;
  std::uint64_t held_streams = 0;
  unix_ms oldest_unpublished_age_ms = 0;

  [[nodiscard]] std::uint64_t depth() const noexcept {
    return last_position - published_up_to;
  }
};

struct tenant_status {
  std::string tenant_id;
  std::uint64_t dead_letters_open = 0;
  std::uint64_t streams_waiting = 0;
  unix_ms oldest_waiting_since = 0;
  std::uint64_t replays_running = 0;
};

/// One object that bears the id that was looked for.
struct found {
  std::string kind; ///< "order", "event", "dead_letter", "replay", …
  std::string id;
  std::string order_id; ///< whose it is, if an order's
  std::string matched;  ///< by what: "idempotency_key", "trace_id", …
};

/// One step of the causal line: request -> key -> batch -> outbox -> attempts
/// -> verdicts -> effects -> replays.
struct causal_step {
  unix_ms at = 0;
  std::string what;  ///< "accepted", "published", "applied", "replayed", …
  std::string where; ///< "order", "relay", a consumer, "dead_letter"
  std::string id;
  std::string detail; ///< one sentence
  /// About dead letters, replays and causes: not for the tenant's operators.
  bool for_responders = false;

  friend bool operator==(const causal_step&, const causal_step&) = default;
};

struct causal_line {
  std::string order_id;
  std::string trace_id;
  std::vector<causal_step> steps; ///< ascending in time
};

struct chain_status {
  std::uint64_t entries = 0;
  sha256_digest head{};
};

} // namespace parcelflow::domain
