// How an owner actor hosts consumer cores: the ports of a core, wired to the
// actor's mailbox, the bus and the other owners. Each host calls
// `hosted_after` at the end of its handlers.
// Thread rule: the host's thread.
#pragma once

#include "actors/consumer.hpp"
#include "actors/interfaces.hpp"
#include "storage/pauses.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace parcelflow::actors {

/// What every hosted core shares with the world.
struct hosting_links {
  bus::event_bus* bus = nullptr;
  dead_letter_actor dead_letters;
  std::function<void(resend_request)> resend; ///< to the order owner
  /// A core has recovered and takes deliveries; once a core. May be empty.
  std::function<void()> recovered;
  verdict_feed* feed = nullptr; ///< outlives the host
};

/// One timer for everything an actor waits for; zero timers when idle. It
/// knows every tick that is on its way, so that a tick that was overtaken by
/// an earlier one is not sent again and again.
class host_alarm {
public:
  /// A tick within `pause` milliseconds; zero or less: at once.
  template <class Self>
  void wake(Self* self, const support::clock& clock, unix_ms pause) {
    const auto at = clock.steady() + std::max<unix_ms>(pause, 0);
    if (!coming_.empty() && *coming_.begin() <= at)
      return;
    coming_.insert(at);
    if (pause <= 0)
      self->send(self, tick_atom::value);
    else
      self->delayed_send(self, std::chrono::milliseconds(pause),
                         tick_atom::value);
  }
  void rang() {
    if (!coming_.empty())
      coming_.erase(coming_.begin());
  }

private:
  std::set<unix_ms> coming_; ///< when ticks are due, on the steady clock
};

template <class Self>
consumer_ports ports_of(Self* self, const hosting_links& links,
                        const domain::consumer_spec& spec, host_alarm& alarm,
                        const support::clock& clock) {
  consumer_ports ports;
  const std::string name = spec.name;
  const std::string topic = spec.topics.front();
  // What was forwarded is settled by the subscription it came by.
  const std::string subscriber =
    spec.takes_over.empty() ? name : spec.takes_over;
  ports.settle = [bus = links.bus, topic,
                  name = subscriber](std::vector<bus::settled> s) {
    bus->settle(topic, name, std::move(s));
  };
  ports.tell_dead_letter = [self, to = links.dead_letters, name](tell what) {
    self->send(to, tell_atom::value,
               std::make_shared<const dead_letter_tell>(dead_letter_tell{
                 std::move(what.tenant_id), std::move(what.dead_letter_id),
                 name, what.generation, std::move(what.row)}),
               told_listener(self));
  };
  ports.seen_again = [self, to = links.dead_letters, name](std::string tenant,
                                                           std::string id) {
    self->send(to, again_atom::value,
               dead_letter_ref{std::move(tenant), std::move(id), name, 0});
  };
  ports.feed = links.feed;
  ports.ask_resend = [resend = links.resend,
                      name](const missing_range& missing) {
    resend({name,
            missing.stream.first,
            missing.stream.second,
            missing.from,
            missing.to,
            {}});
  };
  ports.wake = [self, &alarm, &clock](unix_ms pause) {
    alarm.wake(self, clock, pause);
  };
  return ports;
}

/// What is paused as of now; for owners at their start.
inline domain::pause_set_ptr pauses_of(const storage::store& store) {
  auto set = storage::read_pauses(store.read());
  if (!set)
    storage::corrupt_row("pause", set.why());
  return std::make_shared<const domain::pause_set>(*std::move(set));
}

/// Subscribes a started core: its deliveries become messages to the host.
/// `from_now`: if it never subscribed before, it begins at the end.
template <class Handle>
domain::status subscribe(bus::event_bus& bus, const consumer& core,
                         std::size_t in_flight_max, bool from_now,
                         const Handle& host) {
  for (const auto& topic : core.spec().topics) {
    bus::subscription what;
    what.topic = topic;
    what.consumer = core.spec().name;
    what.in_flight_max = in_flight_max;
    what.from_now = from_now;
    const std::string name = what.consumer;
    auto done =
      bus.subscribe(std::move(what), [host, name](delivery_ptr batch) {
        caf::anon_send(host, deliver_atom::value, name, std::move(batch));
      });
    if (!done)
      return done;
  }
  return domain::done();
}

} // namespace parcelflow::actors
