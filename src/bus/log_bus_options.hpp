// What can be set on the log adapter. Plain values; no thread, no errors.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace parcelflow::bus {

struct log_bus_options {
  /// Rounds are synced; if not, an accepted event is in the page cache only.
  bool synced = true;
  /// Recent events kept in memory, in bytes of their encoding, a topic.
  std::size_t cache_bytes_max = 32U << 20;
  /// Size of one encoded event; larger ones are refused.
  std::size_t payload_max = 512 * 1024;
  /// Events handed to one consumer at once; the next consumer's turn then.
  std::size_t delivery_events_max = 256;
  /// Bytes read from rows for one consumer at once (one event at least).
  std::size_t read_bytes_max = 4U << 20;
  /// The log is cut in steps of at least this many events: range deletes are
  /// cheap when they are rare.
  std::uint64_t trim_step_events = 64 * 1024;
  /// Beyond this age rows go although a consumer still needs them.
  std::chrono::milliseconds retention = std::chrono::hours(168);
  /// Consumers that an operator told to go on where the log now begins,
  /// although it was cut in front of them.
  std::vector<std::string> restart_from_history;
  /// How long the process has been running; monotonic.
  std::function<std::chrono::milliseconds()> uptime = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  };
};

} // namespace parcelflow::bus
