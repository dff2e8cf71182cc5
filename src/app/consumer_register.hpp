// Which consumers this process has, whose rows they keep and what they take,
// as their specs ended up. Hosts fill it at their start; the planner asks.
// Owner: wiring. Thread rule: any thread.
#pragma once

#include "domain/consumer_spec.hpp"
#include "storage/forecast.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::app {

class consumer_register {
public:
  void add(storage::owner of, const domain::consumer_spec& spec) {
    const std::lock_guard hold(mutex_);
    places_[spec.name] = {of, spec.supported};
  }
  [[nodiscard]] std::optional<storage::consumer_facts>
  find(std::string_view consumer) const {
    const std::lock_guard hold(mutex_);
    const auto at = places_.find(consumer);
    return at == places_.end() ? std::nullopt : std::optional(at->second);
  }

private:
  mutable std::mutex mutex_;
  std::map<std::string, storage::consumer_facts, std::less<>> places_;
};

} // namespace parcelflow::app
