// The one classifier: what a delivery means for one stream (R11). It is pure
// and the same for live deliveries, drains, plans and audits, so that a
// prediction is the rule itself. Order of judgement: envelope (before it comes
// here) -> identity -> inbox (used sequence) -> sequence -> version.
//
// A stream is (consumer, tenant, aggregate). Its row holds the position, the
// last inbox entries inline, the effect, and whether it waits.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

using support::unix_ms;

enum class verdict : std::uint8_t {
  applied = 1,
  declined,    ///< well-formed, refused by the effect's state machine
  duplicate,   ///< in the inbox already
  skipped,     ///< a later delivery of an event that a responder skipped
  stale,       ///< used sequence whose inbox entry is gone
  waiting,     ///< higher sequence on a stream that waits already
  gap,         ///< higher sequence on a stream that does not wait yet
  fork,        ///< another event, or other bytes, at a used sequence
  unsupported, ///< unknown type or major version at the head
  exhausted,   ///< the head failed as often as the policy allows
  invalid,     ///< does not parse, or its identity contradicts itself
  retrying,    ///< the head failed and will be tried again
  parked,      ///< kept already (waiting room or dead letter): seen again
};

[[nodiscard]] std::string_view to_string(verdict of) noexcept;

/// By which door an event was applied.
enum class via : std::uint8_t {
  delivery = 1,
  drain,
  resend,
  retry,
  replay,
  history, ///< offered from the outbox to a consumer that came later
};

[[nodiscard]] std::string_view to_string(via door) noexcept;

enum class inbox_mark : std::uint8_t { applied = 1, declined, skipped };

[[nodiscard]] std::string_view to_string(inbox_mark mark) noexcept;

/// One used sequence: one application, one refusal, or one audited skip.
struct inbox_entry {
  std::uint64_t sequence = 0;
  std::string event_id;
  sha256_digest digest{};
  inbox_mark mark = inbox_mark::applied;
  via door = via::delivery;
  std::string note;      ///< reason of a refusal; dead-letter id of a skip
  std::string replay_id; ///< via replay: which
  unix_ms at = 0;

  friend bool operator==(const inbox_entry&, const inbox_entry&) = default;
};

enum class wait_cause : std::uint8_t {
  gap = 1,
  unsupported,
  exhausted,
  retry,
  paused, ///< a responder paused the stream or its tenant
};

[[nodiscard]] std::string_view to_string(wait_cause cause) noexcept;

struct wait_mark {
  wait_cause cause = wait_cause::gap;
  unix_ms since = 0;
  std::uint64_t rows = 0; ///< of this stream in the waiting room

  friend bool operator==(const wait_mark&, const wait_mark&) = default;
};

struct stream_row {
  std::uint64_t position = 0;
  std::vector<inbox_entry> recent; ///< ascending, the last of the inbox
  std::optional<wait_mark> waiting;
  std::string effect; ///< the spec's own record, opaque to the core
  /// Sequences up to it came before this consumer: it started there, or took
  /// the stream over from `came_from`. They are used, and not here.
  std::uint64_t start_mark = 0;
  std::string forward_to; ///< the consumer that the stream was handed to
  std::string came_from;  ///< the one that it was handed over by

  friend bool operator==(const stream_row&, const stream_row&) = default;
};

[[nodiscard]] std::string encode(const stream_row& row);
[[nodiscard]] outcome<stream_row> decode_stream(std::string_view bytes);
[[nodiscard]] std::string encode(const inbox_entry& entry);
[[nodiscard]] outcome<inbox_entry> decode_inbox_entry(std::string_view bytes);

/// Where a foreign event id was used.
struct event_place {
  std::string aggregate_id;
  std::uint64_t sequence = 0;

  friend bool operator==(const event_place&, const event_place&) = default;
};

/// Who stands in the waiting room at a sequence.
struct parked_identity {
  std::string event_id;
  sha256_digest digest{};
};

/// The rarely needed facts; asked only when the rule comes to them.
class stream_facts {
public:
  virtual ~stream_facts() = default;
  virtual std::optional<inbox_entry> older_entry(std::uint64_t sequence) = 0;
  virtual std::optional<event_place> place_of(std::string_view event_id) = 0;
  virtual std::optional<parked_identity> parked_at(std::uint64_t sequence) = 0;
};

struct event_kind {
  std::string type;
  std::uint32_t version = 0;

  friend bool operator==(const event_kind&, const event_kind&) = default;
};

struct judgement {
  verdict what = verdict::invalid;
  std::uint64_t expected = 0;   ///< position + 1 when judged
  sha256_digest known_digest{}; ///< fork: what stands at that sequence
  std::string known_event_id;
  std::string reason;
};

/// `applied` means: may be applied now; whether it is, the effect decides.
[[nodiscard]] judgement judge(const event& of, const stream_row& row,
                              const std::vector<event_kind>& supported,
                              stream_facts& facts);

} // namespace parcelflow::domain
