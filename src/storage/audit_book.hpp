// What the checks of an audit share: the snapshot, typed reads of it, and the
// book into which they write what they find. A check visits the rows of one
// kind; a row that another one should have is looked up, and what is wrong
// with that other row itself is left to the check of its own kind.
// Private to storage/audit_*.cpp. Thread rule: as the audit_run.
#pragma once

#include "domain/order.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/audit.hpp"
#include "storage/outbox.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace parcelflow::storage {

/// A row as a check sees it; its key is known to parse.
struct audited_row {
  owner of;
  std::string_view key;
  std::string_view value;

  /// The parts of the key, behind the kind.
  [[nodiscard]] key_reader parts() const { return key_reader(key); }
};

/// The rows of one kind in one family, and what to look at.
struct audit_pass {
  owner of;
  kind what;
  std::function<void(const audited_row&)> visit;
  std::function<void()> end = {}; ///< after the last row
};
using audit_passes = std::vector<audit_pass>;

class audit_book {
public:
  audit_book(const store& of, audit_options options);

  [[nodiscard]] const snapshot& at() const noexcept { return at_; }
  [[nodiscard]] const audit_options& options() const noexcept {
    return options_;
  }
  [[nodiscard]] audit_report& report() noexcept { return report_; }

  // --- what was found ------------------------------------------------------
  void find(audit_rule rule, row_name row, std::string what);
  void find(audit_rule rule, owner of, std::string_view key, std::string what) {
    find(rule, name_of(of, key), std::move(what));
  }
  /// The first time for this row; many others may show the same damage.
  void find_once(audit_rule rule, owner of, const std::string& key,
                 std::string what);
  /// For log rows, whose keys name no tenant.
  void find(audit_rule rule, owner of, std::string_view key,
            std::string_view tenant, std::string what);
  void find(audit_rule rule, const audited_row& row, std::string what) {
    find(rule, row.of, row.key, std::move(what));
  }
  /// The row's own record, or a finding that it does not parse.
  template <class T>
  std::optional<T> whole(const audited_row& row, domain::outcome<T> decoded) {
    if (decoded)
      return *std::move(decoded);
    find(audit_rule::whole_rows, row, decoded.why().detail);
    return std::nullopt;
  }
  /// On its way since then; at rest, and beyond the grace, a finding.
  void pend(audit_way way, support::unix_ms since, const row_name& row,
            const std::string& what);

  // --- looking across ------------------------------------------------------
  [[nodiscard]] bool has(owner of, const std::string& key) const {
    return at_.get(of, key).has_value();
  }
  /// Another row, if it is there and parses.
  template <class Decode>
  auto read(owner of, const std::string& key, Decode decode) const
    -> std::optional<
      std::decay_t<decltype(*decode(std::declval<std::string_view>()))>> {
    const auto bytes = at_.get(of, key);
    if (!bytes)
      return std::nullopt;
    auto decoded = decode(std::string_view(*bytes));
    if (!decoded)
      return std::nullopt;
    return *std::move(decoded);
  }
  void each(owner of, std::string_view prefix,
            const family::visitor& visit) const {
    at_.scan(of, prefix, prefix_end(prefix), visit);
  }
  [[nodiscard]] std::optional<domain::order> order(std::string_view tenant,
                                                   std::string_view id) const;
  [[nodiscard]] std::optional<domain::stream_row>
  stream(owner of, std::string_view tenant, std::string_view consumer,
         std::string_view aggregate) const;
  /// The inbox entry of a used sequence, and the key of the row that has it.
  struct used_sequence {
    domain::inbox_entry entry;
    std::string key;
  };
  [[nodiscard]] std::optional<used_sequence>
  used(owner of, std::string_view tenant, std::string_view consumer,
       std::string_view aggregate, const domain::stream_row& row,
       std::uint64_t sequence) const;
  /// Who keeps a sequence of that consumer's stream: itself, or whom the stream
  /// was handed to before.
  [[nodiscard]] std::string keeper(owner of, std::string_view tenant,
                                   std::string_view consumer,
                                   std::string_view aggregate,
                                   std::uint64_t sequence) const;
  [[nodiscard]] std::optional<domain::dead_letter>
  letter(std::string_view tenant, std::string_view id) const;
  /// The family of a consumer that the audit knows.
  [[nodiscard]] std::optional<owner> home_of(std::string_view consumer) const;
  /// `published_up_to`; 0 if there is no cursor yet or it does not parse.
  [[nodiscard]] std::uint64_t published_up_to() const;
  /// The last position of the outbox; 0 if it is empty.
  [[nodiscard]] std::uint64_t committed_up_to() const;

private:
  /// A consumer that may be added later left a row.
  [[nodiscard]] bool has_begun(const audited_consumer& of) const;

  snapshot at_;
  audit_options options_;
  audit_report report_;
  std::set<std::pair<owner, std::string>> told_; ///< by find_once
};

/// Position and state of a relay cursor's value; nothing if it does not parse.
[[nodiscard]] std::optional<std::uint64_t>
decode_relay_cursor(std::string_view value);

/// How far a consumer that came later has walked through the outbox.
struct history_cursor {
  std::uint64_t next = 0; ///< position
  bool done = false;
};
/// Nothing if it does not parse.
[[nodiscard]] std::optional<history_cursor>
decode_history_cursor(std::string_view value);

// The checks, by family. Each keeps what it needs in its visitors; the book
// must outlive them.
void add_order_checks(audit_book& book, audit_passes& to);
void add_stock_checks(audit_book& book, audit_passes& to);
void add_relay_checks(audit_book& book, audit_passes& to);
/// Streams with their inbox and effects, in one consumer family.
void add_stream_checks(audit_book& book, owner of, audit_passes& to);
/// What waits, lies aside or is to be told, in one consumer family.
void add_waiting_checks(audit_book& book, owner of, audit_passes& to);
void add_letter_checks(audit_book& book, audit_passes& to);
/// Replays, the operator log, pauses.
void add_replay_checks(audit_book& book, audit_passes& to);
void add_bus_checks(audit_book& book, audit_passes& to);

/// I4: where one event of the outbox is, at every consumer.
void account_for(audit_book& book, const domain::event& event,
                 std::uint64_t position, const row_name& outbox_row,
                 support::unix_ms committed_at);
/// I5: the effect's record of a stream; `applied` of its entries were applied.
void check_effect(audit_book& book, const audited_row& row,
                  const domain::stream_row& stream, std::uint64_t applied);

/// The sentence's number and noun: "3 rows".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

} // namespace parcelflow::storage
