#include "app/console_wiring.hpp"

#include "support/log.hpp"

#include <memory>
#include <mutex>

namespace parcelflow::app {

namespace {

constexpr support::unix_ms line_pause_ms = 60'000;

/// Denials of all sessions, coalesced together.
struct denial_desk {
  std::mutex mutex;
  domain::denial_book book;
};

/// Failed logins: each is counted, a line at most once a minute.
struct failed_logins {
  support::counter counted;
  std::mutex mutex;
  support::unix_ms next_line_at = 0;
  std::uint64_t since_last_line = 0;

  void note(support::unix_ms now) {
    counted.add();
    const std::lock_guard hold(mutex);
    since_last_line += 1;
    if (now < next_line_at)
      return;
    next_line_at = now + line_pause_ms;
    support::log::warning("console", "logins without a valid token",
                          {{"count", since_last_line}});
    since_last_line = 0;
  }
};

} // namespace

ops::console_options console_options_of(const config& settings) {
  const auto& from = settings.console;
  ops::console_options to;
  to.address = from.address;
  to.port = from.port;
  to.connections_max = from.connections_max;
  to.session.line_bytes_max = from.line_bytes_max;
  to.session.idle_timeout_ms = from.idle_timeout_ms.count();
  to.session.login_attempts_max = from.login_attempts_max;
  to.session.login_delay_ms = from.login_delay_ms.count();
  to.session.answer_timeout_ms = from.answer_timeout_ms.count();
  return to;
}

ops::session_access console_access_of(const access_control& registry,
                                      const support::clock& clock,
                                      support::metrics& metrics,
                                      domain::denial_listener denied) {
  auto desk = std::make_shared<denial_desk>();
  auto logins = std::make_shared<failed_logins>();
  logins->counted = metrics.counter("parcelflow_console_unauthenticated_total",
                                    "Console logins without a valid token");
  auto count = metrics.counter("parcelflow_console_denied_total",
                               "Console commands that a token does not allow");
  ops::session_access access;
  access.authenticate = [&registry, &clock](std::string_view token) {
    return registry.authenticate(token, clock.now());
  };
  access.still_valid = [&registry, &clock](std::string_view token_id) {
    return registry.identity_of(token_id, clock.now());
  };
  access.check_tenant = [&registry](std::string_view tenant) {
    return registry.check_tenant(tenant);
  };
  access.denied = [desk, count, denied = std::move(denied),
                   &clock](const domain::denial& what) mutable {
    count.add();
    const std::lock_guard hold(desk->mutex);
    desk->book.note(what, clock.now(), denied);
  };
  access.unauthenticated = [logins, &clock] { logins->note(clock.now()); };
  return access;
}

std::vector<std::string> tenants_of(const domain::access_registry& registry) {
  std::vector<std::string> names;
  for (const auto& [name, state] : registry.tenants)
    if (state != domain::tenant_state::erased)
      names.push_back(name);
  return names;
}

} // namespace parcelflow::app
