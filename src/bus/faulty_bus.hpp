// Faults by number around any adapter: each counts the events offered, and
// every n-th meets it (0 = off). The same calls meet the same faults, so what
// it finds can be repeated. Only in configurations that say so.
//
// An event meets one fault at most, the first of this order:
//   fail      the publish breaks there: this event and the rest of its batch
//             come back as bus_unreachable and are not counted further
//   drop      reported accepted and forgotten
//   delay     reported accepted, published behind the topic's next batch, or
//             at close() if none comes
//   fork      followed by a rival: the same stream and sequence under another
//             event id, as a second producer would publish it
//   duplicate published twice, one behind the other
//   reorder   changes places with its neighbour in the batch, the next one or
//             else the one before
// And on the way out each subscription counts what it is given, so that the
// bus itself keeps what was published:
//   garble    delivered as half of its bytes, which are no event
// Thread rule: the port's. Errors: the port's; an event that was delayed and
// then not accepted is delayed once more.
#pragma once

#include "bus/event_bus.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parcelflow::bus {

/// Every n-th event; 0 = never. As counters: how often it happened.
struct bus_faults {
  std::uint64_t duplicate = 0;
  std::uint64_t drop = 0;
  std::uint64_t reorder = 0;
  std::uint64_t delay = 0;
  std::uint64_t fail = 0;
  std::uint64_t fork = 0;
  std::uint64_t garble = 0;

  [[nodiscard]] bool any() const noexcept {
    return (duplicate | drop | reorder | delay | fail | fork | garble) != 0;
  }
};

class faulty_bus final : public event_bus {
public:
  faulty_bus(std::unique_ptr<event_bus> inner, bus_faults every);
  ~faulty_bus() override;

  /// What is left of the inner adapter's promises.
  [[nodiscard]] adapter_traits traits() const override;
  void publish(std::string_view topic, std::vector<offered> batch,
               publish_done done) override;
  domain::status subscribe(subscription what, delivery_sink sink) override;
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<settled> what) override;
  void close(std::function<void()> closed) override;

  [[nodiscard]] bus_faults happened() const;

private:
  struct books;
  struct plan;

  const std::unique_ptr<event_bus> inner_;
  const bus_faults every_;
  const std::shared_ptr<books> books_; // callbacks may outlive the decorator
};

} // namespace parcelflow::bus
