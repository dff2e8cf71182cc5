#include "actors/consumer_host.hpp"

#include "support/assert.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

void consumer_host_state::init(consumer_actor::pointer self,
                               consumer_dependencies with) {
  self_ = self;
  writer_.emplace(std::move(with.rows), with.way);
  hosting_links links;
  links.bus = with.bus;
  links.feed = with.feed;
  links.dead_letters = with.dead_letters;
  links.resend = [self, order = with.order](resend_request what) {
    self->send(order, resend_atom::value, std::move(what));
  };
  for (auto& spec : with.specs) {
    auto ports = ports_of(self, links, spec, alarm_, *with.clock);
    ports.forward = [this](const std::string& to, const bus::delivery& one) {
      return core_for(to).take_forwarded(one);
    };
    cores_.push_back(std::make_unique<consumer>(
      std::move(spec), with.limits, writer_->rows(), *with.clock, *with.ids,
      *with.metrics, std::move(ports)));
  }
  with_.emplace(std::move(with));
  const auto pauses = pauses_of(*with_->way.store);
  for (auto& core : cores_)
    core->start(pauses);
  writer_->rows().when_durable([this] {
    for (auto& core : cores_)
      if (core->spec().takes_over.empty())
        subscribe_core(*core);
  });
  after();
}

void consumer_host_state::subscribe_core(const consumer& core) {
  auto subscribed = subscribe(*with_->bus, core, with_->limits.in_flight_max,
                              consumer_actor(self_));
  if (!subscribed)
    support::log::error("consumer", subscribed.why().detail);
  PF_ASSERT(subscribed.ok());
  if (with_->recovered)
    with_->recovered();
}

void consumer_host_state::deliver(const std::string& consumer,
                                  const bus::delivery_batch& batch) {
  core_for(consumer).deliver(batch);
  after();
}

consumer* consumer_host_state::find_core(const std::string& wanted) {
  const auto at =
    std::find_if(cores_.begin(), cores_.end(),
                 [&](const auto& core) { return core->spec().name == wanted; });
  return at == cores_.end() ? nullptr : at->get();
}

consumer& consumer_host_state::core_for(const std::string& wanted) {
  auto* core = find_core(wanted);
  PF_ASSERT(core != nullptr);
  return *core;
}

void consumer_host_state::operate(const stream_op& what) {
  auto* core = &core_for(what.consumer);
  if (what.what == stream_op::verb::redirect) {
    if (auto* to = find_core(what.to_consumer); to != nullptr && to != core)
      core->redirect(what, *to);
    else
      what.answer({domain::failure::illegal_transition,
                   "no other consumer of that name shares the effects of "
                     + what.consumer});
    return after();
  }
  if (const auto to = core->forwards_to(what.tenant_id, what.aggregate_id);
      !to.empty())
    core = &core_for(to);
  core->operate(what);
  after();
}

void consumer_host_state::obey(const domain::pause_set_ptr& pauses) {
  for (auto& core : cores_)
    core->obey(pauses);
  after();
}

void consumer_host_state::told(const dead_letter_ref& which) {
  core_for(which.consumer)
    .told(which.tenant_id, which.dead_letter_id, which.generation);
  after();
}

void consumer_host_state::durable() {
  writer_->rows().round_done();
  after();
}

void consumer_host_state::tick() {
  alarm_.rang();
  for (auto& core : cores_)
    core->step();
  after();
}

caf::result<bool> consumer_host_state::drain() {
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  after();
  return promise;
}

void consumer_host_state::after() {
  const bool quiet =
    std::all_of(cores_.begin(), cores_.end(),
                [](const auto& core) { return core->quiet(); });
  // The stop is clean only if nothing was left to run.
  if (drained_ && quiet && writer_->idle() && !std::exchange(stopped_, true))
    for (auto& core : cores_)
      core->stop();
  writer_->arm(self_);
  if (drained_ && stopped_ && quiet && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

consumer_actor::behavior_type
consumer_host(consumer_actor::stateful_pointer<consumer_host_state> self,
              consumer_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tick_atom) { state.tick(); },
    [&state](deliver_atom, const std::string& to, const delivery_ptr& b) {
      state.deliver(to, *b);
    },
    [&state](told_atom, const dead_letter_ref& which) { state.told(which); },
    [&state](operate_atom, const stream_op_ptr& what) { state.operate(*what); },
    [&state](obey_atom, const domain::pause_set_ptr& pauses) {
      state.obey(pauses);
    },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
