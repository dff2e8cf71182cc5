// A dead letter: the full evidence of an event that was acknowledged but not
// applied, kept until a responder resolves or waives it. Its id is derived
// from what failed where, so that a repeat meets the same record. The payload
// is a row of its own: it may expire, the summary stays.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

using support::unix_ms;

enum class dead_letter_cause : std::uint8_t {
  sequence_gap = 1,
  sequence_fork,
  unsupported_version,
  attempts_exhausted,
  invalid_envelope,
  stale,
  publish_refused,
};

/// The public name, e.g. "SEQUENCE_GAP".
[[nodiscard]] std::string_view to_string(dead_letter_cause cause) noexcept;

enum class dead_letter_state : std::uint8_t {
  open = 1,
  replaying,
  resolved,
  waived,
};

[[nodiscard]] std::string_view to_string(dead_letter_state state) noexcept;

struct attempt {
  unix_ms at = 0;
  std::string cause;

  friend bool operator==(const attempt&, const attempt&) = default;
};

/// Who did what to a record, when and why.
struct dead_letter_step {
  dead_letter_state to = dead_letter_state::open;
  std::string actor; ///< "system", or a token id
  std::string reason;
  unix_ms at = 0;

  friend bool operator==(const dead_letter_step&,
                         const dead_letter_step&) = default;
};

/// Tenant of records whose own tenant could not be read; not a legal name.
inline constexpr std::string_view unattributed_tenant = "~unattributed";
inline constexpr std::string_view publish_consumer = "publish";

struct dead_letter {
  std::string tenant_id; ///< or unattributed_tenant
  std::string dead_letter_id;
  std::string consumer;
  std::string topic;
  dead_letter_cause cause = dead_letter_cause::invalid_envelope;
  std::string reason;       ///< one sentence
  std::string aggregate_id; ///< this and the next three: as far as readable
  std::string event_id;
  std::string event_type;
  std::uint32_t event_version = 0;
  std::uint64_t expected_sequence = 0;
  std::uint64_t observed_sequence = 0;
  sha256_digest digest{};         ///< of the content, see codec::digest_of
  sha256_digest payload_sha256{}; ///< of the raw bytes received
  std::string known_event_id;     ///< fork: who stands at that sequence
  sha256_digest known_digest{};   ///< fork
  std::vector<attempt> attempts;
  std::string trace_id;
  std::string environment; ///< the profile's name
  std::string decision;    ///< what the policy decided, one sentence
  std::string replay_role; ///< least role that may replay
  unix_ms first_seen = 0;
  unix_ms last_seen = 0;
  std::uint64_t seen = 1;              ///< saturating
  std::vector<dead_letter_step> steps; ///< at least the opening
  std::vector<std::string> replay_ids;
  std::string payload; ///< as received; stored in a row of its own

  [[nodiscard]] dead_letter_state state() const { return steps.back().to; }
  friend bool operator==(const dead_letter&, const dead_letter&) = default;
};

/// Set aside while its stream goes on: no head and no hole of it.
[[nodiscard]] constexpr bool stands_aside(dead_letter_cause cause) noexcept {
  return cause == dead_letter_cause::sequence_fork
         || cause == dead_letter_cause::stale
         || cause == dead_letter_cause::invalid_envelope;
}

/// The history is bounded: the opening and the last of what followed stay.
inline constexpr std::size_t history_max = 64;
void add_step(dead_letter& letter, dead_letter_step step);
void add_replay(dead_letter& letter, const std::string& replay_id);
void add_attempt(std::vector<attempt>& attempts, attempt one);

/// Everything but the payload.
[[nodiscard]] std::string encode(const dead_letter& of);
[[nodiscard]] outcome<dead_letter> decode_dead_letter(std::string_view tenant,
                                                      std::string_view id,
                                                      std::string_view bytes);

} // namespace parcelflow::domain
