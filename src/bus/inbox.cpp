#include "bus/inbox.hpp"

namespace parcelflow::bus {

using domain::failure;

std::vector<publish_result> all_failed(std::size_t events, failure code,
                                       std::string_view why) {
  return {events, publish_result(code, std::string(why))};
}

bool inbox::push(bus_call&& call) {
  {
    const std::scoped_lock lock(mutex_);
    // What was delivered before may still be settled: it moves the cursors.
    if (closing_ && !std::holds_alternative<close_call>(call)
        && !std::holds_alternative<settle_call>(call))
      return false;
    closing_ = closing_ || std::holds_alternative<close_call>(call);
    calls_.push_back(std::move(call));
    if (std::exchange(awake_, true))
      return true;
  }
  wake_();
  return true;
}

void inbox::publish(std::string_view topic, std::vector<offered> batch,
                    publish_done done) {
  bus_call call =
    publish_call{std::string(topic), std::move(batch), std::move(done)};
  if (push(std::move(call)))
    return;
  const auto& refused = std::get<publish_call>(call); // it was not taken
  refused.done(
    all_failed(refused.batch.size(), failure::bus_closed, "the bus is closed"));
}

domain::status inbox::subscribe(subscription what, delivery_sink sink) {
  if (what.topic.empty() || what.consumer.empty() || what.in_flight_max == 0)
    return {failure::config_invalid,
            "a subscription names a topic and a consumer, and may have at "
            "least one event in flight"};
  {
    const std::scoped_lock lock(mutex_);
    if (!subscribed_.emplace(what.topic, what.consumer).second)
      return {failure::config_invalid, "consumer \"" + what.consumer
                                         + "\" is subscribed to \"" + what.topic
                                         + "\" already"};
  }
  if (!push(subscribe_call{std::move(what), std::move(sink)}))
    return {failure::bus_closed, "the bus is closed"};
  return domain::done();
}

void inbox::settle(std::string_view topic, std::string_view consumer,
                   std::vector<settled> what) {
  push(settle_call{std::string(topic), std::string(consumer), std::move(what)});
}

void inbox::close(std::function<void()> closed) {
  push(close_call{std::move(closed)});
}

std::vector<bus_call> inbox::take() {
  const std::scoped_lock lock(mutex_);
  awake_ = false;
  return std::exchange(calls_, {});
}

std::vector<bus_call> inbox::take_or_rest() {
  const std::scoped_lock lock(mutex_);
  awake_ = !calls_.empty();
  return std::exchange(calls_, {});
}

void inbox::wake_again() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(awake_, true))
      return;
  }
  wake_();
}

} // namespace parcelflow::bus
