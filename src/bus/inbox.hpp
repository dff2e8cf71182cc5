// Where an embedded adapter keeps the calls of the port until its own thread
// takes them, in the order in which they came. Refusals that need no log
// (second subscription, closed) are given here, at once.
//
// `wake` is called when work arrives at an inbox that was at rest, and not
// again before the owner took it: once for any number of calls.
// Bounds: publishers keep a window of open batches and consumers hold credits,
// so what can lie here is bounded by what they may have open.
// Thread rule: every function from any thread; take, take_or_rest from the
// owner's. `wake` runs on the caller's thread, without a lock held.
#pragma once

#include "bus/event_bus.hpp"

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parcelflow::bus {

struct publish_call {
  std::string topic;
  std::vector<offered> batch;
  publish_done done;
};
struct subscribe_call {
  subscription what;
  delivery_sink sink;
};
struct settle_call {
  std::string topic;
  std::string consumer;
  std::vector<settled> what;
};
struct close_call {
  std::function<void()> closed;
};
using bus_call =
  std::variant<publish_call, subscribe_call, settle_call, close_call>;

class inbox {
public:
  explicit inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void publish(std::string_view topic, std::vector<offered> batch,
               publish_done done);
  domain::status subscribe(subscription what, delivery_sink sink);
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<settled> what);
  void close(std::function<void()> closed);

  /// Everything that came; the next call wakes again.
  [[nodiscard]] std::vector<bus_call> take();
  /// The same, but wakes stay off until this found nothing.
  [[nodiscard]] std::vector<bus_call> take_or_rest();
  /// The owner has more to do than it wanted to do at once.
  void wake_again();

private:
  /// False, and `call` is left as it was, once close() came.
  bool push(bus_call&& call);

  const std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<bus_call> calls_;
  std::set<std::pair<std::string, std::string>> subscribed_;
  bool awake_ = false;
  bool closing_ = false;
};

/// The answer to a whole batch that was not taken.
[[nodiscard]] std::vector<publish_result>
all_failed(std::size_t events, domain::failure code, std::string_view why);

} // namespace parcelflow::bus
