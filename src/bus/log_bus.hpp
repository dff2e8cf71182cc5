// The durable, embedded adapter: a topic is an append-only log of rows in the
// `bus` family, a consumer is a cursor on it. It needs nothing installed.
//
// A publish is accepted once the round that holds its row is on stable
// storage; `done` runs in that round's continuation, and delivery follows it
// (I3). A batch is accepted whole: if one of its events is refused for good,
// the others come back as bus_unreachable, to be offered again without it.
// Cursors ride in rounds that others start, so a crash repeats deliveries and
// loses none; close() makes them exact.
//
// Owner: its host, see hosted.hpp. Thread rule: the port's functions from any
// thread; step, rows and the destructor on the host's. Sinks and `done` are
// called on the host's thread; they must not destroy the bus. Errors: the
// port's; the store's are fail-stop.
#pragma once

#include "bus/event_bus.hpp"
#include "bus/hosted.hpp"
#include "bus/inbox.hpp"
#include "bus/log_bus_options.hpp"
#include "bus/log_bus_topic.hpp"
#include "storage/family.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace parcelflow::bus {

class log_bus final : public event_bus, public hosted {
public:
  /// `rows` is the bus family. `wake` asks the host for a step(), from any
  /// thread; once until that step.
  log_bus(storage::family rows, log_bus_options options,
          std::function<void()> wake);
  log_bus(const log_bus&) = delete;
  log_bus& operator=(const log_bus&) = delete;
  /// Publishers whose batch was never staged hear bus_closed.
  ~log_bus() override;

  [[nodiscard]] adapter_traits traits() const override;
  void publish(std::string_view topic, std::vector<offered> batch,
               publish_done done) override;
  domain::status subscribe(subscription what, delivery_sink sink) override;
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<settled> what) override;
  void close(std::function<void()> closed) override;

  void step() override;
  [[nodiscard]] storage::family& rows() override { return rows_; }
  [[nodiscard]] bus_counters counters() const override;

private:
  void handle(publish_call& call);
  void handle(subscribe_call& call);
  void handle(settle_call& call);
  void handle(close_call& call);

  log_topic& topic(const std::string& name);
  void deliver();
  void publish_counters();

  const log_bus_options options_;
  storage::family rows_;
  inbox inbox_;
  std::map<std::string, std::unique_ptr<log_topic>> topics_;
  bool staged_ = false;  // this step staged a batch
  bool closing_ = false; // no delivery any more
  std::uint64_t appended_ = 0;
  mutable std::mutex counters_mutex_;
  bus_counters counters_;
};

} // namespace parcelflow::bus
