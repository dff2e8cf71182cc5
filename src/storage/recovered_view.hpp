// A store's files as RocksDB recovers them under a rule of the caller's choice,
// in memory and read-only: for the doctor, who wants to see what is left of a
// store that does not open.
// Private to the storage layer. Thread rule: one thread. Errors: RocksDB's own
// words, with the names of files but without the directory they lie in.
#pragma once

#include "storage/doctor.hpp"
#include "storage/engine.hpp"

#include <memory>
#include <string>
#include <vector>

namespace parcelflow::storage {

enum class log_recovery : std::uint8_t {
  up_to_damage,  ///< a prefix: every round in front of the first damage
  around_damage, ///< also the whole rounds behind it
};

class recovered_view {
public:
  static domain::outcome<std::unique_ptr<recovered_view>>
  open(const store_options& of, log_recovery how);
  recovered_view(const recovered_view&) = delete;
  recovered_view& operator=(const recovered_view&) = delete;
  ~recovered_view();

  [[nodiscard]] std::uint64_t sequence() const;
  /// What was dropped from which log, a line each.
  [[nodiscard]] const std::vector<std::string>& dropped() const;
  /// The outbox's last position; 0 if it is empty.
  [[nodiscard]] std::uint64_t last_position() const;
  /// The events behind a position, at most so many, and how many there are.
  [[nodiscard]] std::vector<lost_event>
  events_behind(std::uint64_t position, std::size_t most,
                std::uint64_t& total) const;

private:
  struct impl;
  explicit recovered_view(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

/// Reads every block of every table; a line for each that does not check.
[[nodiscard]] std::vector<std::string> damaged_tables(const store_options& of);

/// Recovers a copy for good, up to the damage, and gives it a mark of its own:
/// from then on it is a store like any other.
[[nodiscard]] domain::status recover_in_place(const store_options& copy);

} // namespace parcelflow::storage
