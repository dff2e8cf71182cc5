// Signals by waiting, never by a handler: `block_signals` before the first
// thread starts, then one thread takes them one after another.
// Thread rule: block on the main thread; take from one thread.
#pragma once

#include <chrono>
#include <optional>

namespace parcelflow::app {

enum class signal_kind { stop, reload };

/// SIGTERM, SIGINT and SIGHUP are blocked in this thread and its children;
/// SIGPIPE is ignored.
void block_signals();

/// The next signal, or nothing when `wait` has passed.
[[nodiscard]] std::optional<signal_kind>
take_signal(std::chrono::milliseconds wait);

} // namespace parcelflow::app
