#include "app/wiring_limits.hpp"

namespace parcelflow::app {

storage::store_options store_options_of(const config& of) {
  storage::store_options to;
  to.directory = of.data.directory;
  to.sync = of.storage.sync;
  to.write_buffer_bytes = of.storage.write_buffer_bytes;
  to.wal_bytes_max = of.storage.wal_bytes_max;
  to.mark_sync_ms = of.storage.mark_sync_ms.count();
  return to;
}

bus::bus_options bus_options_of(const config& of) {
  bus::bus_options to;
  to.adapter = of.bus.adapter == adapter_kind::log ? "log" : "memory";
  to.production = of.profile.production;
  to.minimum_durability = static_cast<bus::durability>(
    static_cast<int>(of.bus.minimum_durability) + 1); // config counts from 0
  to.payload_max = of.bus.payload_max_bytes;
  to.faults.duplicate = of.bus.fault_duplicate;
  to.faults.drop = of.bus.fault_drop;
  to.faults.reorder = of.bus.fault_reorder;
  to.faults.delay = of.bus.fault_delay;
  to.faults.fail = of.bus.fault_fail;
  to.faults.fork = of.bus.fault_fork;
  to.faults.garble = of.bus.fault_garble;
  to.log.cache_bytes_max = of.bus.log_cache_bytes_max;
  to.log.synced = of.storage.sync;
  to.log.retention = of.bus.log_retention_hours;
  return to;
}

actors::committer_limits committer_limits_of(const config& of) {
  return {of.storage.batch_rows_max, of.storage.batch_bytes_max};
}

actors::order_limits order_limits_of(const config& of) {
  actors::order_limits to;
  to.inflight_orders_max = of.order.inflight_orders_max;
  to.accept_deadline_ms = of.order.accept_deadline_ms.count();
  to.payment_deadline_ms = of.payment.deadline_ms.count();
  to.payload_bytes_max = of.bus.payload_max_bytes;
  for (const auto& [tenant, version] : of.order.accepted_version)
    to.accepted_version[tenant] = version;
  return to;
}

actors::inventory_limits inventory_limits_of(const config& of) {
  return {of.inventory.reservation_deadline_ms.count(),
          of.inventory.resolve_retry_ms.count()};
}

actors::auditor_limits auditor_limits_of(const config& of) {
  return {of.audit.interval_ms.count(), of.audit.grace_ms.count(),
          of.audit.findings_max};
}

actors::relay_limits relay_limits_of(const config& of) {
  actors::relay_limits to;
  to.batch_events_max = of.relay.batch_events_max;
  to.publish_window = of.relay.publish_window;
  to.hint_bytes_max = of.relay.hint_bytes_max;
  to.held_streams_max = of.relay.held_streams_max;
  to.retry = {of.relay.publish_attempts_max, of.relay.retry_min_ms.count(),
              of.relay.retry_max_ms.count(), of.consumer.retry_jitter_percent};
  to.publish_deadline_ms = of.relay.publish_deadline_ms.count();
  to.poll_max_ms = of.relay.poll_max_ms.count();
  to.environment = of.profile.name;
  return to;
}

actors::consumer_limits consumer_limits_of(const config& of) {
  actors::consumer_limits to;
  to.retry = {of.consumer.attempts_max, of.consumer.retry_min_ms.count(),
              of.consumer.retry_max_ms.count(),
              of.consumer.retry_jitter_percent};
  to.gap_grace_ms = of.consumer.gap_grace_ms.count();
  to.resend_retry_max_ms = of.consumer.resend_retry_max_ms.count();
  to.inbox_inline_max = of.consumer.inbox_inline_max;
  to.in_flight_max = of.consumer.in_flight_max;
  to.environment = of.profile.name;
  return to;
}

actors::replay_limits replay_limits_of(const config& of) {
  actors::replay_limits limits;
  limits.window = of.replay.window;
  limits.replays_max = of.replay.replays_max;
  return limits;
}

actors::planner_limits planner_limits_of(const config& of) {
  actors::planner_limits limits;
  limits.plans_max = of.replay.plans_max;
  limits.items_max = of.replay.plan_items_max;
  limits.life_ms = of.replay.plan_life_ms.count();
  return limits;
}

} // namespace parcelflow::app
