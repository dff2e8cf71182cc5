#include "actors/auditor.hpp"

#include "codec/audit_json.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace parcelflow::actors {

namespace log = support::log;

namespace {

constexpr std::size_t rows_a_slice = 256;
/// A slice of a millisecond is followed by a pause of two.
constexpr unix_ms pauses_a_slice = 2;
constexpr std::size_t waiting_max = 64;
/// A daemon that is restarted often is audited, too.
constexpr unix_ms first_after_ms = 60'000;
constexpr std::size_t logged_max = 50;

} // namespace

void auditor_state::init(auditor_actor::pointer self,
                         auditor_dependencies with) {
  self_ = self;
  with_ = std::move(with);
  running_since_ = with_.clock->now();
  auto& metrics = *with_.metrics;
  last_clean_ =
    metrics.gauge("parcelflow_audit_last_clean_timestamp_seconds",
                  "When the last audit without a finding began; 0: none yet");
  findings_ =
    metrics.gauge("parcelflow_audit_findings", "Findings of the last audit");
  duration_ = metrics.gauge("parcelflow_audit_duration_seconds",
                            "How long the last audit took, pauses included");
  rows_ = metrics.counter("parcelflow_audit_rows_total", "Rows audited");
  const auto runs = [&](const char* result) {
    return metrics.counter("parcelflow_audit_runs_total",
                           "Audits by their result", {{"result", result}});
  };
  clean_runs_ = runs("clean");
  bad_runs_ = runs("findings");
  failed_runs_ = runs("failed");
  if (with_.limits.interval_ms > 0)
    self_->delayed_send(self_,
                        std::chrono::milliseconds(
                          std::min(with_.limits.interval_ms, first_after_ms)),
                        tick_atom::value);
}

void auditor_state::asked(const audit_request_ptr& what) {
  if (next_.size() >= waiting_max)
    return; // which answers it, with nothing
  next_.push_back(what);
  if (!run_)
    start_run();
}

void auditor_state::due() {
  if (!run_)
    start_run();
  self_->delayed_send(self_,
                      std::chrono::milliseconds(with_.limits.interval_ms),
                      tick_atom::value);
}

void auditor_state::start_run() {
  now_ = std::exchange(next_, {});
  storage::audit_options options;
  options.now = with_.clock->now();
  options.running_since = running_since_;
  options.grace_ms = with_.limits.grace_ms;
  options.findings_max = with_.limits.findings_max;
  began_ = with_.clock->steady();
  rows_counted_ = 0;
  run_ = std::make_unique<storage::audit_run>(*with_.store, std::move(options));
  self_->send(self_, slice_atom::value);
}

void auditor_state::slice() {
  const auto before = with_.clock->steady();
  bool more = false;
  try {
    more = run_->step(rows_a_slice);
  } catch (const std::exception& thrown) {
    return give_up(thrown.what());
  }
  const auto rows = run_->report().rows;
  rows_.add(rows - std::exchange(rows_counted_, rows));
  if (!more)
    return finish();
  const auto pause = (with_.clock->steady() - before) * pauses_a_slice;
  if (pause == 0)
    self_->send(self_, slice_atom::value);
  else
    self_->delayed_send(self_, std::chrono::milliseconds(pause),
                        slice_atom::value);
}

void auditor_state::finish() {
  auto report = std::make_shared<domain::audit_report>(run_->report());
  run_.reset(); // the snapshot goes before anybody hears of it
  report->duration_ms = with_.clock->steady() - began_;
  note(*report);
  for (const auto& one : std::exchange(now_, {}))
    one->answer(report);
  if (!next_.empty())
    start_run();
}

/// Reads only, so there is nothing to repair: the next one begins afresh.
void auditor_state::give_up(const char* why) {
  log::error("audit", "an audit was given up", {{"why", why}});
  failed_runs_.add();
  run_.reset();
  now_.clear();
  if (!next_.empty())
    start_run();
}

void auditor_state::note(const domain::audit_report& report) {
  auto& board = *with_.board;
  board.findings = report.findings_total;
  if (report.clean())
    board.last_clean_at = report.as_of;
  board.last_at = report.as_of;
  findings_.set(static_cast<double>(report.findings_total));
  duration_.set(static_cast<double>(report.duration_ms) / 1e3);
  if (report.clean()) {
    clean_runs_.add();
    last_clean_.set(static_cast<double>(report.as_of) / 1e3);
    return log::info("audit", "clean",
                     {{"rows", report.rows}, {"ms", report.duration_ms}});
  }
  bad_runs_.add();
  log::error("audit", "the store breaks what it promises",
             {{"findings", report.findings_total}, {"rows", report.rows}});
  for (std::size_t i = 0; i < std::min(report.findings.size(), logged_max);
       ++i) {
    const auto& one = report.findings[i];
    log::error("audit", "finding",
               {{"invariant", to_string(one.rule)},
                {"row", codec::row_text(one.row)},
                {"what", one.what}});
  }
}

auditor_actor::behavior_type
auditor(auditor_actor::stateful_pointer<auditor_state> self,
        auditor_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](tick_atom) { state.due(); },
    [&state](slice_atom) { state.slice(); },
    [&state](audit_atom, const audit_request_ptr& what) { state.asked(what); },
  };
}

} // namespace parcelflow::actors
