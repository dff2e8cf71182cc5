#include "app/settings_table.hpp"

#include "app/setting_rows.hpp"

namespace parcelflow::app {

namespace {

using namespace rows;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t gib = 1024 * mib;
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t ten_years_hours = 10 * 365 * 24;

// A row's key is spelled once: it is the path of the member.
#define PF_MEMBER(path)                                                        \
#path, [](config & into,                                                     \
            const setting_value& value) { assign(into.path, value); }

constexpr setting table[] = {
  text(PF_MEMBER(profile.name), "dev", "Name of the profile, for people.",
       &not_empty_rule),
  boolean(PF_MEMBER(profile.production), "false",
          "Refuses every setting that is only fit for tests."),

  text(PF_MEMBER(data.directory), "./data",
       "Everything that is durable lives here; one process at a time.",
       &not_empty_rule),

  text(PF_MEMBER(http.address), "127.0.0.1",
       "Address to listen on; other than loopback needs a certificate.",
       &not_empty_rule),
  integer(PF_MEMBER(http.port), "8080", 0, 65535, "Port; 0 = any free one."),
  integer(PF_MEMBER(http.connections_max), "1024", 1, 65536,
          "Open connections; one more is answered 503."),
  bytes(PF_MEMBER(http.body_bytes_max), "256KiB", kib, 16 * mib,
        "Size of a request's body; more is answered 413."),
  bytes(PF_MEMBER(http.header_bytes_max), "16KiB", kib, mib,
        "Size of a request's header; more is answered 431."),
  integer(PF_MEMBER(http.headers_max), "100", 1, 1000,
          "Number of header lines; more is answered 431."),
  integer(PF_MEMBER(http.pipeline_max), "16", 1, 1024,
          "Unanswered requests of one connection."),
  integer(PF_MEMBER(http.export_letters_max), "5000", 1, 100'000,
          "Dead letters in one export over HTTP; more is answered 422."),
  duration(PF_MEMBER(http.header_timeout_ms), "5000", 10, 10 * minute_ms,
           "Time for a whole header; then 408."),
  duration(PF_MEMBER(http.body_timeout_ms), "10000", 10, 10 * minute_ms,
           "Time for a whole body; then 408."),
  duration(PF_MEMBER(http.idle_timeout_ms), "60000", 10, hour_ms,
           "Time a connection may stay silent between requests."),
  text(PF_MEMBER(http.certificate_file), "",
       "PEM certificate chain; with http.key_file: TLS."),
  text(PF_MEMBER(http.key_file), "", "PEM private key of the certificate."),
  list(PF_MEMBER(http.hosts), host_rule,
       "Host names that requests may address; empty = any."),

  boolean(PF_MEMBER(console.enabled), "false",
          "Opens the ops console on a TCP port."),
  text(PF_MEMBER(console.address), "127.0.0.1",
       "Address of the ops console: loopback, for it has no TLS.",
       &not_empty_rule),
  integer(PF_MEMBER(console.port), "8081", 0, 65535, "Port; 0 = any free one."),
  integer(PF_MEMBER(console.connections_max), "16", 1, 256,
          "Open sessions, each a thread; one more is refused."),
  bytes(PF_MEMBER(console.line_bytes_max), "4KiB", 256, mib,
        "Size of a command line; more is refused."),
  duration(PF_MEMBER(console.idle_timeout_ms), "600000", 10, 24 * hour_ms,
           "Time without a command, and to log in; then it is closed."),
  integer(PF_MEMBER(console.login_attempts_max), "5", 1, 100,
          "Failed logins of a session before it is closed."),
  duration(PF_MEMBER(console.login_delay_ms), "500", 0, minute_ms,
           "Pause after the first failed login; each next is twice as long."),
  duration(PF_MEMBER(console.answer_timeout_ms), "30000", 10, 10 * minute_ms,
           "Time for an owner's answer to a command."),

  integer(PF_MEMBER(order.inflight_orders_max), "4096", 1, million,
          "Orders that are not answered yet; one more is answered 503."),
  duration(PF_MEMBER(order.accept_deadline_ms), "5000", 10, 10 * minute_ms,
           "Time to accept or refuse an order."),
  integer(PF_MEMBER(order.lines_max), "100", 1, 10000, "Lines of an order."),
  integer(PF_MEMBER(order.quantity_max), "1000000", 1, 1000 * million,
          "Quantity of one line."),
  list(PF_MEMBER(order.accepted_version), tenant_version_rule,
       "Version of OrderAccepted for a tenant's new orders; others: 1."),

  duration(PF_MEMBER(inventory.reservation_deadline_ms), "30000", 100,
           24 * hour_ms, "Life of a reservation that nobody confirmed."),
  duration(PF_MEMBER(inventory.resolve_retry_ms), "1000", 10, hour_ms,
           "Pause before inventory asks again what became of an order."),

  duration(PF_MEMBER(payment.deadline_ms), "3000", 10, 10 * minute_ms,
           "Time for a payment authorization."),

  choice(PF_MEMBER(storage.committer), "shared", "shared|per_owner",
         "One synced write for all owners, or one for each."),
  integer(PF_MEMBER(storage.batch_rows_max), "20000", 1, million,
          "Rows of one synced write."),
  bytes(PF_MEMBER(storage.batch_bytes_max), "32MiB", 64 * kib, gib,
        "Size of one synced write."),
  bytes(PF_MEMBER(storage.write_buffer_bytes), "64MiB", mib, 4 * gib,
        "Memory table of each owner before it is flushed."),
  bytes(PF_MEMBER(storage.wal_bytes_max), "512MiB", mib, 64 * gib,
        "Size of the write-ahead log before old owners are flushed."),
  bytes(PF_MEMBER(storage.free_space_min_bytes), "256MiB", 0, 1024 * gib,
        "Free space below which new orders are answered 507."),
  duration(PF_MEMBER(storage.free_space_check_ms), "1000", 10, hour_ms,
           "How often the free space is measured."),
  boolean(PF_MEMBER(storage.sync), "true",
          "Waits for stable storage before it answers."),
  duration(PF_MEMBER(storage.mark_sync_ms), "1000", 10, hour_ms,
           "How often the mark of acknowledged writes is synced."),

  integer(PF_MEMBER(relay.batch_events_max), "512", 1, 10000,
          "Events of one publish batch."),
  integer(PF_MEMBER(relay.publish_window), "4", 1, 64,
          "Publish batches that wait for receipts at once."),
  bytes(PF_MEMBER(relay.hint_bytes_max), "8MiB", 0, gib,
        "Fresh rows handed to the relay in memory; beyond it scans."),
  duration(PF_MEMBER(relay.publish_deadline_ms), "5000", 10, 10 * minute_ms,
           "Time for the receipts of a batch."),
  integer(PF_MEMBER(relay.publish_attempts_max), "10", 1, 1000,
          "Refusals of one event before it becomes a dead letter."),
  integer(PF_MEMBER(relay.held_streams_max), "1000", 1, million,
          "Streams held for a refused event before all wait."),
  duration(PF_MEMBER(relay.retry_min_ms), "100", 1, hour_ms,
           "First pause after a failed publish."),
  duration(PF_MEMBER(relay.retry_max_ms), "30000", 1, 24 * hour_ms,
           "Longest pause between publish attempts."),
  duration(PF_MEMBER(relay.poll_max_ms), "30000", 10, hour_ms,
           "Longest time between two looks at the outbox."),

  choice(PF_MEMBER(bus.adapter), "log", "log|memory",
         "The bus: the embedded durable log, or memory for tests."),
  choice(PF_MEMBER(bus.minimum_durability), "fsync", "memory|page_cache|fsync",
         "Weakest acknowledgement that counts as published."),
  bytes(PF_MEMBER(bus.payload_max_bytes), "512KiB", kib, 16 * mib,
        "Size of one event; checked before its order commits."),
  bytes(PF_MEMBER(bus.log_cache_bytes_max), "32MiB", 0, 4 * gib,
        "Recent events of the log kept in memory for its readers."),
  duration(PF_MEMBER(bus.log_retention_hours), "168", 1, ten_years_hours,
           "Life of a log entry that a slow consumer still waits for."),
  integer(PF_MEMBER(bus.fault_duplicate), "0", 0, million,
          "Fault: every n-th event is delivered twice; 0 = off."),
  integer(PF_MEMBER(bus.fault_drop), "0", 0, million,
          "Fault: every n-th event is accepted and forgotten; 0 = off."),
  integer(PF_MEMBER(bus.fault_reorder), "0", 0, million,
          "Fault: every n-th event overtakes the one before; 0 = off."),
  integer(PF_MEMBER(bus.fault_delay), "0", 0, million,
          "Fault: every n-th event is late; 0 = off."),
  integer(PF_MEMBER(bus.fault_fail), "0", 0, million,
          "Fault: at every n-th event the bus is unreachable; 0 = off."),
  integer(PF_MEMBER(bus.fault_fork), "0", 0, million,
          "Fault: every n-th event is followed by a rival of another id at its "
          "sequence; 0 = off."),
  integer(PF_MEMBER(bus.fault_garble), "0", 0, million,
          "Fault: every n-th delivery to each consumer is half of its bytes; "
          "0 = off."),

  choice(PF_MEMBER(audit_feed.start), "off", "off|from_history|from_now",
         "The audit feed, a consumer that may be added later: what it wants of "
         "the time before."),
  integer(PF_MEMBER(audit_feed.rate_per_s), "0", 0, million,
          "Events of the time before that it is offered a second; 0 = as fast "
          "as it goes."),

  integer(PF_MEMBER(replay.window), "64", 1, 4096,
          "Events of one replay that are at their consumers at once."),
  integer(PF_MEMBER(replay.replays_max), "32", 1, 1000,
          "Replays under way at once; one more is refused."),
  integer(PF_MEMBER(replay.plan_items_max), "10000", 1, million,
          "Dead letters of one plan; a wider filter is refused."),
  integer(PF_MEMBER(replay.plans_max), "64", 1, 10000,
          "Plans kept at once; the oldest goes."),
  duration(PF_MEMBER(replay.plan_life_ms), "900000", 1000, 24 * hour_ms,
           "Time until a plan expires."),

  integer(PF_MEMBER(consumer.in_flight_max), "1024", 1, 65536,
          "Deliveries of one consumer that are not settled yet."),
  integer(PF_MEMBER(consumer.attempts_max), "5", 1, 1000,
          "Attempts at one event before it becomes a dead letter."),
  duration(PF_MEMBER(consumer.retry_min_ms), "200", 1, hour_ms,
           "First pause after a failed attempt."),
  duration(PF_MEMBER(consumer.retry_max_ms), "60000", 1, 24 * hour_ms,
           "Longest pause between attempts."),
  integer(PF_MEMBER(consumer.retry_jitter_percent), "20", 0, 100,
          "Share of a pause that chance may add or take."),
  duration(PF_MEMBER(consumer.gap_grace_ms), "2000", 0, hour_ms,
           "Time a gap may close by itself before the producer is asked."),
  duration(PF_MEMBER(consumer.resend_retry_max_ms), "60000", 10, 24 * hour_ms,
           "Longest pause between requests to send a hole again."),
  integer(PF_MEMBER(consumer.inbox_inline_max), "8", 1, 64,
          "Inbox entries kept in the stream's own row."),
  list(PF_MEMBER(consumer.supported), supported_rule,
       "Event versions a consumer takes besides its own."),
  list(PF_MEMBER(consumer.fault_fail), effect_fault_rule,
       "Fault: consumers whose effects fail for a tenant."),

  duration(PF_MEMBER(retention.replay_window_hours), "168", 1, ten_years_hours,
           "Age up to which an event may be replayed."),
  duration(PF_MEMBER(retention.inbox_hours), "336", 1, ten_years_hours,
           "Life of inbox entries; replay window and longest retry fit in."),

  duration(PF_MEMBER(audit.interval_ms), "3600000", 0, 24 * hour_ms,
           "How often the running store is audited; 0 = only when asked."),
  duration(PF_MEMBER(audit.grace_ms), "60000", 0, hour_ms,
           "Age from which work that nobody does any more is a finding."),
  integer(PF_MEMBER(audit.findings_max), "1000", 1, 100'000,
          "Findings an audit keeps; beyond it they are counted."),

  boolean(PF_MEMBER(ready.require_clean_audit), "false",
          "Not ready while the last audit has findings."),

  duration(PF_MEMBER(shutdown.deadline_ms), "20000", 100, hour_ms,
           "Time for an orderly stop."),

  choice(PF_MEMBER(log.level), "info", "trace|debug|info|warning|error|off",
         "Lowest level that is logged."),
  list(PF_MEMBER(log.components), level_rule, "Levels of single components."),

  text(PF_MEMBER(fault.crash_point), "",
       "Fault: the process kills itself at this named point.", &point_rule),
  integer(PF_MEMBER(fault.crash_countdown), "1", 1, million,
          "Fault: at the n-th time that the point is passed."),

  text(PF_MEMBER(auth.tokens_file), "",
       "Tokens and tenants; empty = access.json in data.directory."),
};

#undef PF_MEMBER

} // namespace

std::span<const setting> settings() {
  return table;
}

} // namespace parcelflow::app
