// One subscription at work: its cursor book, its credits and its sink. It says
// what may be handed over next and hands it over; where events come from is
// the caller's `read`. Both embedded adapters deliver through this.
// Thread rule: one thread, the adapter's; the sink is called on it.
// Errors: a log that lacks an event which this consumer needs stops the line,
// loudly and for good, because going on would skip that event in silence.
#pragma once

#include "bus/cursor_book.hpp"
#include "bus/event_bus.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::bus {

/// Appends the events of positions from, from + 1, … (at most `count`) to
/// `out` and returns how many; 0 if the log does not have the first of them.
using log_reader = std::function<std::size_t(
  std::uint64_t from, std::size_t count, delivery_batch& out)>;

class consumer_line {
public:
  /// What the line did since it was made.
  struct tally {
    std::uint64_t delivered = 0;   ///< handed over, each time counted
    std::uint64_t redelivered = 0; ///< of these: again, after a retry
    std::uint64_t acked = 0;
  };

  consumer_line(subscription what, delivery_sink sink,
                std::uint64_t settled_up_to);

  /// Hands over one batch of at most `batch_max` events up to `last`: what was
  /// given back first, then what is next. True if more could go at once.
  bool deliver(std::uint64_t last, std::size_t batch_max,
               const log_reader& read);
  /// True if the cursor moved.
  bool settle(const std::vector<settled>& what);

  /// No further delivery; says why in the log.
  void stop(std::string_view why);

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] const subscription& what() const noexcept { return what_; }
  [[nodiscard]] const cursor_book& book() const noexcept { return book_; }
  [[nodiscard]] const tally& counted() const noexcept { return tally_; }

private:
  void add_retries(std::size_t batch_max, const log_reader& read,
                   delivery_batch& batch);
  [[nodiscard]] std::size_t fresh_ready(std::uint64_t last) const noexcept;

  subscription what_;
  delivery_sink sink_;
  cursor_book book_;
  tally tally_;
  bool stopped_ = false;
};

} // namespace parcelflow::bus
