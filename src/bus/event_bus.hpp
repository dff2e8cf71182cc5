// The port between relay and consumers. Domain and actors know this and
// nothing of any broker (R25). No adapter may claim more than at-least-once.
//
// publish() never blocks. `done` is called exactly once, from any thread,
// within the adapter's deadline, with one result an event in the order given.
// "Accepted" means: as durable as traits().durability says. An unknown outcome
// is a failure (the caller offers the event again).
//
// subscribe() registers a sink; deliveries come in batches, from any thread,
// at most `in_flight_max` events unsettled. Each delivery is settled by its
// token: `ack` ends it, `retry` asks for it again; a second settle of the same
// token is ignored. What is not settled is delivered again after a reconnect
// or restart, so a consumer must expect duplicates.
//
// close() stops deliveries, finishes what was accepted, then calls `closed`.
// Thread rule: every function from any thread.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::bus {

/// How much an acknowledgement proves, weakest first (R27).
enum class durability : std::uint8_t { memory = 1, page_cache, fsync };

[[nodiscard]] std::string_view to_string(durability level) noexcept;

struct adapter_traits {
  std::string name;
  bus::durability durability = durability::memory;
  bool ordered_per_key = true;      ///< a stream's events arrive as offered
  bool atomic_batch = false;        ///< a batch is accepted whole or not at all
  bool redelivers_unsettled = true; ///< after a reconnect or restart
  std::size_t payload_max = 512 * 1024; ///< bytes of an encoded event
};

/// An event to be published. `offer` counts how often its producer has offered
/// this event before on purpose (0 the first time): adapters with their own
/// dedup must not swallow a resend.
struct offered {
  domain::event_ptr event;
  std::uint32_t offer = 0;
};

/// The broker's message id, or why it was not accepted: bus_refused (this
/// event, for good), bus_unreachable, bus_unknown_outcome, bus_closed.
using publish_result = domain::outcome<std::string>;
using publish_done = std::function<void(std::vector<publish_result>)>;

/// One handing over of one event. `event` is null if the bytes did not parse;
/// then `raw` and `why` tell what came.
struct delivery {
  domain::event_ptr event;
  std::shared_ptr<const std::string> raw; ///< set only if event is null
  domain::fault why;                      ///< set only if event is null
  std::string_view topic;                 ///< lives as long as the bus
  std::uint64_t token = 0;
  std::uint32_t offer = 0; ///< > 0: a resend
};

using delivery_batch = std::vector<delivery>;
using delivery_sink =
  std::function<void(std::shared_ptr<const delivery_batch>)>;

enum class settlement : std::uint8_t { ack = 1, retry };

struct settled {
  std::uint64_t token = 0;
  settlement how = settlement::ack;
};

struct subscription {
  std::string topic;
  std::string consumer;           ///< names the durable cursor
  std::size_t in_flight_max = 64; ///< unsettled events at most: the credits
  bool from_now = false;          ///< a cursor that is new starts at the end
};

class event_bus {
public:
  virtual ~event_bus() = default;
  [[nodiscard]] virtual adapter_traits traits() const = 0;
  virtual void publish(std::string_view topic, std::vector<offered> batch,
                       publish_done done) = 0;
  /// One sink a (topic, consumer); config_invalid for a second one.
  virtual domain::status subscribe(subscription what, delivery_sink sink) = 0;
  virtual void settle(std::string_view topic, std::string_view consumer,
                      std::vector<settled> what) = 0;
  virtual void close(std::function<void()> closed) = 0;
};

} // namespace parcelflow::bus
