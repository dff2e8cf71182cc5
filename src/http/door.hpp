// What the sessions of one server share: options, handler, the box of answers,
// the registry, counters. Free of Boost.
// Private to server.cpp. Owner: `server::impl`, declared before its io_context,
// because operations that the io_context drops at its end still name the door.
// Thread rule: the server's thread, except counters, `box` and `wait_drained`.
#pragma once

#include "http/answer_box.hpp"
#include "http/server.hpp"
#include "support/assert.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace parcelflow::http {

using deadline_clock = std::chrono::steady_clock;

/// A connection as the door sees it. After `close` it is not called again.
class door_session {
public:
  virtual ~door_session() = default;
  virtual void start() = 0;
  virtual void answer(std::uint64_t slot, response value) = 0;
  virtual void drain() = 0;
  virtual void sweep(deadline_clock::time_point now) = 0;
  virtual void close() = 0;
};

struct door {
  door(server_options with, handler calls)
    : options(std::move(with)), on_request(std::move(calls)) {}

  const server_options options;
  const handler on_request;
  std::shared_ptr<answer_box> box;
  std::unordered_map<std::uint64_t, std::shared_ptr<door_session>> sessions;
  std::string date;                    ///< for the Date header, kept fresh
  std::array<char, 16 * 1024> scratch; ///< where discarded bytes land

  struct {
    std::atomic<std::uint64_t> connections_open{0};
    std::atomic<std::uint64_t> connections_refused{0};
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> bad_requests{0};
    std::atomic<std::uint64_t> timeouts{0};
  } counters;

  void add(std::uint64_t id, std::shared_ptr<door_session> session) {
    sessions.emplace(id, std::move(session));
    ++owing_;
    counters.connections_open = sessions.size();
  }

  /// A session owes no answer any more and takes no request. Once a session.
  void retire() {
    PF_ASSERT(owing_ > 0);
    --owing_;
    tell_drained();
  }

  void forget(std::uint64_t id) {
    sessions.erase(id);
    counters.connections_open = sessions.size();
  }

  /// Calls `visit` on each session; it may close itself.
  template <class Visit>
  void each_session(Visit visit) {
    for (auto it = sessions.begin(); it != sessions.end();) {
      const auto session = it->second;
      ++it;
      visit(*session);
    }
  }

  void hand_over(std::shared_ptr<const request> what, std::uint64_t session,
                 std::uint64_t slot) {
    counters.requests.fetch_add(1, std::memory_order_relaxed);
    const auto right = std::make_shared<ticket>(box, session, slot);
    try {
      on_request(std::move(what),
                 [right](response value) { right->answer(std::move(value)); });
    } catch (...) {
      // The ticket answers 500 when its last holder lets go of it.
    }
  }

  void start_drain() {
    draining_ = true;
    each_session([](door_session& session) { session.drain(); });
    tell_drained();
  }

  bool wait_drained(std::chrono::milliseconds deadline) {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, deadline, [this] { return drained_; });
  }

private:
  void tell_drained() {
    if (!draining_ || owing_ > 0)
      return;
    const std::lock_guard guard(mutex_);
    drained_ = true;
    changed_.notify_all();
  }

  std::size_t owing_ = 0; // sessions that may still owe an answer
  bool draining_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool drained_ = false;
};

} // namespace parcelflow::http
