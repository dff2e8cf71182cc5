// The rest of the wiring: responders' desk, and who watches the owners.
#include "actors/ops_desk_links.hpp"
#include "actors/planner.hpp"
#include "app/wiring.hpp"
#include "app/wiring_limits.hpp"
#include "domain/audit_feed.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "support/log.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <cstdlib>

namespace parcelflow::app {

namespace log = support::log;
using namespace actors;

/// The dead-letter owner meets whom it asks; responders get their desk.
void runtime::spawn_ops() {
  auto neighbours = std::make_shared<ops_neighbours>();
  const auto add = [&](std::string_view consumer, const auto& owner) {
    neighbours->consumers.emplace(consumer, [owner](stream_op_ptr what) {
      caf::anon_send(owner, operate_atom::value, std::move(what));
    });
  };
  add(domain::inventory_consumer, inventory_);
  add(domain::fulfillment_consumer, fulfillment_);
  add(domain::fulfillment_v2_consumer, fulfillment_);
  add(domain::notification_consumer, notification_);
  add(domain::publish_consumer, relay_);
  if (audit_feed_)
    add(domain::audit_feed_consumer, audit_feed_);
  neighbours->resend = [order = order_](const resend_request& what) {
    caf::anon_send(order, resend_atom::value, what);
  };
  neighbours->obey = [=, this](const domain::pause_set_ptr& pauses) {
    caf::anon_send(relay_, obey_atom::value, pauses);
    caf::anon_send(inventory_, obey_atom::value, pauses);
    caf::anon_send(fulfillment_, obey_atom::value, pauses);
    caf::anon_send(notification_, obey_atom::value, pauses);
    if (audit_feed_)
      caf::anon_send(audit_feed_, obey_atom::value, pauses);
  };
  caf::anon_send(dead_letter_, meet_atom::value,
                 neighbours_ptr(std::move(neighbours)));
  planner_dependencies planning{
    store_.get(),
    planner_limits_of(settings_),
    with_.clock,
    std::make_shared<support::seeded_id_source>(*with_.clock, ~with_.seed),
    [known = consumers_](std::string_view name) { return known->find(name); },
    dead_letter_};
  planner_ = with_.detached
               ? system_.spawn<caf::detached>(planner, std::move(planning))
               : system_.spawn(planner, std::move(planning));
  auto links = std::make_unique<ops_desk::links>();
  links->dead_letters = dead_letter_;
  links->planner = planner_;
  links->feed = feed_;
  desk_ = std::make_unique<actors::ops_desk>(std::move(links));
}

/// The death of an actor that owns rows ends the process: nothing more is
/// acknowledged, and the restart recovers.
void runtime::watch_deaths() {
  auto on_death = with_.on_owner_death;
  if (!on_death)
    on_death = [](const std::string&) { std::_Exit(70); };
  watcher_ = system_.spawn([=, this](caf::event_based_actor* self) {
    for (const auto& one : {caf::actor_cast<caf::actor>(order_),
                            caf::actor_cast<caf::actor>(inventory_),
                            caf::actor_cast<caf::actor>(relay_),
                            caf::actor_cast<caf::actor>(fulfillment_),
                            caf::actor_cast<caf::actor>(notification_),
                            caf::actor_cast<caf::actor>(audit_feed_),
                            caf::actor_cast<caf::actor>(dead_letter_),
                            caf::actor_cast<caf::actor>(planner_),
                            caf::actor_cast<caf::actor>(bus_host_),
                            caf::actor_cast<caf::actor>(committer_)})
      if (one)
        self->monitor(one);
    self->set_down_handler(
      [on_death, stopping = stopping_, &system = system_](caf::down_msg& m) {
        if (stopping->load())
          return;
        const auto reason = system.render(m.reason);
        log::error("app", "an owner died", {{"reason", reason}});
        on_death(reason);
      });
    return caf::behavior{[](tick_atom) {}};
  });
}

/// Once a period: is there room on the disk, and is the mark of what was
/// acknowledged on stable storage although no round came since.
void runtime::watch_store() {
  const auto period = settings_.storage.free_space_check_ms;
  const auto least = settings_.storage.free_space_min_bytes;
  disk_watch_ = system_.spawn([=, this](caf::event_based_actor* self) {
    const auto look = [ok = disk_ok_, least, store = store_.get()] {
      store->sync_mark();
      const auto free = store->free_bytes();
      if (ok->exchange(free >= least) != (free >= least))
        log::warning("app",
                     free >= least ? "disk space is back"
                                   : "disk nearly full: new orders refused",
                     {{"free_bytes", free}, {"least_bytes", least}});
    };
    look();
    self->delayed_send(self, period, tick_atom::value);
    return caf::behavior{[=](tick_atom) {
      look();
      self->delayed_send(self, period, tick_atom::value);
    }};
  });
}

} // namespace parcelflow::app
