// The console's door: one broker that owns every connection, and for each a
// worker on a thread of its own, which keeps the conversation (console_session)
// and runs its commands; so a slow look at the disk holds up nobody else.
//
// The broker only moves bytes: it asks nobody anything, so it never dies with a
// request of its own in flight, which would keep the actor system from ending.
// Owners answer a worker by message. Reading is by credit: one chunk at a time,
// the next when the worker is ready for it and everything written has left.
//
// Owner: the daemon. Thread rule: start and stop from one thread. Errors:
// config_invalid for an address that is not loopback or a port that is taken.
#pragma once

#include "ops/console_dependencies.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace parcelflow::ops {

struct console_options {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0; ///< 0: any free one
  std::size_t connections_max = 16;
  session_limits session;
};

/// To be called before the actor system is made.
void load_console(caf::actor_system_config& into);

class console_server {
public:
  static domain::outcome<std::unique_ptr<console_server>>
  start(caf::actor_system& system, const console_options& options,
        console_dependencies with);
  console_server(const console_server&) = delete;
  console_server& operator=(const console_server&) = delete;
  ~console_server();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Closes the door and every session; returns when their workers are gone.
  void stop();

private:
  explicit console_server(caf::actor_system& system) : system_(system) {}

  caf::actor_system& system_;
  caf::actor broker_;
  std::uint16_t port_ = 0;
};

} // namespace parcelflow::ops
