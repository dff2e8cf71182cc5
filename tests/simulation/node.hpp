// One process of the simulated world: the runtime that ships, on CAF's test
// coordinator, on a memory_disk, with its background work behind a gate. Jobs
// run one at a time, in an order that chance draws.
//
// A crash is an instant, not an end: from it on `over` is true, the disk that
// it left lies in `left`, and nothing that the dying process still says is
// heard. A process also ends by itself (R30): a storage error of unknown
// outcome, or the death of an owner.
// Owner: the simulation. Thread rule: the driver's thread.
#pragma once

#include "app/config.hpp"
#include "app/wiring.hpp"
#include "support/clock.hpp"
#include "tests/simulation/broker.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/gated_env.hpp"
#include "tests/simulation/memory_disk.hpp"
#include "tests/support/stage.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace parcelflow::simulation {

/// Leaves whatever the store failed in; the process is over then.
struct storage_died : std::runtime_error {
  using runtime_error::runtime_error;
};

/// When the process crashes next.
struct crash_plan {
  crash_mode mode = crash_mode::process;
  std::uint64_t at_change = 0; ///< before the n-th change of the disk from now
  std::uint64_t at_step = 0;   ///< or after so many steps of actors
  std::string at_point;        ///< or at a named point,
  std::uint64_t passage = 1;   ///< passed so often
};

/// What the disk does wrong next: one change of that number is refused.
struct disk_fault {
  std::uint64_t at_change = 0; ///< from now; 0: none
  bool unsynced_lost = false;  ///< a failed sync drops what it should keep
  bool no_space = false;       ///< everything that takes room, from there on
};

struct node_options {
  app::config settings;
  std::uint64_t seed = 0; ///< of this process's ids
  std::function<void(app::seams&)> adjust;
  outer_broker* wire = nullptr; ///< null: the embedded log
};

class node {
public:
  node(std::shared_ptr<memory_disk> disk, support::manual_clock& clock,
       trace& log, node_options options);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Opens and recovers. A refusal says why; `over` may hold as well.
  [[nodiscard]] domain::status start();

  /// Lets one job run, drawn from those that are ready; false if none is.
  bool step(chance& draw);
  [[nodiscard]] bool ready() const;
  void pass(support::unix_ms ms);

  void plan_crash(crash_plan plan, chance draw);
  void plan_fault(disk_fault fault);
  /// A sync takes so long, once.
  void plan_slow_sync(support::unix_ms ms) { slow_sync_ = ms; }
  /// Crashes here.
  void crash_now(crash_mode mode, chance& draw);

  /// The process is dead, whatever its remains still do.
  [[nodiscard]] bool over() const { return left_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<memory_disk>& left() const {
    return left_;
  }
  /// Where a planned crash or fault struck, e.g. "append store/000004.log".
  [[nodiscard]] const std::string& struck() const { return struck_; }
  /// Why it ended by itself; empty: it crashed.
  [[nodiscard]] const std::string& cause() const { return cause_; }
  [[nodiscard]] bool ran_full() const { return full_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  [[nodiscard]] app::runtime& it() { return *runtime_; }
  /// It has started, as far as a caller of `it` is concerned.
  [[nodiscard]] bool running() const { return runtime_ != nullptr; }
  /// Moves memtables to tables, and lets compactions run.
  void flush();

private:
  rocksdb::IOStatus watch(const test::disk_request& asked);
  [[noreturn]] void storage_failed(const domain::fault& why);
  void end(crash_mode mode, chance& draw, const test::disk_request* cut);
  void strike_points();
  void shut();

  std::shared_ptr<memory_disk> disk_;
  support::manual_clock& clock_;
  trace& trace_;
  node_options options_;
  std::optional<crash_plan> crash_;
  chance crash_draw_{0};
  std::uint64_t crash_change_ = 0; ///< absolute
  std::uint64_t crash_step_ = 0;   ///< absolute
  disk_fault fault_;               ///< at_change is absolute
  bool full_ = false;
  support::unix_ms slow_sync_ = 0;
  std::shared_ptr<memory_disk> left_;
  std::string struck_;
  std::string cause_;
  std::uint64_t steps_ = 0;
  gated_env* env_ = nullptr; ///< of the open store
  std::unique_ptr<test::coordinator_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  std::unique_ptr<app::runtime> runtime_;
};

} // namespace parcelflow::simulation
