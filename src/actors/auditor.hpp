// Audits the store while everybody works: on a schedule, and when asked. Reads
// only, from one snapshot, in slices with pauses between them, so that it takes
// a part of one core at most and nobody waits for it. Findings are logged as
// errors and counted; whoever asked gets the whole report.
//
// A request is answered by an audit that began after it; requests that come
// while one runs share the next. One that cannot be carried out (too many wait,
// the daemon stops, memory is short) is answered with nothing.
// Thread rule: an actor; answers are called on its thread and must not block.
// Errors: none; a failing store is fail-stop.
#pragma once

#include "actors/audit_board.hpp"
#include "actors/interfaces.hpp"
#include "storage/audit.hpp"
#include "support/metrics.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace parcelflow::actors {

struct auditor_limits {
  unix_ms interval_ms = 3'600'000; ///< 0: only when asked
  unix_ms grace_ms = 60'000;
  std::size_t findings_max = 1000;
};

struct auditor_dependencies {
  const storage::store* store = nullptr;
  auditor_limits limits;
  const support::clock* clock = nullptr;
  support::metrics* metrics = nullptr;
  std::shared_ptr<audit_board> board;
};

class auditor_state {
public:
  static inline constexpr const char* name = "auditor";

  void init(auditor_actor::pointer self, auditor_dependencies with);
  void asked(const audit_request_ptr& what);
  void due();
  void slice();

private:
  using waiting = std::vector<audit_request_ptr>;

  void start_run();
  void finish();
  void give_up(const char* why);
  void note(const domain::audit_report& report);

  auditor_actor::pointer self_ = nullptr;
  auditor_dependencies with_;
  unix_ms running_since_ = 0;
  std::unique_ptr<storage::audit_run> run_;
  unix_ms began_ = 0;              ///< steady
  waiting now_;                    ///< for the audit that runs
  waiting next_;                   ///< for the one after it
  std::uint64_t rows_counted_ = 0; ///< of the audit that runs
  support::gauge last_clean_;
  support::gauge findings_;
  support::gauge duration_;
  support::counter rows_;
  support::counter clean_runs_;
  support::counter bad_runs_;
  support::counter failed_runs_;
};

auditor_actor::behavior_type
auditor(auditor_actor::stateful_pointer<auditor_state> self,
        auditor_dependencies with);

} // namespace parcelflow::actors
