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
    auto& one = cores_.emplace_back();
    const bool later = spec.added_later;
    one.core = std::make_unique<consumer>(
      std::move(spec), with.limits, writer_->rows(), *with.clock, *with.ids,
      *with.metrics, std::move(ports));
    if (later)
      one.before =
        std::make_unique<history>(*one.core, writer_->rows(), *with.way.store,
                                  *with.clock, *with.metrics, with.walking);
  }
  with_.emplace(std::move(with));
  const auto pauses = pauses_of(*with_->way.store);
  for (auto& one : cores_)
    one.core->start(pauses);
  writer_->rows().when_durable([this] {
    for (auto& one : cores_)
      if (one.core->spec().takes_over.empty())
        subscribe_core(one);
  });
  after();
}

void consumer_host_state::subscribe_core(hosted& one) {
  const bool walks = one.before && !one.before->done();
  auto subscribed =
    subscribe(*with_->bus, *one.core, with_->limits.in_flight_max, walks,
              consumer_actor(self_));
  if (!subscribed)
    support::log::error("consumer", subscribed.why().detail);
  PF_ASSERT(subscribed.ok());
  if (walks) {
    one.before->begin();
    if (one.before->untouched())
      note_start(one);
    alarm_.wake(self_, *with_->clock, 0);
  }
  if (with_->recovered)
    with_->recovered();
}

/// A slice of the time before; the next one after it is durable.
void consumer_host_state::walk(hosted& one) {
  if (!one.before || one.before->done() || drained_ || one.core->is_paused())
    return;
  if (one.before->step(with_->clock->steady())) {
    one.core->deliver(std::exchange(one.waiting, {}));
    return;
  }
  writer_->rows().when_durable([this, due = one.before->due_at()] {
    alarm_.wake(self_, *with_->clock, due - with_->clock->steady());
  });
}

/// Where a later consumer's own time begins stands in the operator log.
void consumer_host_state::note_start(const hosted& one) {
  const auto& spec = one.core->spec();
  const bool all = spec.start == domain::start_at::from_history;
  note_request what;
  what.entry.actor = "system";
  what.entry.verb = "consumer.start";
  what.entry.target = spec.name + (all ? " from_history" : " from_now");
  what.entry.reason = "the outbox up to position "
                      + std::to_string(one.before->upto())
                      + (all ? " is offered to it" : " is before its time");
  self_->send(with_->dead_letters, note_atom::value,
              std::make_shared<const note_request>(std::move(what)));
}

void consumer_host_state::deliver(const std::string& consumer,
                                  const bus::delivery_batch& batch) {
  auto& to = get(consumer);
  if (to.before && !to.before->done())
    to.waiting.insert(to.waiting.end(), batch.begin(), batch.end());
  else
    to.core->deliver(batch);
  after();
}

consumer_host_state::hosted*
consumer_host_state::find(const std::string& wanted) {
  const auto at =
    std::find_if(cores_.begin(), cores_.end(), [&](const auto& one) {
      return one.core->spec().name == wanted;
    });
  return at == cores_.end() ? nullptr : &*at;
}

consumer_host_state::hosted&
consumer_host_state::get(const std::string& wanted) {
  auto* one = find(wanted);
  PF_ASSERT(one != nullptr);
  return *one;
}

void consumer_host_state::operate(const stream_op& what) {
  auto* core = &core_for(what.consumer);
  if (what.what == stream_op::verb::redirect) {
    auto* to = find(what.to_consumer);
    if (to != nullptr && to->core.get() != core)
      core->redirect(what, *to->core);
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
  for (auto& one : cores_)
    one.core->obey(pauses);
  alarm_.wake(self_, *with_->clock, 0);
  after();
}

void consumer_host_state::told(const dead_letter_ref& which) {
  core_for(which.consumer)
    .told(which.tenant_id, which.dead_letter_id, which.generation,
          which.waived);
  after();
}

void consumer_host_state::durable() {
  writer_->rows().round_done();
  after();
}

void consumer_host_state::tick() {
  alarm_.rang();
  for (auto& one : cores_) {
    walk(one);
    one.core->step();
  }
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
                [](const auto& one) { return one.core->quiet(); });
  // The stop is clean only if nothing was left to run.
  if (drained_ && quiet && writer_->idle() && !std::exchange(stopped_, true))
    for (auto& one : cores_)
      one.core->stop();
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
