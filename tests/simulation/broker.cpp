#include "tests/simulation/broker.hpp"

#include "domain/event.hpp"

#include <algorithm>

namespace parcelflow::simulation {

using domain::failure;
using domain::fault;

/// One subscription of the living connection.
struct outer_broker::line {
  bus::subscription what;
  bus::delivery_sink sink;
  std::map<std::uint64_t, std::size_t> in_flight; ///< token -> entry
};

class outer_broker::connection final : public bus::event_bus {
public:
  connection(outer_broker& of, std::uint64_t epoch)
    : broker_(of), epoch_(epoch) {}

  [[nodiscard]] bus::adapter_traits traits() const override {
    bus::adapter_traits traits;
    traits.name = "simulated";
    traits.durability = bus::durability::fsync;
    return traits;
  }
  void publish(std::string_view, std::vector<bus::offered> batch,
               bus::publish_done done) override {
    if (alive())
      broker_.requests_.push_back({std::move(batch), std::move(done)});
  }
  domain::status subscribe(bus::subscription what,
                           bus::delivery_sink sink) override {
    if (!alive())
      return domain::done();
    auto& to = broker_.lines_[what.consumer];
    if (to)
      return fault{failure::config_invalid, "subscribed already"};
    broker_.books_[what.consumer];
    to = std::make_unique<line>(line{std::move(what), std::move(sink), {}});
    return domain::done();
  }
  void settle(std::string_view, std::string_view consumer,
              std::vector<bus::settled> what) override {
    if (alive())
      broker_.settle(std::string(consumer), what);
  }
  void close(std::function<void()> closed) override { closed(); }

private:
  [[nodiscard]] bool alive() const { return broker_.epoch_ == epoch_; }
  outer_broker& broker_;
  const std::uint64_t epoch_;
};

outer_broker::outer_broker() = default;
outer_broker::~outer_broker() = default;

std::unique_ptr<bus::event_bus> outer_broker::connect() {
  disconnect();
  epoch_ = ++epochs_;
  return std::make_unique<connection>(*this, epoch_);
}

void outer_broker::disconnect() {
  epoch_ = 0;
  requests_.clear();
  replies_.clear();
  lines_.clear();
  unheard_.clear();
}

void outer_broker::set_mood(const broker_mood& mood) {
  mood_ = mood;
  refused_.clear();
  if (mood.settles_cut)
    return;
  // What it never heard settled is delivered again now.
  for (auto& [consumer, at] : lines_)
    for (const auto token : unheard_)
      at->in_flight.erase(token);
  unheard_.clear();
}

void outer_broker::inject(domain::event_ptr event) {
  accepted_.insert(event->envelope.event_id);
  injected_.insert(entries_.size());
  entries_.push_back(std::move(event));
}

bool outer_broker::busy() const {
  if (!requests_.empty() || (!replies_.empty() && !mood_.replies_cut))
    return true;
  return !mood_.deliveries_cut
         && std::any_of(lines_.begin(), lines_.end(), [&](const auto& one) {
              return !deliverable(*one.second).empty();
            });
}

bool outer_broker::pump(chance& draw) {
  if (!requests_.empty() && draw.percent(50)) {
    take_request(draw);
    return true;
  }
  if (!replies_.empty() && !mood_.replies_cut && draw.percent(60)) {
    auto next = std::move(replies_.front());
    replies_.pop_front();
    next.done(std::move(next.results));
    return true;
  }
  if (!lines_.empty() && !mood_.deliveries_cut) {
    auto at = lines_.begin();
    std::advance(at, static_cast<long>(draw.below(lines_.size())));
    if (deliver(*at->second, draw))
      return true;
  }
  return busy();
}

bus::publish_result outer_broker::judge(const bus::offered& one, chance& draw) {
  const auto& id = one.event->envelope.event_id;
  if (refused_.contains(id)
      || (mood_.refuse > 0 && draw.percent(mood_.refuse))) {
    refused_.insert(id);
    ++counters_.refused;
    return fault{failure::bus_refused, "not in this mood"};
  }
  entries_.push_back(one.event);
  accepted_.insert(id);
  ++counters_.accepted;
  return std::to_string(entries_.size());
}

void outer_broker::take_request(chance& draw) {
  auto next = std::move(requests_.front());
  requests_.pop_front();
  std::vector<bus::publish_result> results;
  if (draw.percent(mood_.unreachable)) {
    ++counters_.unreachable;
    for (std::size_t i = 0; i < next.batch.size(); ++i)
      results.emplace_back(fault{failure::bus_unreachable, "no way there"});
  } else {
    auto whole = next.batch.size();
    if (draw.percent(mood_.part)) {
      whole = draw.below(whole + 1);
      ++counters_.partial;
    }
    for (std::size_t i = 0; i < next.batch.size(); ++i)
      results.push_back(i < whole
                          ? judge(next.batch[i], draw)
                          : fault{failure::bus_unreachable, "cut in between"});
    if (draw.percent(mood_.lose_reply)) {
      ++counters_.lost_replies;
      for (auto& one : results)
        one = fault{failure::bus_unknown_outcome, "the reply was lost"};
    }
  }
  replies_.push_back({std::move(next.done), std::move(results)});
}

/// In their order: what this consumer has neither settled nor in its hands.
std::vector<std::size_t> outer_broker::deliverable(const line& of) const {
  std::vector<std::size_t> free;
  if (of.in_flight.size() >= of.what.in_flight_max)
    return free;
  const auto& acked = books_.at(of.what.consumer).acked;
  std::set<std::size_t> held;
  for (const auto& [token, entry] : of.in_flight)
    held.insert(entry);
  // The settled ones are nearly all in front.
  std::size_t from = 0;
  for (const auto entry : acked)
    if (entry == from)
      ++from;
    else
      break;
  for (auto entry = from; entry < entries_.size() && free.size() < 8; ++entry)
    if (!acked.contains(entry) && !held.contains(entry))
      free.push_back(entry);
  return free;
}

bool outer_broker::deliver(line& to, chance& draw) {
  auto free = deliverable(to);
  auto& books = books_.at(to.what.consumer);
  if (draw.percent(mood_.duplicate) && !entries_.empty()) {
    free.insert(free.begin(), draw.below(entries_.size()));
    ++counters_.duplicates;
  }
  if (free.empty())
    return false;
  if (free.size() > 1 && draw.percent(mood_.reorder)) {
    std::swap(free[draw.below(free.size())], free[0]);
    ++counters_.reordered;
  }
  const auto room = to.what.in_flight_max - to.in_flight.size();
  free.resize(std::min({free.size(), room, draw.between(1, 4)}));
  auto batch = std::make_shared<bus::delivery_batch>();
  for (const auto entry : free) {
    bus::delivery one;
    one.event = entries_[entry];
    one.topic = domain::order_topic;
    one.token = next_token_++;
    to.in_flight.emplace(one.token, entry);
    batch->push_back(std::move(one));
    ++books.delivered;
  }
  if (batch->empty())
    return false;
  to.sink(std::move(batch));
  return true;
}

void outer_broker::settle(const std::string& consumer,
                          const std::vector<bus::settled>& what) {
  const auto at = lines_.find(consumer);
  if (at == lines_.end())
    return;
  for (const auto& one : what) {
    const auto held = at->second->in_flight.find(one.token);
    if (held == at->second->in_flight.end())
      continue;
    if (mood_.settles_cut) {
      ++counters_.lost_settles;
      unheard_.insert(one.token);
      continue;
    }
    if (one.how == bus::settlement::ack)
      books_.at(consumer).acked.insert(held->second);
    at->second->in_flight.erase(held);
  }
}

} // namespace parcelflow::simulation
