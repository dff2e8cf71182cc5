// Rows around publishing: the outbox (written by the order owner, read by the
// relay), and the relay's own receipts, held streams and what it still has to
// tell. Positions order the outbox for scanning; the order of events is their
// aggregate sequence alone.
// Thread rule: plain values.
#pragma once

#include "domain/dead_letter.hpp"
#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

/// Format row: lanes = 1. Counters, cursors and receipts are kept per lane, so
/// that more lanes later need no new format.
inline constexpr std::uint8_t the_lane = 0;

/// An event as committed. The digest is the producer's; a reader computes it
/// again from the bytes and treats a difference as damage.
struct outbox_row {
  std::string tenant_id;
  domain::sha256_digest digest{};
  std::string bytes; ///< the envelope as JSON

  friend bool operator==(const outbox_row&, const outbox_row&) = default;
};
[[nodiscard]] std::string encode(const outbox_row& row);
[[nodiscard]] domain::outcome<outbox_row> decode_outbox(std::string_view bytes);

/// The idempotency key's row.
struct key_row {
  std::string order_id;
  domain::sha256_digest fingerprint{};

  friend bool operator==(const key_row&, const key_row&) = default;
};
[[nodiscard]] std::string encode(const key_row& row);
[[nodiscard]] domain::outcome<key_row> decode_key(std::string_view bytes);

/// Receipts of a contiguous run of accepted positions, keyed by the last.
struct receipt_run {
  std::uint64_t first_position = 0;
  support::unix_ms published_at = 0;
  std::uint32_t attempts = 1;          ///< publish attempts of this run
  std::vector<std::string> broker_ids; ///< one a position

  friend bool operator==(const receipt_run&, const receipt_run&) = default;
};
[[nodiscard]] std::string encode(const receipt_run& row);
[[nodiscard]] domain::outcome<receipt_run>
decode_receipt_run(std::string_view bytes);

/// A stream whose event was refused: its later events are not offered.
struct held_stream {
  std::uint64_t first_position = 0; ///< of the refused event
  std::uint64_t sequence = 0;       ///< of the refused event
  std::vector<domain::attempt> attempts;
  support::unix_ms next_at = 0;
  std::string dead_letter_id; ///< set once the attempts are used up

  friend bool operator==(const held_stream&, const held_stream&) = default;
};
[[nodiscard]] std::string encode(const held_stream& row);
[[nodiscard]] domain::outcome<held_stream>
decode_held_stream(std::string_view bytes);

} // namespace parcelflow::storage
