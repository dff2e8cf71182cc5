// An actor system on CAF's test coordinator: no thread, no time of its own.
// What actors do happens inside `run`, in the order of their messages; delays
// pass inside `pass`.
// Thread rule: the test's thread.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace parcelflow::test {

struct coordinator_config : caf::actor_system_config {
  coordinator_config() { set("scheduler.policy", caf::atom("testing")); }
};

class stage {
public:
  /// Until no actor has anything to do.
  void run() { scheduler_.run(); }
  void pass(std::chrono::milliseconds time) {
    scheduler_.advance_time(time);
    run();
  }
  template <class... Args>
  auto spawn(Args&&... args) {
    return system_.spawn(std::forward<Args>(args)...);
  }

  /// Asks as another actor would; the slot fills when the answer comes.
  template <class Actor, class Atom>
  std::shared_ptr<std::optional<bool>> ask(const Actor& whom, Atom what) {
    auto slot = std::make_shared<std::optional<bool>>();
    system_.spawn([=](caf::event_based_actor* self) {
      self->request(whom, caf::infinite, what).then([slot](bool answer) {
        *slot = answer;
      });
    });
    return slot;
  }

private:
  coordinator_config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& scheduler_{
    dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())};
};

} // namespace parcelflow::test
