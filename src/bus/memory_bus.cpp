#include "bus/memory_bus.hpp"

#include "bus/payload_rule.hpp"

#include <limits>

namespace parcelflow::bus {

struct memory_bus::topic_log {
  std::string name;
  std::uint64_t last = 0;
  recent_log events{std::numeric_limits<std::size_t>::max()};
  std::vector<std::unique_ptr<consumer_line>> lines;
};

memory_bus::memory_bus(memory_bus_options options)
  : options_(options), inbox_([this] { work(); }) {}

memory_bus::~memory_bus() = default;

adapter_traits memory_bus::traits() const {
  adapter_traits traits;
  traits.name = "memory";
  traits.durability = durability::memory;
  traits.ordered_per_key = true;
  traits.atomic_batch = true;
  traits.redelivers_unsettled = false; // it cannot be opened again
  traits.payload_max = options_.payload_max;
  return traits;
}

void memory_bus::publish(std::string_view topic, std::vector<offered> batch,
                         publish_done done) {
  inbox_.publish(topic, std::move(batch), std::move(done));
}

domain::status memory_bus::subscribe(subscription what, delivery_sink sink) {
  return inbox_.subscribe(std::move(what), std::move(sink));
}

void memory_bus::settle(std::string_view topic, std::string_view consumer,
                        std::vector<settled> what) {
  inbox_.settle(topic, consumer, std::move(what));
}

void memory_bus::close(std::function<void()> closed) {
  inbox_.close(std::move(closed));
}

/// Runs on the thread that woke the inbox; calls that come meanwhile, from
/// sinks too, only queue up, so this never runs twice at a time.
void memory_bus::work() {
  for (auto calls = inbox_.take_or_rest(); !calls.empty();
       calls = inbox_.take_or_rest()) {
    for (auto& call : calls)
      std::visit([this](auto& one) { handle(one); }, call);
    while (deliver()) {
    }
  }
}

void memory_bus::handle(publish_call& call) {
  if (auto refused = refuse_oversize(call.batch, options_.payload_max))
    return call.done(*std::move(refused));
  const auto count = call.batch.size();
  auto& to = topic(call.topic);
  const auto first = to.last + 1;
  if (count > 0)
    to.events.append(first, std::move(call.batch));
  to.last += count;
  call.done(accepted_from(first, count));
}

void memory_bus::handle(subscribe_call& call) {
  if (closing_)
    return;
  auto& of = topic(call.what.topic);
  const auto start = call.what.from_now ? of.last : 0;
  of.lines.push_back(std::make_unique<consumer_line>(
    std::move(call.what), std::move(call.sink), start));
}

void memory_bus::handle(settle_call& call) {
  const auto at = topics_.find(call.topic);
  if (at == topics_.end())
    return;
  for (auto& line : at->second->lines)
    if (line->what().consumer == call.consumer)
      line->settle(call.what);
}

void memory_bus::handle(close_call& call) {
  closing_ = true;
  call.closed();
}

bool memory_bus::deliver() {
  bool more = false;
  if (closing_)
    return more;
  for (auto& [name, of] : topics_)
    for (auto& line : of->lines)
      more |=
        line->deliver(of->last, options_.delivery_events_max,
                      [&from = *of](auto at, auto count, auto& out) {
                        return from.events.read(at, count, from.name, out);
                      });
  return more;
}

memory_bus::topic_log& memory_bus::topic(const std::string& name) {
  auto& at = topics_[name];
  if (!at) {
    at = std::make_unique<topic_log>();
    at->name = name;
  }
  return *at;
}

} // namespace parcelflow::bus
