#include "app/audit_command.hpp"

#include "app/exit_codes.hpp"
#include "app/wiring_limits.hpp"
#include "codec/audit_json.hpp"
#include "storage/audit.hpp"
#include "support/clock.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>

namespace parcelflow::app {
namespace {

int refuse(const domain::fault& why) {
  std::cerr << "parcelflow: " << why.detail << "\n";
  return exit_code_of(why.code);
}

/// One line that is written over, for a person who waits.
class progress_line {
public:
  explicit progress_line(const support::clock& clock)
    : clock_(clock), shown_(isatty(STDERR_FILENO) == 1) {}
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  ~progress_line() {
    if (drawn_)
      std::cerr << "\r\x1b[K" << std::flush;
  }

  void show(const domain::audit_report& so_far) {
    constexpr support::unix_ms redraw_ms = 100;
    const auto now = clock_.steady();
    if (!shown_ || now - last_ < redraw_ms || so_far.rows_by_kind.empty())
      return;
    last_ = now;
    drawn_ = true;
    const auto& at = so_far.rows_by_kind.back();
    std::cerr << "\r\x1b[K" << so_far.rows << " rows, " << at.family << "/"
              << at.kind << ", " << so_far.findings_total << " findings"
              << std::flush;
  }

private:
  const support::clock& clock_;
  bool shown_;
  bool drawn_ = false;
  support::unix_ms last_ = 0;
};

domain::audit_report run(const storage::store& of, const config& settings,
                         const audit_wish& wish) {
  const support::system_clock clock;
  storage::audit_options options;
  options.now = clock.now();
  options.mode =
    wish.at_rest ? domain::audit_mode::at_rest : domain::audit_mode::stopped;
  options.grace_ms = settings.audit.grace_ms.count();
  options.findings_max = settings.audit.findings_max;
  const auto began = clock.steady();
  progress_line line(clock);
  auto report = storage::audit(of, options, [&](const auto& so_far) {
    line.show(so_far);
    return true;
  });
  report.duration_ms = clock.steady() - began;
  return report;
}

} // namespace

int audit_directory(const loaded_config& loaded, const audit_wish& wish) {
  const auto& directory = loaded.values.data.directory;
  if (!std::filesystem::exists(directory + "/store/CURRENT")
      && !std::filesystem::exists(directory + "/acked.mark"))
    return refuse({domain::failure::not_found, "no store in " + directory});
  auto options = store_options_of(loaded.values);
  options.create = false;
  options.read_only = true;
  auto store = storage::store::open(std::move(options));
  if (!store)
    return refuse(store.why());
  const auto report = run(**store, loaded.values, wish);
  std::cout << (wish.json ? codec::audit_json(report) + "\n"
                          : codec::audit_text(report));
  return report.clean() ? exit_ok : exit_findings;
}

} // namespace parcelflow::app
