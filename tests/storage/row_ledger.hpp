// What a store acknowledged, kept beside it: every row of every owner as the
// last answered round left it. After damage and faults the store must hold
// exactly these rows, or say by name why it does not.
// Owner: the test. Thread rule: one thread.
#pragma once

#include "tests/storage/store_fixture.hpp"

#include <optional>
#include <sstream>
#include <utility>

namespace parcelflow::test {

using ledger_rows =
  std::map<std::pair<storage::owner, std::string>, std::string>;

inline constexpr storage::owner every_owner[] = {
  storage::owner::order,        storage::owner::inventory,
  storage::owner::relay,        storage::owner::fulfillment,
  storage::owner::notification, storage::owner::dead_letter,
  storage::owner::bus,          storage::owner::audit_feed};

/// Every row of every owner; a read that fails throws store_failed.
inline ledger_rows rows_of(const storage::store& of) {
  ledger_rows found;
  const auto at = of.read();
  for (const auto one : every_owner)
    at.scan(one, "", std::string(20, '\xFF'), [&](auto key, auto value) {
      found[{one, std::string(key)}] = value;
      return true;
    });
  return found;
}

/// The first difference in words; nothing if there is none.
inline std::optional<std::string> difference(const ledger_rows& expected,
                                             const ledger_rows& found) {
  std::ostringstream text;
  const auto tell = [&](const auto& row, const char* what) {
    text << to_string(row.first.first) << " " << row.first.second << what;
    return text.str();
  };
  for (const auto& row : expected) {
    const auto at = found.find(row.first);
    if (at == found.end())
      return tell(row, " is lost");
    if (at->second != row.second)
      return tell(row, " is changed");
  }
  for (const auto& row : found)
    if (!expected.contains(row.first))
      return tell(row, " was never acknowledged");
  return std::nullopt;
}

/// A script of rounds over two families: new rows, changed rows, erased rows,
/// and rows big enough that one family's memtable fills before the other's.
class row_ledger {
public:
  explicit row_ledger(std::size_t big_bytes = 700) : big_bytes_(big_bytes) {}

  /// Writes round `number` and books it once it was answered. `pending` holds
  /// the books with it while its outcome is open.
  void write(storage::store& into, storage::family& orders,
             storage::family& log, int number) {
    pending_ = rows_;
    const auto name = std::to_string(number);
    put(orders, "row" + name, "first of " + name);
    put(log, "log" + name,
        std::string(big_bytes_, static_cast<char>('a' + number % 26)));
    if (number % 3 == 0)
      put(orders, "row" + std::to_string(number / 2), "again by " + name);
    if (number % 5 == 4)
      erase(log, "log" + std::to_string(number / 2));
    const std::vector<storage::sealed_batch_ptr> round{orders.seal(),
                                                       log.seal()};
    into.commit(round);
    orders.round_done();
    log.round_done();
    rows_ = std::exchange(pending_, {});
  }

  [[nodiscard]] const ledger_rows& rows() const noexcept { return rows_; }
  /// Acknowledged rows are there and equal; the round whose outcome was left
  /// open, if there is one, as a whole or not at all.
  [[nodiscard]] std::optional<std::string>
  check(const storage::store& of) const {
    const auto found = rows_of(of);
    const auto at = of.read();
    for (const auto& [row, value] : found) // the other way to read: by filter
      if (at.get(row.first, row.second) != value)
        return row.second + " is found by a scan alone";
    if (!pending_.empty() && found == pending_)
      return std::nullopt;
    return difference(rows_, found);
  }

  /// The outcome of the open round is known now: it is what the store has.
  void settle(const storage::store& of) {
    rows_ = rows_of(of);
    pending_.clear();
  }

private:
  void put(storage::family& into, const std::string& key, std::string value) {
    into.put(key, value);
    pending_[{into.who(), key}] = std::move(value);
  }
  void erase(storage::family& from, const std::string& key) {
    from.erase(key);
    pending_.erase({from.who(), key});
  }

  std::size_t big_bytes_;
  ledger_rows rows_;
  ledger_rows pending_;
};

} // namespace parcelflow::test
