// How far one consumer is on one topic: pure arithmetic over positions, which
// are contiguous from 1.
//
//   1 … settled_up_to | handed over, settled or not (the window) | next …
//
// The cursor is the gapless prefix that is settled. Events may be settled in
// any order; those beyond a gap are remembered in the window, which has a
// bound of its own, so that one event that nobody settles holds the consumer
// back instead of growing memory.
// Thread rule: a plain value. Errors: none; settling what is not in flight is
// ignored, as the port says.
#pragma once

#include "bus/event_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace parcelflow::bus {

class cursor_book {
public:
  /// Positions from the first unsettled event to the last handed over.
  static constexpr std::size_t window_max = 64 * 1024;

  cursor_book(std::uint64_t settled_up_to, std::size_t in_flight_max);

  [[nodiscard]] std::uint64_t settled_up_to() const noexcept { return base_; }
  /// The first position that was never handed over.
  [[nodiscard]] std::uint64_t next() const noexcept {
    return base_ + 1 + window_.size();
  }
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
  [[nodiscard]] std::size_t credit() const noexcept {
    return in_flight_max_ - in_flight_;
  }
  /// How many events from next() on may be handed over now.
  [[nodiscard]] std::size_t room() const noexcept;
  /// The oldest event that was given back and may be handed over again now.
  [[nodiscard]] std::optional<std::uint64_t> waiting_retry() const noexcept;

  /// `count` events from next() on are handed over; count <= room().
  void hand_over(std::size_t count);
  /// waiting_retry() is handed over.
  void hand_over_retry();
  /// False if the event was not in flight; nothing changed then.
  bool settle(std::uint64_t position, settlement how);

private:
  enum class state : std::uint8_t { in_flight, acked, given_back };

  std::uint64_t base_;
  std::size_t in_flight_max_;
  std::size_t in_flight_ = 0;
  std::deque<state> window_; // base_ + 1 …
  std::deque<std::uint64_t> retries_;
};

} // namespace parcelflow::bus
