#include "app/daemon.hpp"

#include "app/access_control.hpp"
#include "app/access_file.hpp"
#include "app/console_wiring.hpp"
#include "app/exit_codes.hpp"
#include "app/gauges.hpp"
#include "app/http_access.hpp"
#include "app/setup.hpp"
#include "app/signals.hpp"
#include "app/whole_file.hpp"
#include "app/wiring.hpp"
#include "app/wiring_limits.hpp"
#include "http/routes.hpp"
#include "storage/inspect.hpp"
#include "support/assert.hpp"
#include "support/digest.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <caf/actor_system_config.hpp>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <thread>

namespace parcelflow::app {

namespace log = support::log;

namespace {

constexpr std::chrono::milliseconds signal_wait{3'600'000};

int refuse(const domain::fault& why) {
  log::error("app", why.detail, {{"failure", to_string(why.code)}});
  return exit_code_of(why.code);
}

void apply_log_levels(const config& settings) {
  log::set_level(settings.log.level);
  for (const auto& [component, level] : settings.log.components)
    log::set_level(component, level);
}

void arm_faults(const config& settings) {
  const auto& fault = settings.fault;
  if (fault.crash_point.empty())
    return;
  PF_ASSERT(support::arm_fault_point(fault.crash_point, fault.crash_countdown));
  log::warning(
    "app", "a crash point is armed",
    {{"point", fault.crash_point}, {"countdown", fault.crash_countdown}});
}

/// A developer's first start issues a token, so that the first curl works. It
/// goes to stdout and to a file that only its owner may read.
domain::status first_token(const config& settings, support::unix_ms now) {
  if (!gives_first_token(settings) || load_access(settings.auth.tokens_file))
    return domain::done();
  const auto request = parse_token_request("demo", "responder", "365d");
  if (!request)
    return request.why();
  const auto issued = issue_token(settings.auth.tokens_file, *request, now);
  if (!issued)
    return issued.why();
  const auto path = dev_token_path(settings);
  if (auto saved = replace_whole(path, issued->token + "\n"); !saved)
    return saved;
  std::cout << "token for tenant demo, shown once (also in " << path
            << "): " << issued->token << std::endl;
  return domain::done();
}

void log_denial(const domain::denial& what) {
  log::warning("access", "denied",
               {{"actor", what.actor},
                {"tenant", what.tenant},
                {"verb", what.verb},
                {"count", what.count}});
}

std::string instant_json(support::unix_ms at) {
  return at == 0 ? "null" : '"' + support::to_rfc3339(at) + '"';
}

class daemon {
public:
  explicit daemon(const config& settings)
    : settings_(settings), access_(settings.auth.tokens_file),
      http_access_(access_) {}

  domain::status start(caf::actor_system& system) {
    arm_faults(settings_);
    seams with;
    with.clock = &clock_;
    with.seed = support::entropy_seed();
    auto engine = runtime::start(system, settings_, std::move(with));
    if (!engine)
      return engine.why();
    engine_ = std::move(*engine);
    if (auto issued = first_token(settings_, clock_.now()); !issued)
      return issued;
    if (auto loaded = access_.reload(); !loaded)
      log::warning("app", "no tokens yet: every request is refused",
                   {{"why", loaded.why().detail}});
    engine_->await_recovery();
    gauges_ = scrape_gauges(*engine_, clock_);
    if (auto opened = open_door(); !opened)
      return opened;
    if (settings_.console.enabled)
      if (auto opened = open_console(system); !opened)
        return opened;
    log::info("app", "ready",
              {{"address", settings_.http.address},
               {"port", door_->port()},
               {"profile", settings_.profile.name}});
    return domain::done();
  }

  void reload() {
    const auto tokens = access_.reload();
    const auto certificate = door_->reload_certificate();
    log::info("app", "reloaded",
              {{"tokens", tokens ? "ok" : tokens.why().detail},
               {"certificate", certificate ? "ok" : certificate.why().detail}});
  }

  /// A second signal, meanwhile, ends the drain at once.
  bool stop() {
    draining_ = true;
    log::info("app", "stopping",
              {{"deadline_ms", settings_.shutdown.deadline_ms.count()}});
    std::atomic<bool> over{false};
    bool drained = false;
    console_.reset();
    std::thread work([&] {
      const bool answered = door_->drain(settings_.shutdown.deadline_ms / 2);
      drained = engine_->stop(settings_.shutdown.deadline_ms) && answered;
      over = true;
    });
    while (!over)
      if (take_signal(std::chrono::milliseconds(50)) == signal_kind::stop) {
        log::warning("app", "told twice: stopping at once");
        engine_->hurry();
      }
    work.join();
    door_->stop();
    gauges_.clear();
    engine_.reset();
    log::info("app", "stopped", {{"drained", drained}});
    return drained;
  }

private:
  domain::status open_door() {
    http::api_dependencies with{
      &engine_->gateway(),
      storage::status_view(engine_->store()),
      storage::ops_view(engine_->store()),
      &http_access_,
      {},
      settings_.http.export_letters_max,
      codec::cursor_sealer(support::random_bytes(32)),
      &clock_,
      std::make_shared<support::seeded_id_source>(clock_,
                                                  support::entropy_seed()),
      &engine_->metrics(),
      settings_.profile.name,
      [this] { return readiness(); },
      [this] { return consumer_counts_of(engine_->metrics()); },
      [this](const auto& what) { note_denial(what); },
      &engine_->desk()};
    with.order_limits.lines_max = settings_.order.lines_max;
    with.order_limits.quantity_max = settings_.order.quantity_max;
    with.order_limits.json.bytes_max = settings_.http.body_bytes_max;
    auto door = http::server::start(door_options_of(settings_),
                                    http::api(std::move(with)));
    if (!door)
      return door.why();
    door_ = std::move(*door);
    return domain::done();
  }

  domain::status open_console(caf::actor_system& system) {
    ops::console_dependencies with{
      storage::status_view(engine_->store()),
      storage::ops_view(engine_->store()),
      &engine_->desk(),
      &engine_->gateway(),
      &clock_,
      &engine_->metrics(),
      codec::cursor_sealer(support::random_bytes(32)),
      settings_.profile.name,
      clock_.now(),
      console_access_of(access_, clock_, engine_->metrics(),
                        [this](const auto& what) { note_denial(what); }),
      [this] { return tenants_of(*access_.registry()); },
      [this] { return http::readiness_json(readiness(), true); },
      [this] { return consumer_counts_of(engine_->metrics()); },
      [] { ::kill(::getpid(), SIGTERM); }};
    auto console = ops::console_server::start(
      system, console_options_of(settings_), std::move(with));
    if (!console)
      return console.why();
    console_ = std::move(*console);
    log::info(
      "app", "console open",
      {{"address", settings_.console.address}, {"port", console_->port()}});
    return domain::done();
  }

  /// In the log at once, and in the operator log.
  void note_denial(const domain::denial& what) {
    log_denial(what);
    domain::log_entry entry;
    entry.at = clock_.now();
    entry.actor = what.actor;
    entry.tenant_id = what.tenant;
    entry.verb = what.verb;
    entry.reason = "role or tenants do not allow it";
    entry.allowed = false;
    entry.count = what.count;
    engine_->desk().note(std::move(entry), [](const auto&) {});
  }

  http::readiness readiness() const {
    http::readiness now;
    if (draining_)
      now.reasons.emplace_back("the daemon is stopping");
    if (engine_->store().failed())
      now.reasons.emplace_back("the store has failed");
    if (!engine_->disk_ok())
      now.reasons.emplace_back(
        "the disk is below storage.free_space_min_bytes");
    const auto& audits = engine_->audits();
    const std::uint64_t findings = audits.findings;
    if (settings_.ready.require_clean_audit && findings > 0)
      now.reasons.emplace_back("the last audit has findings");
    now.ready = now.reasons.empty();
    const auto age = oldest_unpublished_ms(engine_->store(), clock_.now());
    now.detail.emplace_back("oldestUnpublishedMs", std::to_string(age));
    now.detail.emplace_back("diskFreeBytes",
                            std::to_string(engine_->store().free_bytes()));
    now.detail.emplace_back("lastAudit", instant_json(audits.last_at));
    now.detail.emplace_back("lastCleanAudit",
                            instant_json(audits.last_clean_at));
    now.detail.emplace_back("auditFindings", std::to_string(findings));
    now.detail.emplace_back("bus", '"' + engine_->bus().traits().name + '"');
    return now;
  }

  const config& settings_;
  support::system_clock clock_;
  access_control access_;
  http_access http_access_;
  std::unique_ptr<runtime> engine_;
  std::vector<support::scrape_registration> gauges_;
  std::unique_ptr<http::server> door_;
  std::unique_ptr<ops::console_server> console_; ///< before the engine goes
  std::atomic<bool> draining_{false};
};

} // namespace

int run_daemon(const loaded_config& loaded,
               const support::build_versions& versions) {
  block_signals();
  apply_log_levels(loaded.values);
  log::info("app", "starting",
            {{"version", versions.project},
             {"commit", versions.git_commit},
             {"profile", loaded.values.profile.name}});
  if (auto judged = judge_setup(loaded.values); !judged)
    return refuse(judged.why());
  caf::actor_system_config actors;
  configure_actors(actors);
  if (loaded.values.console.enabled)
    ops::load_console(actors);
  caf::actor_system system{actors};
  daemon it(loaded.values);
  if (auto started = it.start(system); !started)
    return refuse(started.why());
  for (;;) {
    const auto taken = take_signal(signal_wait);
    if (taken == signal_kind::reload)
      it.reload();
    if (taken == signal_kind::stop)
      break;
  }
  return it.stop() ? exit_ok : exit_try_later;
}

int check_setup(const loaded_config& loaded) {
  apply_log_levels(loaded.values);
  if (auto judged = judge_setup(loaded.values); !judged)
    return refuse(judged.why());
  const auto found = storage::inspect(store_options_of(loaded.values));
  if (!found)
    return refuse(found.why());
  const bool whole = *found == storage::directory_state::whole;
  std::cout << "ok: profile " << loaded.values.profile.name << ", directory "
            << loaded.values.data.directory << (whole ? " (opens)" : " (new)")
            << ", bus " << bus_options_of(loaded.values).adapter << "\n";
  return exit_ok;
}

} // namespace parcelflow::app
