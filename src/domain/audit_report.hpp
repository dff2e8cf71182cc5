// What an audit says: which promise which row breaks, what is on its way, and
// where every event of the outbox is. The words of storage/audit.hpp, which
// makes it, for whoever reads it.
// Thread rule: plain values; shared by pointer once made. No payload in it.
#pragma once

#include "support/clock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::domain {

using support::unix_ms;

/// Which promise a finding breaks; the design's names in `to_string`.
enum class audit_rule : std::uint8_t {
  intake_atom,     ///< I1: order, key and events: all or none
  accounting,      ///< I4: every event is somewhere, and never changes
  one_effect,      ///< I5: one job an order, one send a template
  consumer_atom,   ///< I6: position, inbox and effect belong together
  quarantine_atom, ///< I7: what waits has its evidence, and the reverse
  replay_identity, ///< I8: replays keep the event and are linked both ways
  tenancy,         ///< I9: a row is of the tenant that it says it is of
  whole_rows,      ///< I11: every row has a known kind and parses
  stock,           ///< I13: reserved is what live reservations hold
  books,           ///< of the relay and of the topic log
};
inline constexpr std::size_t audit_rule_count = 10;
/// "I1" … "I13", "books".
[[nodiscard]] std::string_view to_string(audit_rule of) noexcept;
/// What it promises, in a few words.
[[nodiscard]] std::string_view meaning_of(audit_rule of) noexcept;

/// What a row is called.
struct row_name {
  std::string family; ///< its owner's, e.g. "fulfillment"
  std::string kind;   ///< e.g. "waiting_room"; "0x7f" if there is none such
  std::string tenant; ///< empty if it has none
  /// Name and value of the other parts of its key, printable, in order.
  std::vector<std::pair<std::string, std::string>> key;
  bool whole = true; ///< the kind is at home in the family, its key parses

  friend bool operator==(const row_name&, const row_name&) = default;
};

struct audit_finding {
  audit_rule rule = audit_rule::whole_rows;
  row_name row;     ///< the row that is wrong, or that is missing
  std::string what; ///< what is wrong, with the row as its subject
};

/// What is on its way.
enum class audit_way : std::uint8_t {
  to_the_bus,      ///< committed, not published
  to_a_consumer,   ///< committed, not yet at one of the consumers
  to_dead_letters, ///< quarantined, its record not confirmed
  to_an_order,     ///< a held reservation without an order
};
inline constexpr std::size_t audit_way_count = 4;
[[nodiscard]] std::string_view to_string(audit_way of) noexcept;

struct audit_pending {
  std::uint64_t count = 0;
  unix_ms oldest = 0; ///< since when; 0 if there is none
};

/// I4 as a sum, for one consumer: events = all the others together.
struct audit_account {
  std::string consumer;
  std::uint64_t events = 0;
  std::uint64_t applied = 0;
  std::uint64_t declined = 0;
  std::uint64_t skipped = 0;
  std::uint64_t waiting = 0;
  std::uint64_t quarantined = 0;
  std::uint64_t pending = 0;
  std::uint64_t before_start = 0; ///< the consumer began behind them
  std::uint64_t wrong = 0; ///< another event, or none, stands in its place
};

struct audit_rows {
  std::string_view family;
  std::string_view kind; ///< "unknown" for rows of no known kind
  std::uint64_t rows = 0;
};

enum class audit_mode : std::uint8_t {
  running, ///< the owners are at work: overdue work is theirs
  stopped, ///< a closed directory: nobody is at work
  at_rest, ///< nothing is left to do
};
[[nodiscard]] std::string_view to_string(audit_mode of) noexcept;

struct audit_report {
  std::string store_id;
  audit_mode mode = audit_mode::running;
  unix_ms as_of = 0;       ///< when the snapshot was taken
  unix_ms duration_ms = 0; ///< filled in by whoever has a clock
  bool complete = false;   ///< false: it was stopped on the way
  std::uint64_t rows = 0;
  std::vector<audit_rows> rows_by_kind; ///< kinds that have rows
  std::vector<audit_account> accounts;
  std::array<audit_pending, audit_way_count> pending;
  std::uint64_t findings_total = 0;
  std::array<std::uint64_t, audit_rule_count> findings_by_rule{};
  std::vector<audit_finding> findings; ///< the first ones

  [[nodiscard]] bool clean() const noexcept {
    return complete && findings_total == 0;
  }
};

} // namespace parcelflow::domain
