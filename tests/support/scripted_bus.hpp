// A bus that refuses or cannot be reached, as a test says, around a real one.
// Thread rule: that of the test coordinator: one thread.
#pragma once

#include "app/wiring.hpp"
#include "bus/event_bus.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

/// What the test decides; it outlives the bus.
struct bus_script {
  /// Nothing: the event is passed on.
  std::function<std::optional<domain::fault>(const bus::offered&)> judge;
  /// A batch is accepted whole or not at all, as the log does it.
  bool whole = false;
  /// Every offer in its order: event id, and whether it was passed on.
  std::vector<std::pair<std::string, bool>> offers;

  [[nodiscard]] std::function<void(app::seams&)> inject();
};

class scripted_bus final : public bus::event_bus {
public:
  scripted_bus(std::unique_ptr<bus::event_bus> inner, bus_script& script)
    : inner_(std::move(inner)), script_(script) {}

  [[nodiscard]] bus::adapter_traits traits() const override {
    auto traits = inner_->traits();
    traits.atomic_batch = script_.whole;
    return traits;
  }
  void publish(std::string_view topic, std::vector<bus::offered> batch,
               bus::publish_done done) override {
    std::vector<std::optional<domain::fault>> faults;
    bool any = false;
    for (const auto& one : batch) {
      faults.push_back(script_.judge ? script_.judge(one) : std::nullopt);
      any = any || faults.back();
    }
    std::vector<bus::offered> passed;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (script_.whole && any && !faults[i])
        faults[i] = domain::fault{domain::failure::bus_unreachable,
                                  "another event of the batch was refused"};
      script_.offers.emplace_back(batch[i].event->envelope.event_id,
                                  !faults[i]);
      if (!faults[i])
        passed.push_back(std::move(batch[i]));
    }
    inner_->publish(topic, std::move(passed),
                    [faults = std::move(faults), done = std::move(done)](
                      const std::vector<bus::publish_result>& inner) {
                      std::vector<bus::publish_result> all;
                      std::size_t next = 0;
                      for (const auto& fault : faults)
                        if (fault)
                          all.emplace_back(*fault);
                        else
                          all.push_back(inner.at(next++));
                      done(std::move(all));
                    });
  }
  domain::status subscribe(bus::subscription what,
                           bus::delivery_sink sink) override {
    return inner_->subscribe(std::move(what), std::move(sink));
  }
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<bus::settled> what) override {
    inner_->settle(topic, consumer, std::move(what));
  }
  void close(std::function<void()> closed) override {
    inner_->close(std::move(closed));
  }

private:
  std::unique_ptr<bus::event_bus> inner_;
  bus_script& script_;
};

inline std::function<void(app::seams&)> bus_script::inject() {
  return [this](app::seams& with) {
    with.wrap_bus = [this](std::unique_ptr<bus::event_bus> inner) {
      return std::make_unique<scripted_bus>(std::move(inner), *this);
    };
  };
}

} // namespace parcelflow::test
