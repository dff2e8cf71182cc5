// A replay: quarantined events offered to their consumers once more, under
// their own event ids. First a plan, which freezes the set and shows what the
// classifier would say of each item, and writes nothing; then a replay, which
// runs exactly that plan: per stream in sequence, stopping a stream at its
// first failure. What became of an item is read from the consumer's inbox, so
// a report after a crash is right.
//
// Owner: plans live with the planner and end with the process; replays are
// rows of the dead-letter owner. Thread rule: plain values.
#pragma once

#include "domain/dead_letter_filter.hpp"
#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "domain/sequence_rule.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

enum class item_state : std::uint8_t {
  pending = 1,
  sent,           ///< its consumer has it; the outcome is not known yet
  created_now,    ///< this replay applied it
  existed_before, ///< its inbox entry is of another door or replay
  declined,       ///< used by this replay; the effect's state machine refused
  refused,        ///< not applied, see reason
  stopped,        ///< not tried: an earlier item of its stream failed
  cancelled,      ///< not tried: the replay was cancelled
};

[[nodiscard]] std::string_view to_string(item_state state) noexcept;
/// Nothing will change it any more.
[[nodiscard]] bool is_final(item_state state) noexcept;

/// One dead letter in a plan, and what became of it in a replay.
struct replay_item {
  std::string dead_letter_id;
  std::string consumer;
  dead_letter_cause cause = dead_letter_cause::invalid_envelope;
  std::string aggregate_id; ///< empty if its envelope is unreadable
  std::uint64_t sequence = 0;
  std::string event_id;
  sha256_digest digest{}; ///< of the event's content
  verdict predicted = verdict::invalid;
  std::string prediction; ///< one sentence, if there is more to say
  item_state state = item_state::pending;
  via door = via::delivery;   ///< created_now, existed_before
  std::string reason;         ///< refused, declined, stopped
  std::string earlier_replay; ///< existed_before: by which, if by one
  unix_ms at = 0;             ///< of its final state

  friend bool operator==(const replay_item&, const replay_item&) = default;
};

/// Order in which items run within a stream, and in which they are listed.
[[nodiscard]] bool runs_before(const replay_item& a, const replay_item& b);

enum class plan_state : std::uint8_t {
  planning = 1,
  ready,
  failed,   ///< see `why`
  executed, ///< see `replay_id`
  expired,
};

[[nodiscard]] std::string_view to_string(plan_state state) noexcept;

struct replay_plan {
  std::string plan_id; ///< "pln-" and a ULID
  std::string tenant_id;
  std::string actor;
  dead_letter_filter filter;
  std::string filter_text;
  plan_state state = plan_state::planning;
  unix_ms created_at = 0;
  unix_ms expires_at = 0;
  std::uint64_t looked_at = 0;    ///< records read so far
  std::vector<replay_item> items; ///< as runs_before orders them
  sha256_digest digest{};         ///< of the frozen set, see codec
  std::string replay_id;
  std::string why;
};

enum class replay_state : std::uint8_t {
  running = 1,
  cancelling,
  finished,
  cancelled
};

[[nodiscard]] std::string_view to_string(replay_state state) noexcept;

struct replay_counts {
  std::uint64_t created_now = 0;
  std::uint64_t existed_before = 0;
  std::uint64_t declined = 0;
  std::uint64_t refused = 0;
  std::uint64_t stopped = 0;
  std::uint64_t cancelled = 0;

  void add(item_state state);
  [[nodiscard]] std::uint64_t sum() const noexcept {
    return created_now + existed_before + declined + refused + stopped
           + cancelled;
  }
  friend bool operator==(const replay_counts&, const replay_counts&) = default;
};

/// "3 created now, 1 refused"; what is zero is left out.
[[nodiscard]] std::string to_text(const replay_counts& counts);

struct replay {
  std::string tenant_id;
  std::string replay_id; ///< "rpl-" and the plan's ULID
  std::string plan_id;
  sha256_digest plan_digest{};
  std::string filter_text;
  std::string actor;
  std::string reason;
  std::uint32_t rate_per_s = 0; ///< 0: as fast as consumers take it
  replay_state state = replay_state::running;
  std::string cancelled_by;
  unix_ms started_at = 0;
  unix_ms ended_at = 0; ///< 0 while it runs
  std::uint64_t total = 0;
  replay_counts counts; ///< of final items

  friend bool operator==(const replay&, const replay&) = default;
};

[[nodiscard]] std::string encode(const replay_item& item);
[[nodiscard]] outcome<replay_item> decode_replay_item(std::string_view bytes);
[[nodiscard]] std::string encode(const replay& of);
[[nodiscard]] outcome<replay> decode_replay(std::string_view tenant,
                                            std::string_view id,
                                            std::string_view bytes);

} // namespace parcelflow::domain
