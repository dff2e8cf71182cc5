#include "tests/process/crash_loop.hpp"

#include "support/fault_point.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <optional>
#include <sstream>

namespace parcelflow::test {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr milliseconds a_point_is_near{400};
constexpr seconds patience_at_rest{60};

void wait_a(milliseconds span) {
  (void)holds_for([] { return true; }, span, milliseconds(1));
}

/// Those that orders alone pass: a replay has its own kills.
std::vector<std::string> points_of_an_order() {
  std::vector<std::string> all;
  for (const auto name : support::fault_point_names())
    if (!name.starts_with("replay.") && !name.starts_with("ops."))
      all.emplace_back(name);
  return all;
}

/// The sum of a metric over its series; nothing if it has none.
std::optional<double> sum_of(const std::string& metrics,
                             const std::string& name) {
  std::istringstream lines(metrics);
  std::optional<double> sum;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " ") || line.starts_with(name + "{"))
      sum = sum.value_or(0) + std::stod(line.substr(line.rfind(' ')));
  return sum;
}

} // namespace

struct crash_loop::worker {
  explicit worker(crash_client of) : client(std::move(of)) {}
  crash_client client;
  bool finished = true;
  std::jthread thread = {};
};

crash_loop::crash_loop(crash_settings of)
  : settings_(std::move(of)), chance_(settings_.seed) {
  files_.keep();
  for (const std::string tenant : {"tn-a", "tn-b", "tn-c"})
    accounts_.push_back({tenant, tenant, daemon_.token(tenant)});
  accounts_.push_back({"tn-a-too", "tn-a", accounts_.front().token});
}

crash_loop::~crash_loop() {
  door_ = 0; // whoever waits for an answer gives up
  workers_.clear();
}

std::vector<std::string> crash_loop::run() {
  begin();
  for (std::uint64_t deaths = 1; deaths <= settings_.kills; ++deaths) {
    die_once();
    if (deaths % settings_.rest_every != 0 && deaths != settings_.kills)
      continue;
    if (!comes_to_rest())
      return {"it does not come to rest: " + daemon_.log()};
    verdict_ = judge(daemon_.directory(), books_);
    if (!verdict_.wrong.empty())
      return verdict_.wrong;
    if (deaths != settings_.kills)
      set_to_work();
  }
  files_.keep(false);
  return {};
}

void crash_loop::begin() {
  for (const auto& one : accounts_)
    workers_.push_back(std::make_unique<worker>(crash_client(
      one, static_cast<std::uint32_t>(chance_()), ledger_, door_)));
  launch();
  REQUIRE(open_door());
  for (const auto& one : accounts_)
    REQUIRE(daemon_
              .ask("PUT", "/v1/inventory/sku-1", one.token,
                   json{{"onHand", crash_stock}}.dump())
              .status
            == 200);
  kill_and_close();
  set_to_work();
}

void crash_loop::set_to_work() {
  for (auto& one : workers_)
    one->thread = std::jthread([&of = *one](const std::stop_token& stop) {
      of.finished = of.client.run(stop);
    });
}

bool crash_loop::let_finish() {
  for (auto& one : workers_)
    one->thread.request_stop();
  bool all = true;
  for (auto& one : workers_) {
    one->thread.join();
    all = all && one->finished;
  }
  return all;
}

void crash_loop::launch(const std::string& point, std::uint64_t countdown) {
  auto flags =
    and_flags({"--payment.deadline_ms=500", "--order.accept_deadline_ms=1000",
               "--inventory.reservation_deadline_ms=1500",
               "--inventory.resolve_retry_ms=50"});
  flags.front() += point;
  flags.push_back("--fault.crash_countdown=" + std::to_string(countdown));
  flags.push_back("--storage.committer="
                  + (settings_.committer.empty()
                       ? std::string(roll(2) == 0 ? "shared" : "per_owner")
                       : settings_.committer));
  // Not drop or delay: what they call accepted is lost with the process.
  for (const std::string fault : {"reorder", "fail"})
    if (roll(3) == 0)
      flags.push_back("--bus.fault_" + fault + "="
                      + std::to_string(3 + roll(20)));
  ++figures_.starts;
  daemon_.launch(flags);
}

bool crash_loop::open_door() {
  const bool ready = daemon_.await_ready(patience_at_rest);
  door_ = ready ? daemon_.port() : 0;
  return ready;
}

void crash_loop::kill_and_close() {
  daemon_.kill();
  door_ = 0;
}

void crash_loop::die_once() {
  const auto dice = roll(100);
  if (dice < 40)
    return die_at_a_point();
  if (dice < 55)
    return die_after_a_pause();
  launch();
  if (dice < 65) {
    ++figures_.starting;
    wait_a(milliseconds(roll(100)));
  } else {
    ++figures_.at_random;
    REQUIRE_MESSAGE(open_door(), daemon_.log());
    wait_a(milliseconds(roll(150)));
  }
  kill_and_close();
}

// Recovery passes points too, so it may die before the door opens; and a point
// that is not passed soon is left for a kill at this moment.
void crash_loop::die_at_a_point() {
  static const auto points = points_of_an_order();
  const auto& point = points.at(roll(points.size()));
  launch(point, 1 + roll(30));
  (void)open_door();
  const auto end = daemon_.wait(a_point_is_near);
  if (end) {
    REQUIRE_MESSAGE(*end == killed_by(SIGKILL), daemon_.log());
    figures_.points.insert(point);
    ++figures_.at_a_point;
  } else {
    ++figures_.at_random;
  }
  kill_and_close();
}

void crash_loop::die_after_a_pause() {
  ++figures_.paused;
  launch();
  REQUIRE_MESSAGE(open_door(), daemon_.log());
  wait_a(milliseconds(roll(80)));
  daemon_.send_signal(SIGSTOP);
  wait_a(milliseconds(roll(300)));
  if (roll(3) != 0) { // else it dies without another step
    daemon_.send_signal(SIGCONT);
    wait_a(milliseconds(roll(60)));
  }
  kill_and_close();
}

bool crash_loop::comes_to_rest() {
  ++figures_.rests;
  launch();
  if (!open_door() || !let_finish())
    return false;
  books_ = read_books(files_ / "ledger");
  const bool calm = poll_until([this] { return is_calm(); }, patience_at_rest);
  const auto end = daemon_.stop();
  door_ = 0;
  return calm && end == exited(0)
         && daemon_.log().find("\"drained\":true") != std::string::npos;
}

bool crash_loop::is_calm() {
  const auto metrics = daemon_.ask("GET", "/metrics").body;
  for (const std::string open : {"outbox_depth", "bus_lag_events"})
    if (sum_of(metrics, "parcelflow_" + open) != 0)
      return false;
  if (sum_of(metrics, "parcelflow_streams_waiting") != 0) {
    replay_the_exhausted();
    return false;
  }
  // A release dies with the process; then the deadline gives the stock back.
  const auto stock = books_.stock();
  return std::all_of(
    accounts_.begin(), accounts_.end(), [&](const crash_account& one) {
      const auto found =
        daemon_.ask("GET", "/v1/inventory/sku-1", one.token).body;
      const auto known = stock.find(one.tenant);
      return json::parse(found).at("reserved")
             == (known == stock.end() ? 0 : known->second.reserved);
    });
}

// Three deaths within one effect exhaust its event, and chance brings them
// about. That is the promise; here comes the responder.
void crash_loop::replay_the_exhausted() {
  for (const auto& one : accounts_) {
    const auto ask = [&](std::string_view method, const std::string& target,
                         std::string_view body = {}) {
      const auto answer = daemon_.ask(method, target, one.token, body);
      return json::parse(answer.body, nullptr, false);
    };
    const std::string exhausted = "ATTEMPTS_EXHAUSTED";
    const auto open =
      ask("GET", "/v1/dead-letters?state=open&cause=" + exhausted)
        .value("total", 0);
    if (open == 0)
      continue;
    const auto plan =
      "/v1/replay-plans/"
      + ask("POST", "/v1/replay-plans", json{{"cause", exhausted}}.dump())
          .value("planId", "");
    (void)poll_until(
      [&] { return ask("GET", plan).value("state", "") == "ready"; },
      seconds(5));
    if (ask("POST", plan + "/execute", "{}").contains("replayId"))
      figures_.replayed += static_cast<std::uint64_t>(open);
  }
}

std::string crash_loop::report() const {
  std::ostringstream text;
  const auto& f = figures_;
  text << "crash-loop: seed " << settings_.seed << ": "
       << f.at_random + f.at_a_point + f.paused + f.starting << " kills ("
       << f.at_random << " at random, " << f.at_a_point << " at "
       << f.points.size() << " named points, " << f.paused << " paused, "
       << f.starting << " while starting), " << f.starts << " starts, "
       << f.rests << " rests, " << books_.requests << " requests ("
       << books_.unanswered << " unanswered), " << books_.orders.size()
       << " orders, " << f.replayed << " events replayed; lost "
       << verdict_.lost << ", unexpected " << verdict_.unexpected
       << ", duplicated " << verdict_.duplicated;
  return text.str();
}

} // namespace parcelflow::test
