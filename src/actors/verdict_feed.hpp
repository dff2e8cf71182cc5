// The live tail: every verdict as it is given, for whoever listens. Costs one
// atomic read while nobody does.
// Owner: wiring; outlives the consumers. Thread rule: any thread; a listener
// is called on a consumer's thread, with the feed locked, and must be quick.
#pragma once

#include "actors/ops_desk.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace parcelflow::actors {

class verdict_feed : public std::enable_shared_from_this<verdict_feed> {
public:
  [[nodiscard]] bool heard() const noexcept {
    return listeners_now_.load(std::memory_order_relaxed) != 0;
  }
  void tell(const tail_line& line) {
    const std::lock_guard hold(mutex_);
    for (const auto& [number, listener] : listeners_)
      listener(line);
  }
  /// Ends when the handle goes; after that the listener is not called.
  [[nodiscard]] std::shared_ptr<void> listen(ops_desk::tail_listener listener) {
    const std::lock_guard hold(mutex_);
    const auto number = next_++;
    listeners_.emplace(number, std::move(listener));
    listeners_now_ = listeners_.size();
    return {nullptr, [self = shared_from_this(), number](void*) {
              const std::lock_guard until(self->mutex_);
              self->listeners_.erase(number);
              self->listeners_now_ = self->listeners_.size();
            }};
  }

private:
  std::mutex mutex_;
  std::map<std::size_t, ops_desk::tail_listener> listeners_;
  std::size_t next_ = 1;
  std::atomic<std::size_t> listeners_now_{0};
};

} // namespace parcelflow::actors
