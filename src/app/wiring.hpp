// The one place that names every concrete class: opens the store, makes the
// bus, spawns the actors in the order in which they need each other, and takes
// them down in the order in which work flows.
//
// Start: store (or a refusal by name) -> bus -> committer, owners, each
// recovering from its own rows -> gateway. Stop: refuse new work -> finish
// commands -> relay flush -> close the bus -> consumers settle -> actors ->
// store. Each step has a share of the deadline and a log line.
//
// Thread rule: start and stop from one thread. Errors: domain::outcome; the
// death of an owner ends the process with exit code 70.
#pragma once

#include "actors/audit_board.hpp"
#include "actors/gateway.hpp"
#include "actors/interfaces.hpp"
#include "actors/ops_desk.hpp"
#include "actors/round_writer.hpp"
#include "actors/verdict_feed.hpp"
#include "app/config.hpp"
#include "app/consumer_register.hpp"
#include "bus/event_bus.hpp"
#include "bus/hosted.hpp"
#include "domain/consumer_spec.hpp"
#include "storage/store.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <vector>

namespace parcelflow::app {

/// The seams: what production, simulation and tests give differently.
struct seams {
  const support::clock* clock = nullptr; ///< outlives the runtime
  std::uint64_t seed = 0;                ///< of ids and chance
  std::shared_ptr<rocksdb::FileSystem> file_system;
  /// See store_options: who runs the store's background work.
  std::function<std::unique_ptr<rocksdb::Env>(std::unique_ptr<rocksdb::Env>)>
    wrap_env;
  std::function<void(const domain::fault&)> on_storage_failure;
  std::function<void(std::string_view)> on_round; ///< see store_options
  /// Owners on threads of their own; false: on CAF's scheduler (tests).
  bool detached = true;
  /// With detached = false: runs the scheduler until nothing is left to do.
  std::function<void()> run_scheduled;
  /// Fault injection: changes each consumer's spec before it is spawned, and
  /// the bus before anyone knows it. Empty in production.
  std::function<void(domain::consumer_spec&)> adjust_spec;
  std::function<std::unique_ptr<bus::event_bus>(
    std::unique_ptr<bus::event_bus>)>
    wrap_bus;
  /// Names the orders: takes the order owner's id source and gives the one to
  /// use. For tests whose orders have names that were agreed on.
  std::function<std::shared_ptr<support::id_source>(
    std::shared_ptr<support::id_source>)>
    name_orders;
  /// Names the event of an order's sequence; empty, or an empty answer:
  /// domain::own_event_id. For tests as well.
  std::function<std::string(const std::string& order_id, std::uint64_t)>
    name_event;
  /// Called when an owner died; the default ends the process (exit 70).
  std::function<void(const std::string&)> on_owner_death;
};

/// How the actor system of a daemon is set up: owners are detached, so one
/// worker is enough, and an idle one sleeps instead of polling.
void configure_actors(caf::actor_system_config& settings);

class runtime {
public:
  static domain::outcome<std::unique_ptr<runtime>>
  start(caf::actor_system& system, const config& settings, seams with);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Ends what `stop` did not; nothing durable is lost by it.
  ~runtime();

  [[nodiscard]] actors::gateway& gateway() noexcept { return *gateway_; }
  [[nodiscard]] actors::ops_desk& desk() noexcept { return *desk_; }
  [[nodiscard]] storage::store& store() noexcept { return *store_; }
  [[nodiscard]] support::metrics& metrics() noexcept { return metrics_; }
  [[nodiscard]] bus::event_bus& bus() noexcept { return *bus_; }
  /// Counters of the embedded adapter; empty for a broker.
  [[nodiscard]] bus::bus_counters bus_counters() const;
  [[nodiscard]] bool disk_ok() const noexcept { return disk_ok_->load(); }
  /// What the last audit said; for one of now, ask the gateway.
  [[nodiscard]] const actors::audit_board& audits() const noexcept {
    return *audits_;
  }

  /// Returns when every owner has recovered from its rows.
  void await_recovery();

  /// Ends a `stop` under way at once: whatever is not drained is recovered by
  /// the next start. From any thread.
  void hurry();

  /// Drains in order; true if every step was done before the deadline.
  bool stop(std::chrono::milliseconds deadline);

  // For tests that speak to owners directly.
  [[nodiscard]] const actors::order_actor& order_owner() const {
    return order_;
  }
  [[nodiscard]] const actors::inventory_actor& inventory_owner() const {
    return inventory_;
  }
  [[nodiscard]] const actors::relay_actor& relay_owner() const {
    return relay_;
  }
  [[nodiscard]] const actors::consumer_actor& fulfillment_owner() const {
    return fulfillment_;
  }
  [[nodiscard]] const actors::consumer_actor& notification_owner() const {
    return notification_;
  }

private:
  runtime(caf::actor_system& system, config settings, seams with);
  domain::status open();
  void spawn_all();
  void spawn_owners(const actors::commit_way& way);
  void spawn_consumers(const actors::commit_way& way,
                       const std::function<void()>& recovered);
  std::shared_ptr<support::id_source> fresh_ids();
  [[nodiscard]] std::function<void(domain::consumer_spec&)>
  adjust(storage::owner of) const;
  void spawn_ops();
  void watch_deaths();
  void watch_store();
  void exit_all();

  caf::actor_system& system_;
  config settings_;
  seams with_;
  std::uint64_t next_seed_ = 0;
  support::metrics metrics_;
  std::unique_ptr<storage::store> store_;
  std::unique_ptr<bus::event_bus> bus_;
  bus::hosted* host_ = nullptr;
  std::shared_ptr<actors::bus_actor> bus_slot_; ///< who hosts the adapter
  std::shared_ptr<std::atomic<bool>> disk_ok_;
  std::shared_ptr<std::atomic<bool>> stopping_;
  std::shared_ptr<actors::audit_board> audits_;
  std::shared_ptr<std::latch> recovered_;
  std::unique_ptr<actors::gateway> gateway_;
  std::unique_ptr<actors::ops_desk> desk_;
  std::shared_ptr<actors::verdict_feed> feed_;
  std::shared_ptr<consumer_register> consumers_;
  actors::committer_actor committer_;
  actors::bus_actor bus_host_;
  actors::dead_letter_actor dead_letter_;
  actors::planner_actor planner_;
  actors::payment_actor payment_;
  actors::relay_actor relay_;
  actors::inventory_actor inventory_;
  actors::order_actor order_;
  actors::consumer_actor fulfillment_;
  actors::consumer_actor notification_;
  actors::consumer_actor audit_feed_; ///< only if it is configured
  actors::auditor_actor auditor_;
  caf::actor watcher_;
  caf::actor disk_watch_;
};

} // namespace parcelflow::app
