#include "bus/faulty_bus.hpp"

#include "codec/event_json.hpp"

#include <optional>
#include <utility>

namespace parcelflow::bus {

using domain::failure;

struct faulty_bus::books {
  std::mutex mutex;
  std::uint64_t seen = 0;
  bus_faults happened;
  bool closing = false; // the inner bus refuses, and no fault may say other
  std::map<std::string, std::vector<offered>, std::less<>> delayed;
};

/// What becomes of one batch.
struct faulty_bus::plan {
  /// An event on its way, and whose answer it brings; no index: nobody's.
  struct passed {
    offered event;
    std::optional<std::size_t> index;
  };
  std::vector<passed> pass;
  std::vector<std::optional<publish_result>> results; // set: decided here
  std::vector<std::size_t> to_swap;                   // indices of the batch
  std::vector<offered> delayed;

  void judge(std::vector<offered>& batch, const bus_faults& every,
             books& counted);
  void swap_neighbours(std::uint64_t& happened);
  [[nodiscard]] std::vector<offered> events() const;
  [[nodiscard]] std::vector<publish_result>
  merged(const std::vector<publish_result>& inner) const;
  [[nodiscard]] std::vector<offered>
  to_delay_again(const std::vector<publish_result>& inner) const;
};

namespace {

bool meets(std::uint64_t seen, std::uint64_t every, std::uint64_t& happened) {
  if (every == 0 || seen % every != 0)
    return false;
  ++happened;
  return true;
}

std::string id_of(std::string_view fault, std::uint64_t seen) {
  return std::string(fault) + "-" + std::to_string(seen);
}

/// The same for the same event, so that offered again it is known.
offered rival_of(const offered& one) {
  auto rival = one.event->envelope;
  rival.event_id.insert(0, "rival-");
  return {codec::make_event(std::move(rival)), one.offer};
}

void garble(delivery& one) {
  const auto& whole = one.event->bytes;
  one.raw =
    std::make_shared<const std::string>(whole.substr(0, whole.size() / 2));
  one.why = codec::decode_event(*one.raw).why();
  one.event = nullptr;
}

/// The batch with every n-th event garbled; the one that came if none is.
std::shared_ptr<const delivery_batch>
garbled(const std::shared_ptr<const delivery_batch>& came, std::uint64_t every,
        std::uint64_t& seen, std::uint64_t& happened) {
  std::shared_ptr<delivery_batch> copy;
  for (std::size_t i = 0; i < came->size(); ++i) {
    if (!(*came)[i].event || !meets(++seen, every, happened))
      continue;
    if (!copy)
      copy = std::make_shared<delivery_batch>(*came);
    garble((*copy)[i]);
  }
  return copy ? copy : came;
}

} // namespace

void faulty_bus::plan::judge(std::vector<offered>& batch,
                             const bus_faults& every, books& counted) {
  results.resize(batch.size());
  auto& happened = counted.happened;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto seen = ++counted.seen;
    if (meets(seen, every.fail, happened.fail)) {
      for (; i < batch.size(); ++i)
        results[i] = publish_result(failure::bus_unreachable,
                                    "a fault broke the publish here");
    } else if (meets(seen, every.drop, happened.drop)) {
      results[i] = publish_result(id_of("dropped", seen));
    } else if (meets(seen, every.delay, happened.delay)) {
      results[i] = publish_result(id_of("delayed", seen));
      delayed.push_back(std::move(batch[i]));
    } else if (meets(seen, every.fork, happened.fork)) {
      pass.push_back({batch[i], i});
      pass.push_back({rival_of(batch[i]), std::nullopt});
    } else if (meets(seen, every.duplicate, happened.duplicate)) {
      pass.push_back({batch[i], i});
      pass.push_back({std::move(batch[i]), i});
    } else {
      if (every.reorder != 0 && seen % every.reorder == 0)
        to_swap.push_back(pass.size());
      pass.push_back({std::move(batch[i]), i});
    }
  }
}

void faulty_bus::plan::swap_neighbours(std::uint64_t& happened) {
  if (pass.size() < 2)
    return;
  for (const auto at : to_swap) {
    const auto other = at + 1 < pass.size() ? at + 1 : at - 1;
    std::swap(pass[at], pass[other]);
    ++happened;
  }
}

std::vector<offered> faulty_bus::plan::events() const {
  std::vector<offered> events;
  events.reserve(pass.size());
  for (const auto& one : pass)
    events.push_back(one.event);
  return events;
}

/// One answer an event, in the order offered: accepted if either of two was.
std::vector<publish_result>
faulty_bus::plan::merged(const std::vector<publish_result>& inner) const {
  auto all = results;
  for (std::size_t i = 0; i < pass.size() && i < inner.size(); ++i)
    if (pass[i].index) {
      auto& slot = all[*pass[i].index];
      if (!slot || !slot->ok())
        slot = inner[i];
    }
  std::vector<publish_result> merged;
  merged.reserve(all.size());
  for (auto& one : all)
    merged.push_back(one ? *std::move(one)
                         : publish_result(failure::bus_unknown_outcome,
                                          "the adapter left it unanswered"));
  return merged;
}

std::vector<offered> faulty_bus::plan::to_delay_again(
  const std::vector<publish_result>& inner) const {
  std::vector<offered> again;
  for (std::size_t i = 0; i < pass.size() && i < inner.size(); ++i)
    if (!pass[i].index && !inner[i].ok()
        && inner[i].why().code != failure::bus_refused)
      again.push_back(pass[i].event);
  return again;
}

faulty_bus::faulty_bus(std::unique_ptr<event_bus> inner, bus_faults every)
  : inner_(std::move(inner)), every_(every), books_(std::make_shared<books>()) {
}

faulty_bus::~faulty_bus() = default;

adapter_traits faulty_bus::traits() const {
  auto traits = inner_->traits();
  if (every_.fail != 0)
    traits.atomic_batch = false;
  if ((every_.drop | every_.delay | every_.reorder) != 0)
    traits.ordered_per_key = false;
  if (every_.any())
    traits.name += "+faults";
  return traits;
}

void faulty_bus::publish(std::string_view topic, std::vector<offered> batch,
                         publish_done done) {
  auto what = std::make_shared<plan>();
  {
    const std::scoped_lock lock(books_->mutex);
    const bus_faults none;
    what->judge(batch, books_->closing ? none : every_, *books_);
    what->swap_neighbours(books_->happened.reorder);
    auto& delayed = books_->delayed[std::string(topic)];
    for (auto& one : delayed)
      what->pass.push_back({std::move(one), std::nullopt});
    delayed = std::move(what->delayed);
  }
  if (what->pass.empty() && !batch.empty())
    return done(what->merged({}));
  inner_->publish(
    topic, what->events(),
    [what, books = books_, name = std::string(topic),
     done = std::move(done)](const std::vector<publish_result>& inner) {
      auto again = what->to_delay_again(inner);
      if (!again.empty()) {
        const std::scoped_lock lock(books->mutex);
        auto& delayed = books->delayed[name];
        delayed.insert(delayed.end(), again.begin(), again.end());
      }
      done(what->merged(inner));
    });
}

domain::status faulty_bus::subscribe(subscription what, delivery_sink sink) {
  if (every_.garble == 0)
    return inner_->subscribe(std::move(what), std::move(sink));
  auto counting = [books = books_, every = every_.garble,
                   sink = std::move(sink),
                   seen = std::make_shared<std::uint64_t>(0)](auto came) {
    {
      const std::scoped_lock lock(books->mutex);
      came = garbled(came, every, *seen, books->happened.garble);
    }
    sink(std::move(came));
  };
  return inner_->subscribe(std::move(what), std::move(counting));
}

void faulty_bus::settle(std::string_view topic, std::string_view consumer,
                        std::vector<settled> what) {
  inner_->settle(topic, consumer, std::move(what));
}

void faulty_bus::close(std::function<void()> closed) {
  decltype(books_->delayed) rest;
  {
    const std::scoped_lock lock(books_->mutex);
    books_->closing = true;
    rest.swap(books_->delayed);
  }
  for (auto& [topic, events] : rest)
    if (!events.empty())
      inner_->publish(topic, std::move(events), [](auto&&) {});
  inner_->close(std::move(closed));
}

bus_faults faulty_bus::happened() const {
  const std::scoped_lock lock(books_->mutex);
  return books_->happened;
}

} // namespace parcelflow::bus
