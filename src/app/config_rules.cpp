#include "app/config_rules.hpp"

#include "domain/audit_feed.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

namespace parcelflow::app {

namespace {

bool is_ip_address(const std::string& text) {
  in6_addr any{};
  return inet_pton(AF_INET, text.c_str(), &any) == 1
         || inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

bool is_loopback(const std::string& text) {
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1
         && IN6_IS_ADDR_LOOPBACK(&v6);
}

// Backoff never waits longer than the maximum and its jitter.
std::chrono::milliseconds longest_retry(const config& values) {
  const auto& consumer = values.consumer;
  return consumer.retry_max_ms * consumer.attempts_max
         * (100 + consumer.retry_jitter_percent) / 100;
}

bool names_a_consumer(const effect_fault& of) {
  constexpr std::string_view all[] = {
    domain::fulfillment_consumer, domain::fulfillment_v2_consumer,
    domain::notification_consumer, domain::inventory_consumer,
    domain::audit_feed_consumer};
  return std::ranges::find(all, of.consumer) != std::end(all);
}

struct rule {
  bool (*broken)(const config&);
  std::array<std::string_view, 3> keys; ///< unused ones are empty
  std::string_view text;
};

constexpr std::string_view test_only =
  "only fit for tests: refused while profile.production is true";

constexpr rule production_rules[] = {
  {[](const config& c) { return !c.storage.sync; },
   {"storage.sync", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.adapter == adapter_kind::memory; },
   {"bus.adapter", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.minimum_durability < durability::fsync; },
   {"bus.minimum_durability", "profile.production"},
   "production takes fsync: what is acknowledged is on stable storage"},
  {[](const config& c) { return c.bus.fault_duplicate != 0; },
   {"bus.fault_duplicate", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_drop != 0; },
   {"bus.fault_drop", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_reorder != 0; },
   {"bus.fault_reorder", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_delay != 0; },
   {"bus.fault_delay", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_fail != 0; },
   {"bus.fault_fail", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_fork != 0; },
   {"bus.fault_fork", "profile.production"},
   test_only},
  {[](const config& c) { return c.bus.fault_garble != 0; },
   {"bus.fault_garble", "profile.production"},
   test_only},
  {[](const config& c) { return !c.consumer.fault_fail.empty(); },
   {"consumer.fault_fail", "profile.production"},
   test_only},
  {[](const config& c) { return !c.fault.crash_point.empty(); },
   {"fault.crash_point", "profile.production"},
   test_only},
  {[](const config& c) { return c.profile.name == "dev"; },
   {"profile.name", "profile.production"},
   "dev is a developer's own machine, which issues itself a token: give "
   "production another name"},
};

constexpr rule rules[] = {
  {[](const config& c) { return !is_ip_address(c.http.address); },
   {"http.address"},
   "an IPv4 or IPv6 address in digits"},
  {[](const config& c) {
     return c.http.certificate_file.empty() != c.http.key_file.empty();
   },
   {"http.certificate_file", "http.key_file"},
   "certificate and key are given together or not at all"},
  {[](const config& c) {
     return !is_loopback(c.http.address) && c.http.certificate_file.empty();
   },
   {"http.address", "http.certificate_file"},
   "an address other than loopback needs certificate and key"},
  {[](const config& c) { return !is_loopback(c.console.address); },
   {"console.address"},
   "a loopback address such as 127.0.0.1: the console has no TLS"},
  {[](const config& c) {
     return c.payment.deadline_ms > c.order.accept_deadline_ms;
   },
   {"payment.deadline_ms", "order.accept_deadline_ms"},
   "an authorization fits into the time to accept an order"},
  {[](const config& c) {
     return c.inventory.reservation_deadline_ms <= c.order.accept_deadline_ms;
   },
   {"inventory.reservation_deadline_ms", "order.accept_deadline_ms"},
   "a reservation outlives the time to accept an order"},
  {[](const config& c) {
     return c.bus.payload_max_bytes > c.storage.batch_bytes_max / 4;
   },
   {"bus.payload_max_bytes", "storage.batch_bytes_max"},
   "a synced write holds at least four of the largest event"},
  {[](const config& c) {
     return c.storage.batch_bytes_max > c.storage.wal_bytes_max;
   },
   {"storage.batch_bytes_max", "storage.wal_bytes_max"},
   "a synced write fits into the write-ahead log"},
  {[](const config& c) {
     return c.storage.write_buffer_bytes > c.storage.wal_bytes_max;
   },
   {"storage.write_buffer_bytes", "storage.wal_bytes_max"},
   "the write-ahead log holds at least one memory table"},
  {[](const config& c) { return c.relay.retry_min_ms > c.relay.retry_max_ms; },
   {"relay.retry_min_ms", "relay.retry_max_ms"},
   "the first pause is not longer than the longest"},
  {[](const config& c) {
     return c.consumer.retry_min_ms > c.consumer.retry_max_ms;
   },
   {"consumer.retry_min_ms", "consumer.retry_max_ms"},
   "the first pause is not longer than the longest"},
  {[](const config& c) {
     return !std::ranges::all_of(c.consumer.fault_fail, &names_a_consumer);
   },
   {"consumer.fault_fail"},
   "each names a consumer that there is, such as fulfillment-v1"},
  {[](const config& c) {
     return c.retention.inbox_hours
            < c.retention.replay_window_hours + longest_retry(c);
   },
   {"retention.inbox_hours", "retention.replay_window_hours",
    "consumer.retry_max_ms"},
   "inbox entries live at least as long as the replay window and the longest "
   "retry (consumer.attempts_max times consumer.retry_max_ms, with jitter)"},
};

std::optional<contradiction> check(const rule& one, const config& values) {
  if (!one.broken(values))
    return std::nullopt;
  contradiction found{{}, one.text};
  for (const auto key : one.keys)
    if (!key.empty())
      found.keys.push_back(key);
  return found;
}

} // namespace

std::optional<contradiction> find_contradiction(const config& values) {
  if (values.profile.production)
    for (const auto& one : production_rules)
      if (auto found = check(one, values))
        return found;
  for (const auto& one : rules)
    if (auto found = check(one, values))
      return found;
  return std::nullopt;
}

} // namespace parcelflow::app
