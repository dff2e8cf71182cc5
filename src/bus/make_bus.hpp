// From a few settings to an adapter, or the sentence that says what to change:
// the one place that knows every adapter's name. Refusals are config_invalid
// and come before anything is opened: an unknown name, memory or faults in
// production, acknowledgements weaker than the configured minimum (R27).
// Thread rule: called once, at start.
#pragma once

#include "bus/event_bus.hpp"
#include "bus/faulty_bus.hpp"
#include "bus/hosted.hpp"
#include "bus/log_bus.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace parcelflow::bus {

struct bus_options {
  std::string adapter = "log"; ///< "log" or "memory"
  bool production = false;
  bus::durability minimum_durability = durability::fsync;
  std::size_t payload_max = 512 * 1024; ///< bytes of one encoded event
  bus_faults faults;
  log_bus_options log; ///< its payload_max is the one above
};

/// What an embedded adapter borrows from its host.
struct host_side {
  storage::family rows;
  std::function<void()> wake;
};

struct made_bus {
  std::unique_ptr<event_bus> bus;
  hosted* host = nullptr; ///< part of `bus`; null if nothing is to be hosted
};

/// `host` is needed by "log" alone.
/// What make_bus would refuse, without making anything.
[[nodiscard]] domain::status check_bus(const bus_options& options);

[[nodiscard]] domain::outcome<made_bus> make_bus(bus_options options,
                                                 std::optional<host_side> host);

} // namespace parcelflow::bus
