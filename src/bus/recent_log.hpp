// The end of a topic's log in memory: the very objects that were published, so
// that a consumer that keeps up costs no read and no parse. Whole batches, the
// oldest dropped first once they hold more than `bytes_max`.
// Thread rule: one thread, the adapter's. Errors: none; what is not here is
// elsewhere or nowhere, and the caller knows which.
#pragma once

#include "bus/event_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace parcelflow::bus {

class recent_log {
public:
  explicit recent_log(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// `first` follows the last position appended before.
  void append(std::uint64_t first, std::vector<offered> batch);
  /// As log_reader; 0 if `from` is not here.
  std::size_t read(std::uint64_t from, std::size_t count,
                   std::string_view topic, delivery_batch& out) const;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct segment {
    std::uint64_t first = 0;
    std::size_t bytes = 0;
    std::vector<offered> events;
  };

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<segment> segments_;
};

} // namespace parcelflow::bus
