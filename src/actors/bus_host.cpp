#include "actors/bus_host.hpp"

namespace parcelflow::actors {

void bus_host_state::init(bus_actor::pointer self, bus_dependencies with) {
  self_ = self;
  with_ = std::move(with);
  writer_.emplace(&with_.adapter->rows(), with_.way);
}

void bus_host_state::step() {
  with_.adapter->step();
  after();
}

void bus_host_state::durable() {
  writer_->rows().round_done();
  after();
}

caf::result<bool> bus_host_state::drain() {
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  // `closed` is called on this actor's thread, out of a step or a round.
  *closed_ = false;
  with_.bus->close([closed = closed_] { *closed = true; });
  after();
  return promise;
}

void bus_host_state::after() {
  writer_->arm(self_);
  if (drained_ && *closed_ && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

bus_actor::behavior_type
bus_host(bus_actor::stateful_pointer<bus_host_state> self,
         bus_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tick_atom) { state.step(); },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
