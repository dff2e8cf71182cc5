#include "bus/cursor_book.hpp"

#include "support/assert.hpp"

#include <algorithm>

namespace parcelflow::bus {

cursor_book::cursor_book(std::uint64_t settled_up_to, std::size_t in_flight_max)
  : base_(settled_up_to), in_flight_max_(in_flight_max) {
  PF_ASSERT(in_flight_max >= 1);
}

std::size_t cursor_book::room() const noexcept {
  const std::size_t window = window_max - std::min(window_max, window_.size());
  return std::min(credit(), window);
}

std::optional<std::uint64_t> cursor_book::waiting_retry() const noexcept {
  if (retries_.empty() || credit() == 0)
    return std::nullopt;
  return retries_.front();
}

void cursor_book::hand_over(std::size_t count) {
  PF_ASSERT(count <= room());
  window_.insert(window_.end(), count, state::in_flight);
  in_flight_ += count;
}

void cursor_book::hand_over_retry() {
  PF_ASSERT(waiting_retry());
  window_[retries_.front() - base_ - 1] = state::in_flight;
  retries_.pop_front();
  ++in_flight_;
}

bool cursor_book::settle(std::uint64_t position, settlement how) {
  if (position <= base_ || position >= next())
    return false;
  auto& at = window_[position - base_ - 1];
  if (at != state::in_flight)
    return false;
  --in_flight_;
  if (how == settlement::retry) {
    at = state::given_back;
    retries_.push_back(position);
    return true;
  }
  at = state::acked;
  while (!window_.empty() && window_.front() == state::acked) {
    window_.pop_front();
    ++base_;
  }
  return true;
}

} // namespace parcelflow::bus
