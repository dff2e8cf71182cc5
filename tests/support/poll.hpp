// The one place where a test may pause: asks again and again until the answer
// is yes or the deadline is over. So a test is as fast as what it waits for,
// and no sleep stands for a condition.
// Thread rule: blocks the calling thread.
#pragma once

#include <chrono>
#include <thread>

namespace parcelflow::test {

/// True as soon as `is_so()`; false if it is not before the deadline.
template <class Question>
bool poll_until(
  Question&& is_so, std::chrono::milliseconds deadline,
  std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  for (;;) {
    if (is_so())
      return true;
    if (std::chrono::steady_clock::now() >= end)
      return false;
    std::this_thread::sleep_for(pause);
  }
}

/// Watches a quiet system for so long: true if `stays_so()` at each look.
template <class Question>
bool holds_for(
  Question&& stays_so, std::chrono::milliseconds span,
  std::chrono::milliseconds pause = std::chrono::milliseconds(50)) {
  return !poll_until([&] { return !stays_so(); }, span, pause);
}

} // namespace parcelflow::test
