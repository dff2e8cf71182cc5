// The way into the actors for what responders do, whichever door they come by:
// HTTP or the console. No CAF type here. Whoever calls has checked the actor's
// authority over the tenant (domain/access.hpp); the desk writes every change
// into the operator log, durably, before its effect.
//
// Each call returns at once; `answer` is called once, on an actor's thread,
// after whatever it says is durable, and must not block there.
// Thread rule: any thread. Errors: faults in the answers: not_found for what
// is missing or foreign, in the same words; conflict-like ones say what stands
// in the way and what is allowed instead.
#pragma once

#include "domain/operator_log.hpp"
#include "domain/pause.hpp"
#include "domain/replay.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace parcelflow::actors {

/// Who asks, for which tenant, and why.
struct ops_caller {
  std::string actor; ///< the token's id
  std::string tenant_id;
  std::string reason;
};

template <class Value>
using ops_answer = std::function<void(domain::outcome<Value>)>;

using plan_ptr = std::shared_ptr<const domain::replay_plan>;

struct replay_ticket {
  std::string replay_id;
  bool repeated = false; ///< the one that was open already
};

struct stream_name {
  std::string consumer;
  std::string aggregate_id;
};

/// One verdict, as the live tail shows it.
struct tail_line {
  support::unix_ms at = 0;
  std::string consumer;
  std::string tenant_id;
  std::string aggregate_id;
  std::uint64_t sequence = 0;
  std::string event_id;
  domain::verdict what = domain::verdict::applied;
  domain::via door = domain::via::delivery;
};

class ops_desk {
public:
  struct links; ///< the actors behind it, see ops_desk_links.hpp
  explicit ops_desk(std::unique_ptr<links> to);
  ~ops_desk();

  // --- replay ---------------------------------------------------------------
  /// Begins a plan; the answer is the plan as it begins (state planning).
  void plan(ops_caller who, domain::dead_letter_filter filter,
            ops_answer<plan_ptr> answer);
  /// The plan as it stands, with its progress.
  void show_plan(const std::string& tenant, const std::string& plan_id,
                 ops_answer<plan_ptr> answer);
  /// Runs exactly that plan. Again: the same replay's id.
  void execute(ops_caller who, const std::string& plan_id,
               std::uint32_t rate_per_s, ops_answer<replay_ticket> answer);
  void cancel(ops_caller who, const std::string& replay_id,
              ops_answer<domain::replay> answer);

  // --- corrections
  // ------------------------------------------------------------
  void waive(ops_caller who, const std::string& dead_letter_id,
             ops_answer<domain::dead_letter> answer);
  /// Takes position + 1 of that stream, seen or not.
  void skip(ops_caller who, stream_name stream, std::uint64_t sequence,
            ops_answer<std::uint64_t> position);
  void redirect(ops_caller who, stream_name stream,
                const std::string& to_consumer,
                ops_answer<std::uint64_t> position);
  /// The answer: how many events were offered again. `to` 0: as many as are.
  void resend(ops_caller who, stream_name stream, std::uint64_t from,
              std::uint64_t to, ops_answer<std::uint64_t> answer);

  // --- pausing
  // ----------------------------------------------------------------
  void pause(ops_caller who, domain::pause_target target,
             ops_answer<domain::pause_set_ptr> answer);
  void resume(ops_caller who, domain::pause_target target,
              ops_answer<domain::pause_set_ptr> answer);

  // --- the operator log
  // ---------------------------------------------------------
  /// An entry of its own, e.g. that a payload was looked at: durable first,
  /// then the answer. position and digests are filled in by the owner.
  void note(domain::log_entry entry, ops_answer<std::uint64_t> position);

  // --- the live tail
  // --------------------------------------------------------------
  using tail_listener = std::function<void(const tail_line&)>;
  /// Hears every verdict from now on, on consumers' threads: must be quick.
  /// Ends when the handle goes.
  [[nodiscard]] std::shared_ptr<void> tail(tail_listener listener);

private:
  std::unique_ptr<links> to_;
};

} // namespace parcelflow::actors
