// What is wrong with a data directory that the daemon refuses, and what is left
// of it (`parcelflow doctor`). Nothing of the directory changes: the doctor
// holds its lock, copies the store beside it and works on the copy.
//
// How much is left: the copy is recovered to the last round before the first
// damage. Whether something acknowledged is missing from that, three witnesses
// tell, none of whom needs the others:
//   the mark     acknowledged up to here, as of its last sync;
//   the log      a round is written only after the one before was synced, so
//                a whole round behind the damage means that what the damage
//                took had been synced;
//   the rows     an audit of the recovered copy: rows that name rows which are
//                not there.
// A torn tail is harmless if none of them misses anything. What all three
// cannot see: a synced end of the log that is gone together with the mark's
// last second (docs/GUARANTEES.md).
// Owner: whoever calls. Thread rule: one thread. Errors: storage_locked,
// storage_io, disk_full; not_found where no store is. Damage is no error, it
// is the answer.
#pragma once

#include "domain/audit_report.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

enum class prognosis : std::uint8_t {
  whole,         ///< the daemon opens it; every file checks
  torn_tail,     ///< harmless: an unfinished write at the end of the log
  rows_missing,  ///< rows that were acknowledged are gone
  contradictory, ///< every file checks, but rows contradict each other
  damaged,       ///< bytes do not check, or files are missing
};
/// "whole", "torn_tail", …
[[nodiscard]] std::string_view to_string(prognosis of) noexcept;

/// An event that is in the log behind the damage, and not in what is left.
struct lost_event {
  std::uint64_t position = 0;
  std::string tenant_id;
  std::string order_id;
  std::string event_type;
};

struct diagnosis {
  prognosis finding = prognosis::whole;
  std::optional<domain::fault> refusal;      ///< what the daemon says at start
  std::optional<std::uint64_t> acknowledged; ///< by the mark, if it reads
  std::optional<std::uint64_t> recovered;    ///< by the copy, if it opens
  std::uint64_t seen_in_log = 0; ///< last sequence of a whole round behind it
  std::vector<std::string> dropped; ///< the end of which log, and why
  std::vector<std::string> damage;  ///< which file, and what of it
  std::uint64_t lost_events = 0;
  std::vector<lost_event> lost; ///< the first of them
  domain::audit_report audit;   ///< of the copy; complete if it was made
  std::string repaired_to;      ///< the directory that was written; or empty
};

struct doctor_options {
  /// Where the working copy lies for a moment; empty: beside `repair_to`, or
  /// beside the directory.
  std::string work_directory;
  /// Where what is left goes if nothing acknowledged is missing. Must not be
  /// there yet, and on the file system of the working copy.
  std::string repair_to;
  support::unix_ms now = 0;      ///< for the audit
  support::unix_ms grace_ms = 0; ///< for the audit
  std::size_t lost_max = 100;    ///< events that are named
};

[[nodiscard]] domain::outcome<diagnosis> examine(const store_options& patient,
                                                 const doctor_options& wish);

} // namespace parcelflow::storage
