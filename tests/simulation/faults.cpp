#include "tests/simulation/faults.hpp"

namespace parcelflow::simulation {

const std::vector<fault_row>& fault_rows() {
  static const std::vector<fault_row> rows = {
    {"F1",
     "crash between reservation and commit",
     {"crash: order.after_reserve", "crash: order.before_commit"}},
    {"F2", "crash before the append to the log", {"crash: append #.log"}},
    {"F3", "crash after the append, before its sync", {"crash: sync #.log"}},
    {"F4",
     "crash after the sync, before the reply",
     {"crash: overwrite acked.mark", "crash: order.after_commit"}},
    {"F5", "a reply never came; the client asks again", {"asked again"}},
    {"F6",
     "the same key for another order, or at the same time",
     {"asked with another body", "asked twice at once"}},
    {"F7", "crash before publishing", {"crash: relay.before_publish"}},
    {"F8",
     "crash after publishing, before its ack",
     {"crash: relay.after_publish", "wire: reply lost"}},
    {"F9", "crash before the receipt", {"crash: relay.before_receipt"}},
    {"F10", "crash after the receipt", {"crash: relay.after_receipt"}},
    {"F11", "a batch accepted in part", {"wire: part"}},
    {"F13",
     "crash around a consumer's commit",
     {"crash: consumer.before_commit", "crash: consumer.after_commit"}},
    {"F14",
     "the settle lost",
     {"crash: consumer.before_settle", "wire: settle lost"}},
    {"F15", "duplicates", {"wire: duplicate", "log: duplicate"}},
    {"F16", "another order of events", {"wire: reorder", "log: reorder"}},
    {"F17", "a gap", {"gap"}},
    {"F18", "a fork", {"fork"}},
    {"F19", "an unknown version", {"unknown version"}},
    {"F20", "a poisoned effect", {"effect failed"}},
    {"F21",
     "crash while quarantining",
     {"crash: consumer.after_park", "crash: dead_letter."}},
    {"F22", "crash at a step of a replay", {"crash: replay."}},
    {"F23", "a replay twice, or of what is resolved", {"executed again"}},
    {"F25", "crash in recovery", {"crash in recovery"}},
    {"F26", "a torn tail", {"crash mode torn"}},
    {"F29", "an append refused", {"refused: append"}},
    {"F30", "a sync refused", {"refused: sync"}},
    {"F31",
     "a change of names refused",
     {"refused: rename", "refused: entry_sync", "refused: create",
      "refused: remove"}},
    {"F33", "the disk full", {"full: "}},
    {"F34", "a slow sync", {"slow sync"}},
    {"F35", "unsynced names lost", {"crash mode power"}},
    {"F37", "the clock set", {"clock set ahead", "clock set back"}},
    {"F38", "the broker not reached", {"wire: unreachable"}},
  };
  return rows;
}

const std::vector<fault_row>& later_rows() {
  static const std::vector<fault_row> rows = {
    {"F37", "retention against the clock: nothing is removed yet", {}},
    {"F39-F42", "real brokers: half-open, forgetting, foreign messages", {}},
    {"F44", "the fairness bound between tenants", {}},
    {"F55", "old rows with new code and back", {}},
  };
  return rows;
}

std::uint64_t met(const fault_row& row, const hit_counts& hits) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : hits)
    for (const auto one : row.hits)
      if (name.starts_with(one))
        sum += count;
  return sum;
}

std::string place_of(std::string_view struck) {
  std::string place;
  for (const char c : struck)
    if (c < '0' || c > '9')
      place.push_back(c);
    else if (place.empty() || place.back() != '#')
      place.push_back('#');
  return place;
}

} // namespace parcelflow::simulation
