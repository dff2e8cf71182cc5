// What the console stands on. The rows it reads by itself, through views; what
// only the process knows comes in as functions.
//
// Owner: wiring; whatever is pointed to outlives the server. Thread rule: the
// functions are called from any thread, several at a time, and may read disk
// but not wait for an actor.
#pragma once

#include "actors/gateway.hpp"
#include "actors/ops_desk.hpp"
#include "codec/cursor.hpp"
#include "ops/console_session.hpp"
#include "storage/ops_view.hpp"
#include "storage/status_view.hpp"
#include "support/clock.hpp"
#include "support/metrics.hpp"

#include <functional>
#include <string>
#include <vector>

namespace parcelflow::ops {

struct console_dependencies {
  storage::status_view view;
  storage::ops_view ops;
  actors::ops_desk* desk = nullptr;
  actors::gateway* gateway = nullptr;
  const support::clock* clock = nullptr;
  support::metrics* metrics = nullptr;
  codec::cursor_sealer cursors;
  std::string environment; ///< the profile's name
  unix_ms started_at = 0;
  session_access access;
  /// Every registered tenant.
  std::function<std::vector<std::string>()> tenants;
  /// As JSON, the same as /readyz?verbose.
  std::function<std::string()> health;
  /// Of every consumer, since the process began.
  std::function<std::vector<domain::consumer_counts>()> counts;
  /// As SIGTERM does; returns at once.
  std::function<void()> drain;
};

} // namespace parcelflow::ops
