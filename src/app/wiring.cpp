#include "app/wiring.hpp"

#include "actors/auditor.hpp"
#include "actors/bus_host.hpp"
#include "actors/committer.hpp"
#include "actors/consumer_host.hpp"
#include "actors/dead_letter.hpp"
#include "actors/gateway_links.hpp"
#include "actors/inventory.hpp"
#include "actors/order.hpp"
#include "actors/payment.hpp"
#include "actors/relay.hpp"
#include "app/failing_effect.hpp"
#include "app/wiring_limits.hpp"
#include "domain/audit_feed.hpp"
#include "domain/fulfillment.hpp"
#include "domain/notification.hpp"
#include "support/log.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <cstdlib>

namespace parcelflow::app {

namespace log = support::log;
using namespace actors;

namespace {

/// Detached in the daemon, scheduled in tests.
template <class F, class... Args>
auto spawn(caf::actor_system& system, bool detached, F behavior,
           Args&&... arguments) {
  return detached ? system.spawn<caf::detached>(
           behavior, std::forward<Args>(arguments)...)
                  : system.spawn(behavior, std::forward<Args>(arguments)...);
}

/// Those that subscribe: inventory, fulfillment, notification, and more.
std::ptrdiff_t consumers_of(const config& settings) {
  return settings.audit_feed.start == later_start::off ? 3 : 4;
}

void add_supported(domain::consumer_spec& spec, const config& settings) {
  for (const auto& more : settings.consumer.supported)
    if (more.consumer == spec.name)
      spec.supported.push_back({more.type, more.version});
}

/// Whose effects are to fail by configuration do so in front of the real one.
void add_faults(domain::consumer_spec& spec, const config& settings) {
  std::vector<std::string> tenants;
  for (const auto& fault : settings.consumer.fault_fail)
    if (fault.consumer == spec.name)
      tenants.push_back(fault.tenant);
  if (!tenants.empty())
    spec.effect = fail_for(std::move(tenants), std::move(spec.effect));
}

} // namespace

void configure_actors(caf::actor_system_config& settings) {
  settings.set("scheduler.max-threads", std::size_t{1});
  // CAF's stealing worker polls some 700 times a second with nothing to do.
  settings.set("scheduler.policy", caf::atom("sharing"));
}

runtime::runtime(caf::actor_system& system, config settings, seams with)
  : system_(system), settings_(std::move(settings)), with_(std::move(with)),
    next_seed_(with_.seed), bus_slot_(std::make_shared<bus_actor>()),
    disk_ok_(std::make_shared<std::atomic<bool>>(true)),
    stopping_(std::make_shared<std::atomic<bool>>(false)),
    audits_(std::make_shared<audit_board>()),
    recovered_(std::make_shared<std::latch>(consumers_of(settings_))),
    feed_(std::make_shared<verdict_feed>()),
    consumers_(std::make_shared<consumer_register>()) {}

domain::outcome<std::unique_ptr<runtime>>
runtime::start(caf::actor_system& system, const config& settings, seams with) {
  std::unique_ptr<runtime> made(new runtime(system, settings, std::move(with)));
  if (auto opened = made->open(); !opened)
    return opened.why();
  made->spawn_all();
  return made;
}

domain::status runtime::open() {
  auto options = store_options_of(settings_);
  options.file_system = with_.file_system;
  options.wrap_env = with_.wrap_env;
  options.clock = with_.clock;
  options.seed = with_.seed;
  options.on_failure = with_.on_storage_failure;
  options.on_round = with_.on_round;
  auto opened = storage::store::open(std::move(options));
  if (!opened)
    return opened.why();
  store_ = std::move(*opened);
  std::optional<bus::host_side> host;
  if (settings_.bus.adapter == adapter_kind::log)
    host =
      bus::host_side{store_->take(storage::owner::bus), [slot = bus_slot_] {
                       if (*slot)
                         caf::anon_send(*slot, tick_atom::value);
                     }};
  auto bus_settings = bus_options_of(settings_);
  bus_settings.log.uptime = [clock = with_.clock] {
    return std::chrono::milliseconds(clock->steady());
  };
  auto made = bus::make_bus(std::move(bus_settings), std::move(host));
  if (!made)
    return made.why();
  bus_ = std::move(made->bus);
  host_ = made->host;
  if (with_.wrap_bus)
    bus_ = with_.wrap_bus(std::move(bus_));
  log::info("app", "store open",
            {{"directory", settings_.data.directory},
             {"store_id", store_->identity().store_id},
             {"bus", bus_->traits().name}});
  return domain::done();
}

void runtime::spawn_all() {
  commit_way way;
  way.store = store_.get();
  if (settings_.storage.committer == committer_kind::shared)
    way.committer = committer_ =
      spawn(system_, with_.detached, committer, store_.get(),
            committer_limits_of(settings_), &metrics_);
  if (host_ != nullptr) {
    bus_dependencies hosting{way, bus_.get(), host_};
    bus_host_ = spawn(system_, with_.detached, bus_host, std::move(hosting));
    *bus_slot_ = bus_host_;
  }
  spawn_owners(way);
  auto links = std::make_unique<gateway::links>();
  links->order = order_;
  links->inventory = inventory_;
  auditor_ =
    spawn(system_, with_.detached, auditor,
          auditor_dependencies{store_.get(), auditor_limits_of(settings_),
                               with_.clock, &metrics_, audits_});
  links->auditor = auditor_;
  gateway_ = std::make_unique<actors::gateway>(std::move(links));
  spawn_ops();
  watch_deaths();
  watch_store();
}

std::shared_ptr<support::id_source> runtime::fresh_ids() {
  return std::make_shared<support::seeded_id_source>(*with_.clock,
                                                     next_seed_++);
}

/// What configuration and tests add to a spec, and that it is known then.
std::function<void(domain::consumer_spec&)>
runtime::adjust(storage::owner of) const {
  return [=, settings = settings_, hook = with_.adjust_spec,
          known = consumers_](domain::consumer_spec& spec) {
    add_supported(spec, settings);
    add_faults(spec, settings);
    if (hook)
      hook(spec);
    known->add(of, spec);
  };
}

void runtime::spawn_owners(const commit_way& way) {
  const auto recovered = [latch = recovered_] { latch->count_down(); };
  dead_letter_ = spawn(system_, with_.detached, dead_letter,
                       dead_letter_dependencies{
                         store_->take(storage::owner::dead_letter), way,
                         replay_limits_of(settings_), with_.clock, &metrics_});
  payment_ = system_.spawn(fake_payment, with_.clock);
  relay_ =
    spawn(system_, with_.detached, relay,
          relay_dependencies{store_->take(storage::owner::relay), way,
                             relay_limits_of(settings_), with_.clock,
                             fresh_ids(), &metrics_, bus_.get(), dead_letter_});
  inventory_ = spawn(
    system_, with_.detached, inventory,
    inventory_dependencies{
      store_->take(storage::owner::inventory), way,
      inventory_limits_of(settings_), consumer_limits_of(settings_),
      with_.clock, fresh_ids(), &metrics_,
      hosting_links{bus_.get(), dead_letter_, nullptr, recovered, feed_.get()},
      payment_, adjust(storage::owner::inventory)});
  std::shared_ptr<support::id_source> order_ids = fresh_ids();
  if (with_.name_orders)
    order_ids = with_.name_orders(std::move(order_ids));
  order_ =
    spawn(system_, with_.detached, order,
          order_dependencies{store_->take(storage::owner::order), way,
                             order_limits_of(settings_), with_.clock,
                             std::move(order_ids), with_.name_event, &metrics_,
                             disk_ok_, inventory_, payment_, relay_});
  caf::anon_send(inventory_, meet_atom::value, order_);
  spawn_consumers(way, recovered);
}

void runtime::spawn_consumers(const commit_way& way,
                              const std::function<void()>& recovered) {
  const auto host = [&](storage::owner owner,
                        std::vector<domain::consumer_spec> specs) {
    for (auto& spec : specs)
      adjust(owner)(spec);
    return spawn(system_, with_.detached, consumer_host,
                 consumer_dependencies{store_->take(owner),
                                       way,
                                       consumer_limits_of(settings_),
                                       {256, settings_.audit_feed.rate_per_s},
                                       std::move(specs),
                                       with_.clock,
                                       fresh_ids(),
                                       &metrics_,
                                       bus_.get(),
                                       dead_letter_,
                                       order_,
                                       recovered,
                                       feed_.get()});
  };
  fulfillment_ =
    host(storage::owner::fulfillment,
         {domain::fulfillment_spec(), domain::fulfillment_v2_spec()});
  notification_ =
    host(storage::owner::notification, {domain::notification_spec()});
  if (const auto start = settings_.audit_feed.start; start != later_start::off)
    audit_feed_ =
      host(storage::owner::audit_feed,
           {domain::audit_feed_spec(start == later_start::from_now
                                      ? domain::start_at::from_now
                                      : domain::start_at::from_history)});
}

bus::bus_counters runtime::bus_counters() const {
  return host_ != nullptr ? host_->counters() : bus::bus_counters{};
}

bool runtime::stop(std::chrono::milliseconds deadline) {
  stopping_->store(true);
  // It owns nothing and would only compete for the disk with those who drain.
  caf::anon_send_exit(auditor_, caf::exit_reason::user_shutdown);
  const auto end = std::chrono::steady_clock::now() + deadline;
  bool all = true;
  caf::scoped_actor self{system_};
  const auto drain = [&](const char* name, const auto& actor) {
    if (!actor)
      return;
    const auto begin = std::chrono::steady_clock::now();
    const auto left = std::max(
      std::chrono::duration_cast<std::chrono::milliseconds>(end - begin),
      std::chrono::milliseconds(1));
    bool done = false;
    self->request(actor, left, drain_atom::value)
      .receive([&](bool ok) { done = ok; }, [](const caf::error&) {});
    all = all && done;
    const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - begin;
    log::info(
      "app", done ? "drained" : "not drained in time",
      {{"step", name}, {"ms", static_cast<std::int64_t>(took.count())}});
  };
  drain("order", order_);
  drain("relay", relay_);
  drain("bus", bus_host_);
  drain("inventory", inventory_);
  drain("fulfillment", fulfillment_);
  drain("notification", notification_);
  drain("audit_feed", audit_feed_);
  drain("dead_letter", dead_letter_);
  // What consumers settled meanwhile moves the cursors to where they belong.
  drain("cursors", bus_host_);
  return all;
}

void runtime::await_recovery() {
  caf::scoped_actor self{system_};
  // An event-based actor answers CAF's own question once its mailbox comes to
  // it, which is after its init.
  const auto ask = [&](const auto& owner) {
    self
      ->request(caf::actor_cast<caf::actor>(owner), caf::infinite,
                caf::sys_atom::value, caf::get_atom::value, std::string("info"))
      .receive([](const caf::ok_atom&, const std::string&,
                  const caf::strong_actor_ptr&, const std::string&) {},
               [](const caf::error&) {});
  };
  ask(dead_letter_);
  ask(relay_);
  ask(order_);
  recovered_->wait(); // the consumers, which need a round of their own
}

void runtime::hurry() {
  stopping_->store(true);
  const auto end = [](const auto& owner) {
    if (owner)
      caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
  };
  end(order_);
  end(relay_);
  end(bus_host_);
  end(inventory_);
  end(fulfillment_);
  end(notification_);
  end(audit_feed_);
  end(dead_letter_);
}

void runtime::exit_all() {
  stopping_->store(true);
  gateway_.reset();
  desk_.reset();
  caf::scoped_actor self{system_};
  const auto exit = [&](auto& actor) {
    if (!actor)
      return;
    self->send_exit(actor, caf::exit_reason::user_shutdown);
    if (with_.detached)
      self->wait_for(actor);
    actor = nullptr;
  };
  exit(auditor_); // with its snapshot
  exit(watcher_);
  exit(disk_watch_);
  exit(planner_);
  exit(order_);
  exit(payment_);
  exit(relay_);
  exit(inventory_);
  exit(fulfillment_);
  exit(notification_);
  exit(audit_feed_);
  exit(bus_host_);
  exit(dead_letter_);
  exit(committer_);
  if (with_.run_scheduled)
    with_.run_scheduled();
}

runtime::~runtime() {
  if (order_)
    exit_all();
  *bus_slot_ = nullptr;
  bus_.reset();
}

} // namespace parcelflow::app
