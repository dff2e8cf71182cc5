// One simulated life: a schedule is worked off on a process that crashes and
// comes back, then the faults end and everything must come to rest. After each
// crash the disk that it left is checked against what the world was told; at
// the end against every invariant.
// Thread rule: one simulation a thread at a time, and one in a process (named
// crash points are the process's).
#pragma once

#include "tests/simulation/effect_watch.hpp"
#include "tests/simulation/ledger.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/people.hpp"
#include "tests/simulation/promises.hpp"
#include "tests/simulation/schedule.hpp"
#include "tests/support/rows.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parcelflow::simulation {

/// What one life came to.
struct outcome {
  std::uint64_t trace_hash = 0;
  std::vector<std::string> violations;
  std::map<std::string, std::uint64_t> hits; ///< fault -> how often it struck
  std::uint64_t crashes = 0;
  std::uint64_t steps = 0;
  std::uint64_t disk_changes = 0;
  std::uint64_t orders = 0;  ///< confirmed
  std::uint64_t replays = 0; ///< begun
  support::unix_ms simulated_ms = 0;
};

class simulation {
public:
  explicit simulation(schedule of);
  ~simulation();

  [[nodiscard]] outcome run();
  /// The i-th process crashes as the i-th of these says, besides what the
  /// schedule has in store; numbers count from its start.
  void crash_also(std::vector<crash_plan> plans) { also_ = std::move(plans); }
  /// Ends with the schedule: for counting what it takes.
  void stop_before_end() { whole_ = false; }
  /// Prints what happens, as it does.
  void narrate(bool on) { narrate_ = on; }
  /// Writes its trace there, entry by entry.
  void write_trace(std::FILE* to) { trace_.tee(to); }

private:
  void boot();
  void live();
  void after_death();
  void hit_place();
  void count_wire();
  void check(const test::rows& at, bool finished);
  void perform(const act& what);
  void ask(const act& what, chance& draw);
  void fate(const act& what, chance& draw);
  void arm_crash(chance& draw);
  void crash_in_replay(chance& draw);
  void break_disk(chance& draw);
  void foreign_event(chance& draw);
  void change_wire(chance& draw);
  void emit(domain::event_ptr event);
  void pass(chance& draw, support::unix_ms ms);
  bool work(chance& draw, std::uint64_t steps);
  void rest(chance& draw);
  void finish();
  [[nodiscard]] outside_world world() const;
  bool at_rest();
  void letters_follow();
  void responder_round(chance& draw);
  void violation(const std::string& what);
  void hit(const std::string& what) { ++result_.hits[what]; }
  void tell(const std::string& what) const;
  node_options options();
  void watch_effect(const std::string& consumer, const domain::event& of);

  schedule schedule_;
  app::config settings_;
  support::manual_clock clock_{1'800'000'000'000};
  trace trace_;
  ledger ledger_;
  people people_{ledger_};
  outer_broker broker_;
  effect_watch watch_;
  std::shared_ptr<memory_disk> disk_;
  std::unique_ptr<node> node_;
  chance fate_{0};
  std::vector<crash_plan> also_;
  std::uint64_t boots_ = 0;
  std::uint64_t nested_ = 0; ///< crashes still to come while recovering
  bool poisoned_ = false;
  bool healed_ = false;
  bool broken_ = false; ///< it cannot go on
  std::uint64_t foreign_ = 0;
  support::unix_ms passed_ = 0;
  std::uint64_t steps_ = 0;
  outcome result_;
  bool whole_ = true;
  bool narrate_ = false;
};

/// Lives through a schedule.
[[nodiscard]] outcome live_through(const schedule& of);

/// The fewest acts found that still break a promise.
[[nodiscard]] schedule shrink(const schedule& of);

} // namespace parcelflow::simulation
