// Makes replay plans: freezes which dead letters a filter means, as of one
// snapshot, and asks the classifier what a replay of each would come to. It
// reads and never writes; plans live here until they expire, a bounded number
// of them, and end with the process. Long work goes in slices, so that
// progress can be asked for meanwhile.
// Thread rule: an actor. Errors: faults in the answers: not_found for a plan
// that is missing, foreign or of an earlier process.
#pragma once

#include "actors/interfaces.hpp"
#include "storage/forecast.hpp"
#include "storage/store.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace parcelflow::actors {

struct planner_limits {
  std::size_t plans_max = 64;         ///< kept at once; the oldest goes
  std::size_t items_max = 10'000;     ///< of one plan
  support::unix_ms life_ms = 900'000; ///< until a plan expires
  std::size_t slice_rows = 2'000;     ///< read at a time
};

struct planner_dependencies {
  const storage::store* store = nullptr;
  planner_limits limits;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids;
  storage::forecast::places places;
  dead_letter_actor dead_letters;
};

class planner_state {
public:
  static inline constexpr const char* name = "planner";

  void init(planner_actor::pointer self, planner_dependencies with);

  void plan(const plan_request& what);
  void show(const show_plan_request& what);
  void execute(const execute_request& what);
  void work();

private:
  /// A plan in the making.
  struct job {
    std::string plan_id;
    storage::snapshot at;
    std::string from; ///< next key to read
    std::size_t predicted = 0;
  };
  domain::replay_plan* find(const std::string& tenant,
                            const std::string& plan_id);
  void expire(support::unix_ms now);
  bool collect(job& on, domain::replay_plan& plan);
  bool predict(job& on, domain::replay_plan& plan);
  void fail(domain::replay_plan& plan, std::string why);
  void executed(const std::string& plan_id, const std::string& replay_id);

  planner_actor::pointer self_ = nullptr;
  std::optional<planner_dependencies> with_;
  std::map<std::string, domain::replay_plan> plans_; ///< by id: oldest first
  std::deque<job> jobs_;
};

planner_actor::behavior_type
planner(planner_actor::stateful_pointer<planner_state> self,
        planner_dependencies with);

} // namespace parcelflow::actors
