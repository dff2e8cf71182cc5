// The port in memory, for tests: nothing survives the object, and nothing is
// ever dropped from it either, so it holds as many events as a test publishes.
//
// It has no thread: a call is worked off by its caller, unless another call is
// being worked off already, which then takes this one along. So within one
// thread it is deterministic, and a sink may call back into the bus.
// Thread rule: the port's; sinks and `done` run on whichever caller's thread,
// one at a time. Errors: the port's.
#pragma once

#include "bus/consumer_line.hpp"
#include "bus/event_bus.hpp"
#include "bus/inbox.hpp"
#include "bus/recent_log.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parcelflow::bus {

struct memory_bus_options {
  std::size_t payload_max = 512 * 1024;  ///< bytes of one encoded event
  std::size_t delivery_events_max = 256; ///< to one consumer at once
};

class memory_bus final : public event_bus {
public:
  explicit memory_bus(memory_bus_options options = {});
  memory_bus(const memory_bus&) = delete;
  memory_bus& operator=(const memory_bus&) = delete;
  ~memory_bus() override;

  [[nodiscard]] adapter_traits traits() const override;
  void publish(std::string_view topic, std::vector<offered> batch,
               publish_done done) override;
  domain::status subscribe(subscription what, delivery_sink sink) override;
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<settled> what) override;
  void close(std::function<void()> closed) override;

private:
  struct topic_log;

  void work();
  void handle(publish_call& call);
  void handle(subscribe_call& call);
  void handle(settle_call& call);
  void handle(close_call& call);
  bool deliver();
  topic_log& topic(const std::string& name);

  const memory_bus_options options_;
  inbox inbox_;
  std::map<std::string, std::unique_ptr<topic_log>> topics_;
  bool closing_ = false;
};

} // namespace parcelflow::bus
