// The dead-letter owner: the registry of what could not be applied, the
// replays of it, the operator log, and what is paused. Consumers park first
// and tell it after; telling it twice meets the same record. It answers only
// when what it says is durable, and every change that a responder asks for is
// in the operator log, durably, before its effect.
// Thread rule: an actor. Errors: faults in the answers; a failing store is
// fail-stop.
#pragma once

#include "actors/hosting.hpp"
#include "actors/interfaces.hpp"
#include "actors/operator_log_book.hpp"
#include "actors/replay_book.hpp"
#include "actors/round_writer.hpp"
#include "storage/letter_counts.hpp"
#include "support/clock.hpp"
#include "support/metrics.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace parcelflow::actors {

struct dead_letter_dependencies {
  storage::family rows;
  commit_way way;
  replay_limits replaying;
  const support::clock* clock = nullptr;
  support::metrics* metrics = nullptr;
};

class dead_letter_state {
public:
  static inline constexpr const char* name = "dead_letter";

  void init(dead_letter_actor::pointer self, dead_letter_dependencies with);
  void meet(neighbours_ptr neighbours);

  // dead_letter.cpp: the registry
  void hear(const dead_letter_tell& what, const told_listener& from);
  void seen_again(const dead_letter_ref& which);

  // dead_letter_ops.cpp: what responders ask for
  void execute(const execute_request& what);
  void cancel(const cancel_request& what);
  void replayed(const item_result& of);
  void correct(const correction_ptr& what);
  void pause(const pause_request_ptr& what);
  void note(const note_request& what);

  void flush() { writer_->flush(self_); }
  void durable();
  void tick();
  void run(const errand& what);
  caf::result<bool> drain();

private:
  std::optional<domain::dead_letter> load(const std::string& tenant,
                                          const std::string& id);
  void save(const domain::dead_letter& letter);
  void count(const domain::dead_letter* before,
             const domain::dead_letter& after);
  void load_open_counts();
  bool open(const domain::dead_letter& told);
  void count_again(domain::dead_letter& letter);
  void close(const std::string& tenant, const std::string& id,
             const domain::dead_letter_step& step);
  void after();

  [[nodiscard]] domain::status may_waive(const correction& what);
  void waive(const correction_ptr& what);
  void change_stream(const correction_ptr& what);
  void resend(const correction_ptr& what);
  void log_correction(const correction& what, const std::string& verb,
                      const std::string& target);
  void log_refusal(const correction& what, const std::string& verb,
                   const domain::fault& why);
  /// From another owner's thread onto this one; holds no reference to it.
  [[nodiscard]] std::function<void(std::function<void()>)> post_office() const;
  replay_ports ports_of_book();

  dead_letter_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  const support::clock* clock_ = nullptr;
  support::metrics* metrics_ = nullptr;
  neighbours_ptr neighbours_;
  std::optional<operator_log_book> log_;
  std::optional<replay_book> replays_;
  domain::pause_set pauses_;
  host_alarm alarm_;
  support::counter seen_again_;
  std::map<domain::dead_letter_cause, support::gauge> open_now_;
  std::optional<caf::typed_response_promise<bool>> drained_;
};

dead_letter_actor::behavior_type
dead_letter(dead_letter_actor::stateful_pointer<dead_letter_state> self,
            dead_letter_dependencies with);

} // namespace parcelflow::actors
