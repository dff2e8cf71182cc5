#include "bus/log_bus.hpp"

#include "bus/payload_rule.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"

namespace parcelflow::bus {

log_bus::log_bus(storage::family rows, log_bus_options options,
                 std::function<void()> wake)
  : options_(std::move(options)), rows_(std::move(rows)),
    inbox_(std::move(wake)) {
  PF_ASSERT(rows_.who() == storage::owner::bus);
  PF_ASSERT(options_.delivery_events_max >= 1);
  PF_ASSERT(options_.trim_step_events >= 1);
}

log_bus::~log_bus() {
  for (auto& call : inbox_.take())
    if (auto* publish = std::get_if<publish_call>(&call))
      publish->done(all_failed(publish->batch.size(),
                               domain::failure::bus_closed, "the bus is gone"));
}

adapter_traits log_bus::traits() const {
  adapter_traits traits;
  traits.name = "log";
  traits.durability =
    options_.synced ? durability::fsync : durability::page_cache;
  traits.ordered_per_key = true;
  traits.atomic_batch = true;
  traits.redelivers_unsettled = true;
  traits.payload_max = options_.payload_max;
  return traits;
}

void log_bus::publish(std::string_view topic, std::vector<offered> batch,
                      publish_done done) {
  inbox_.publish(topic, std::move(batch), std::move(done));
}

domain::status log_bus::subscribe(subscription what, delivery_sink sink) {
  return inbox_.subscribe(std::move(what), std::move(sink));
}

void log_bus::settle(std::string_view topic, std::string_view consumer,
                     std::vector<settled> what) {
  inbox_.settle(topic, consumer, std::move(what));
}

void log_bus::close(std::function<void()> closed) {
  inbox_.close(std::move(closed));
}

void log_bus::step() {
  staged_ = false;
  for (auto& call : inbox_.take())
    std::visit([this](auto& one) { handle(one); }, call);
  for (auto& [name, topic] : topics_) {
    topic->stage_cursors();
    topic->trim();
  }
  if (staged_)
    rows_.when_durable([this] { deliver(); });
  deliver();
}

void log_bus::handle(publish_call& call) {
  if (auto refused = refuse_oversize(call.batch, options_.payload_max))
    return call.done(*std::move(refused));
  if (call.batch.empty())
    return call.done({});
  auto& to = topic(call.topic);
  const auto first = to.stage(call.batch);
  staged_ = true;
  // std::function copies; the batch must not be copied with it.
  auto shared = std::make_shared<publish_call>(std::move(call));
  rows_.when_durable([this, &to, first, shared] {
    support::fault_point("bus.after_append");
    auto accepted = accepted_from(first, shared->batch.size());
    appended_ += accepted.size();
    to.became_durable(first, std::move(shared->batch));
    shared->done(std::move(accepted));
  });
}

void log_bus::handle(subscribe_call& call) {
  if (!closing_)
    topic(call.what.topic)
      .subscribe(std::move(call.what), std::move(call.sink));
}

void log_bus::handle(settle_call& call) {
  const auto at = topics_.find(call.topic);
  if (at != topics_.end())
    at->second->settle(call.consumer, call.what);
}

void log_bus::handle(close_call& call) {
  closing_ = true;
  for (auto& [name, topic] : topics_)
    topic->stage_cursors_urgently();
  rows_.when_durable(std::move(call.closed));
}

log_topic& log_bus::topic(const std::string& name) {
  auto& at = topics_[name];
  if (!at)
    at = std::make_unique<log_topic>(name, rows_, options_);
  return *at;
}

void log_bus::deliver() {
  bool more = false;
  if (!closing_)
    for (auto& [name, topic] : topics_)
      more |= topic->deliver();
  publish_counters();
  if (more)
    inbox_.wake_again();
}

void log_bus::publish_counters() {
  bus_counters now;
  now.appended = appended_;
  for (const auto& [name, topic] : topics_)
    topic->count(now);
  const std::scoped_lock lock(counters_mutex_);
  counters_ = std::move(now);
}

bus_counters log_bus::counters() const {
  const std::scoped_lock lock(counters_mutex_);
  return counters_;
}

} // namespace parcelflow::bus
