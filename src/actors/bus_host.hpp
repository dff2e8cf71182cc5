// Hosts an embedded bus adapter: gives it a thread, a mailbox and a way into
// rounds. The adapter stages; this actor commits for it like any other owner.
// Thread rule: an actor. Errors: none; a failing store is fail-stop.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/round_writer.hpp"
#include "bus/event_bus.hpp"
#include "bus/hosted.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace parcelflow::actors {

struct bus_dependencies {
  commit_way way;
  bus::event_bus* bus = nullptr;  ///< what is closed at a drain
  bus::hosted* adapter = nullptr; ///< the part of it that needs a host
};

class bus_host_state {
public:
  static inline constexpr const char* name = "bus";

  void init(bus_actor::pointer self, bus_dependencies with);
  void step();
  void flush() { writer_->flush(self_); }
  void durable();
  caf::result<bool> drain();

private:
  void after();

  bus_actor::pointer self_ = nullptr;
  bus_dependencies with_;
  std::optional<round_writer> writer_;
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
  std::optional<caf::typed_response_promise<bool>> drained_;
};

bus_actor::behavior_type
bus_host(bus_actor::stateful_pointer<bus_host_state> self,
         bus_dependencies with);

} // namespace parcelflow::actors
