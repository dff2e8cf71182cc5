// What a consumer that is added to a running system does about the time before
// (R32). Its subscription begins now and its deliveries wait, unsettled; then
// the outbox up to that point is walked, in slices and at a rate: each event is
// offered to the consumer as if it came by the bus (from_history), or only
// marks its stream's position (from_now). The cursor of the walk moves in the
// same batch as what it did, so a restart goes on where it was; when the walk
// is done the deliveries that waited follow, most of them duplicates. Neither
// makes a gap: the end of the walk is read after the subscription stands, so
// every event is before it or delivered.
//
// Owner: the host of the consumer. Thread rule: the host's thread. Errors:
// none leave; a failing store is fail-stop.
#pragma once

#include "actors/consumer.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace parcelflow::actors {

struct history_limits {
  std::size_t slice_events = 256;
  std::uint32_t rate_per_s = 0; ///< events; 0: as fast as it goes
};

/// The cursor of the walk, as it is stored.
struct history_row {
  std::uint64_t next = 1; ///< outbox position
  bool done = false;

  friend bool operator==(const history_row&, const history_row&) = default;
};
[[nodiscard]] std::string encode(const history_row& row);
[[nodiscard]] domain::outcome<history_row>
decode_history(std::string_view bytes);

class history {
public:
  history(consumer& of, storage::family& rows, const storage::store& store,
          const support::clock& clock, support::metrics& metrics,
          history_limits limits);

  /// Deliveries must wait until this is true.
  [[nodiscard]] bool done() const noexcept { return row_.done; }
  /// Nothing was walked through yet, by an earlier process neither.
  [[nodiscard]] bool untouched() const noexcept { return row_.next == 1; }
  /// The subscription stands: what was committed by now is the time before.
  void begin();
  /// One slice, if it is due; true when this one ended the walk.
  /// `now` and due_at() by the steady clock.
  bool step(support::unix_ms now);
  /// When the next slice is due; 0: at once.
  [[nodiscard]] support::unix_ms due_at() const noexcept { return due_at_; }
  [[nodiscard]] std::uint64_t upto() const noexcept {
    return upto_.value_or(0);
  }

private:
  void take(std::string_view value);

  consumer& consumer_;
  storage::family& rows_;
  const storage::store& store_;
  const support::clock& clock_;
  history_limits limits_;
  history_row row_;
  std::optional<std::uint64_t> upto_; ///< known once the subscription stands
  support::unix_ms due_at_ = 0;
  support::gauge next_now_;
  support::gauge upto_now_;
};

} // namespace parcelflow::actors
