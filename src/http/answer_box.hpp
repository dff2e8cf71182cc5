// The way from any thread back to the server's thread. A handler's responder
// owns a `ticket`; answering it puts the answer into the box, and the box wakes
// the server once for all that gathered meanwhile. A responder that is dropped
// unused answers 500, so that no client waits for ever. The box outlives the
// server, which closes it: a later answer goes nowhere, safely.
// Thread rule: `put` and `ticket` from any thread; `take`, `close` from the
// server's. Errors: none.
#pragma once

#include "http/problem.hpp"
#include "http/server.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace parcelflow::http {

struct boxed_answer {
  std::uint64_t session;
  std::uint64_t slot;
  response value;
};

class answer_box {
public:
  /// `wake` must only schedule, not run, the server's visit to the box.
  explicit answer_box(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(boxed_answer answer) {
    // Woken under the lock: after `close` returned, `wake_` is never called.
    const std::lock_guard guard(mutex_);
    if (closed_)
      return;
    answers_.push_back(std::move(answer));
    if (answers_.size() == 1)
      wake_();
  }

  [[nodiscard]] std::vector<boxed_answer> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(answers_, {});
  }

  void close() {
    const std::lock_guard guard(mutex_);
    closed_ = true;
    answers_.clear();
  }

private:
  std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<boxed_answer> answers_;
  bool closed_ = false;
};

/// The right to answer one request, once.
class ticket {
public:
  ticket(std::shared_ptr<answer_box> box, std::uint64_t session,
         std::uint64_t slot) noexcept
    : box_(std::move(box)), session_(session), slot_(slot) {}
  ticket(const ticket&) = delete;
  ticket& operator=(const ticket&) = delete;
  ~ticket() {
    if (!answered_.load())
      answer(problem_response(
        domain::fault{domain::failure::internal, "no answer was given"}));
  }

  void answer(response value) {
    if (!answered_.exchange(true))
      box_->put({session_, slot_, std::move(value)});
  }

private:
  std::shared_ptr<answer_box> box_;
  std::uint64_t session_;
  std::uint64_t slot_;
  std::atomic<bool> answered_{false};
};

} // namespace parcelflow::http
