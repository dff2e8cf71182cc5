// A server whose handler does what the path says: /echo answers at once with
// what came in, /hold keeps the responder for the test to use, /drop lets it
// go unused, /throw throws.
// Owner: the test. Thread rule: the test's thread; held responders are shared.
#pragma once

#include "http/server.hpp"
#include "raw_client.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

/// The product's limits with times for a test: long enough for a busy machine
/// to be honest in, short enough to wait for.
inline http::server_options quick_options() {
  http::server_options options;
  options.header_timeout = std::chrono::milliseconds(400);
  options.body_timeout = std::chrono::milliseconds(400);
  options.idle_timeout = std::chrono::milliseconds(4000);
  return options;
}

class door_fixture {
public:
  explicit door_fixture(http::server_options options = quick_options()) {
    auto started = http::server::start(
      std::move(options),
      [this](const auto& request, const http::responder& respond) {
        handle(*request, respond);
      });
    REQUIRE_MESSAGE(started.ok(), (started ? "" : started.why().detail));
    server = *std::move(started);
  }
  ~door_fixture() { server.reset(); }

  raw_client connect() {
    raw_client client(server->port());
    REQUIRE(client.connected());
    return client;
  }

  /// Takes the responders held so far, once there are `count`.
  std::vector<http::responder> held(std::size_t count) {
    std::unique_lock guard(mutex_);
    REQUIRE(changed_.wait_for(guard, patience,
                              [&] { return held_.size() >= count; }));
    return std::exchange(held_, {});
  }

  [[nodiscard]] std::size_t handled() const {
    const std::lock_guard guard(mutex_);
    return handled_;
  }

  /// Polls until the claim holds; false at the deadline.
  template <class Claim>
  static bool soon(Claim claim) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!claim()) {
      if (std::chrono::steady_clock::now() > until)
        return false;
      ::poll(nullptr, 0, 2);
    }
    return true;
  }

  std::unique_ptr<http::server> server;

private:
  void handle(const http::request& request, http::responder respond) {
    const std::lock_guard guard(mutex_);
    ++handled_;
    changed_.notify_all();
    if (request.target == "/throw")
      throw std::runtime_error("a handler's mistake");
    if (request.target == "/drop")
      return;
    if (request.target == "/hold")
      return held_.push_back(std::move(respond));
    respond({200,
             {{"Content-Type", "text/plain"}},
             request.method + " " + request.target + " " + request.body});
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<http::responder> held_;
  std::size_t handled_ = 0;
};

} // namespace parcelflow::test
