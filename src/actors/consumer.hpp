// The consumer core: what every consumer does, whatever its effect is. It is
// not an actor; the owner of a family hosts one for each of its specs and
// calls it on its own thread. It judges deliveries, commits position, inbox
// and effect in one batch, keeps what it cannot apply in the waiting room,
// retries, drains, asks for what is missing, and settles last of all.
//
// Park first, tell after, settle last: a room (or aside) row is durable before
// the dead-letter owner hears of it, and the delivery is settled only after
// that owner's record is durable too.
//
// After an unclean stop the first window of effects runs one at a time, each
// with a durable attempt row before it, so that an event that kills the process
// is counted and, at the third death, exhausted. Duplicates do not count into
// the window: however far the bus's cursor lags, the killer is inside.
//
// Thread rule: the host's thread. Errors: none leave; a failing effect is an
// attempt, a failing store is fail-stop.
#pragma once

#include "actors/stream_ops.hpp"
#include "actors/verdict_feed.hpp"
#include "bus/event_bus.hpp"
#include "domain/consumer_spec.hpp"
#include "domain/dead_letter.hpp"
#include "domain/pause.hpp"
#include "domain/retry_policy.hpp"
#include "storage/consumer_store.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::actors {

using support::unix_ms;

struct consumer_limits {
  domain::retry_policy retry;
  std::uint32_t deaths_max = 3;        ///< R13: deaths of the process
  unix_ms gap_grace_ms = 2000;         ///< before a hole is asked for
  unix_ms resend_retry_max_ms = 60000; ///< longest pause between two askings
  std::size_t inbox_inline_max = 8;    ///< inbox entries in the stream row
  std::size_t drain_slice = 64;        ///< events of one stream at a time
  std::size_t in_flight_max = 1024;    ///< credits; also the cautious window
  std::string environment = "dev";     ///< profile, for evidence
};

/// A stream within this consumer.
using stream_id = std::pair<std::string, std::string>; // tenant, aggregate

struct missing_range {
  stream_id stream;
  std::uint64_t from = 0;
  std::uint64_t to = 0; ///< inclusive
};

struct tell {
  std::string tenant_id;
  std::string dead_letter_id;
  std::uint64_t generation = 0; ///< comes back with the answer
  storage::tell_row row;
};

/// What the core asks of its host. Each call returns at once.
struct consumer_ports {
  std::function<void(std::vector<bus::settled>)> settle;
  std::function<void(tell)> tell_dead_letter;
  /// Seen once more: counts on the record, needs no answer.
  std::function<void(std::string tenant, std::string id)> seen_again;
  std::function<void(const missing_range&)> ask_resend;
  /// `step` is to be called at that time, or soon if it has passed.
  std::function<void(unix_ms pause)> wake;
  /// The stream was redirected: that consumer of the same host takes the
  /// delivery. True: to be acknowledged with this batch.
  std::function<bool(const std::string& to, const bus::delivery& one)> forward;
  /// An event was applied (staged, not durable yet). May be empty.
  std::function<void(const domain::event&)> applied;
  /// Who listens to every verdict. May be null.
  verdict_feed* feed = nullptr;
};

class consumer {
public:
  consumer(domain::consumer_spec spec, consumer_limits limits,
           storage::family& rows, const support::clock& clock,
           support::id_source& ids, support::metrics& metrics,
           consumer_ports ports);

  /// Recovery: how the last stop was, then, once that is durably marked,
  /// waiting streams and untold records. Subscribe when that is durable too.
  void start(domain::pause_set_ptr pauses);
  void deliver(const bus::delivery_batch& batch);
  /// The dead-letter owner holds the record durably.
  void told(const std::string& tenant, const std::string& id,
            std::uint64_t generation, bool waived = false);
  /// Due timers and waiting drains; bounded work a call.
  void step();
  /// What a responder asks of one stream: all but a redirect, which is the
  /// host's. The stream must be this consumer's (see `forwards_to`).
  void operate(const stream_op& what);
  /// A delivery of a stream that was redirected here; as ports.forward.
  bool take_forwarded(const bus::delivery& one) {
    return take(one) == next::ack;
  }
  /// The consumer that the stream was redirected to; empty: this one.
  std::string forwards_to(const std::string& tenant,
                          const std::string& aggregate) {
    return store_.stream(tenant, aggregate).forward_to;
  }
  /// Hands one stream over: position, effect and what waits, in one batch.
  void redirect(const stream_op& what, consumer& to);
  /// An event of the time before this consumer: judged like a delivery.
  void take_from_history(const domain::event_ptr& event);
  /// The stream begins after it: its sequence is used, and not here.
  void mark_before(const domain::event_ptr& event);
  /// What is paused from now on; what is not any more goes on.
  void obey(domain::pause_set_ptr pauses);
  /// Stages the mark of a clean stop, when quiet; nothing may be delivered
  /// after.
  void stop();
  /// A responder paused the whole consumer.
  [[nodiscard]] bool is_paused() const { return paused(); }
  /// Nothing is held that only this process knows.
  [[nodiscard]] bool quiet() const noexcept;

  [[nodiscard]] const domain::consumer_spec& spec() const noexcept {
    return spec_;
  }

private:
  friend class delivery_facts;
  /// An event under judgement, with where it came from.
  struct subject {
    domain::event_ptr event;
    std::string topic;
    domain::via door = domain::via::delivery;
    std::optional<storage::room_row> room; ///< it stood in the waiting room
    std::string replay_id;                 ///< via replay
  };
  enum class next : std::uint8_t { ack, hold };
  /// The token of what no bus delivered: nothing is settled for it.
  static constexpr std::uint64_t of_no_delivery = 0;

  // consumer.cpp: judging and applying
  next take(const bus::delivery& one);
  next act(const subject& of, domain::stream_row row,
           const domain::judgement& judged, std::uint64_t token);
  bool apply(const subject& of, domain::stream_row row);
  void commit_applied(const subject& of, domain::stream_row row,
                      const domain::effect_answer& answer);
  void fail_attempt(const subject& of, domain::stream_row row,
                    std::string cause);
  void settle_when_durable(std::vector<bus::settled> what);
  /// Counts a verdict and tells whoever listens; no event: unreadable bytes.
  void count(domain::verdict what, const domain::event* of = nullptr,
             domain::via door = domain::via::delivery);
  void save(const stream_id& stream, domain::stream_row row, bool was_waiting);

  // consumer_wait.cpp: waiting, draining, asking
  void recover();
  void park_behind(const subject& of, domain::stream_row row);
  void park_paused(const subject& of, domain::stream_row row);
  static void move_past(domain::stream_row& row, unix_ms now);
  void park_retry(const subject& of, domain::stream_row row,
                  std::vector<domain::attempt> attempts, unix_ms next_at);
  void enqueue_drain(const stream_id& stream);
  void drain(const stream_id& stream);
  bool drain_one(const stream_id& stream);
  bool run_from_room(const stream_id& stream, domain::stream_row row,
                     storage::room_row room);
  void wait_for_hole(const stream_id& stream, domain::stream_row row);
  void expect_hole(const stream_id& stream, unix_ms since);
  void ask_for_hole(const stream_id& stream, const domain::stream_row& row);
  void leave_room(const subject& of, domain::stream_row& row);
  void schedule(unix_ms pause, const stream_id& stream);
  void take_suspects();
  void try_cautiously(const stream_id& stream, domain::stream_row row,
                      storage::room_row room);
  void run_trial(const stream_id& stream);
  [[nodiscard]] bool cautious() const noexcept { return cautious_left_ > 0; }

  // consumer_redirect.cpp
  domain::status may_take(const stream_op& what, const consumer& from);

  // consumer_ops.cpp: what responders do
  void replay(const stream_op& what);
  void replay_parked(const stream_op& what, const domain::stream_row& row,
                     storage::room_row room);
  void run_replay(const stream_op& what);
  void replay_aside(const stream_op& what, storage::room_row room);
  void run_replay_aside(const stream_op& what);
  void keep_after_failed_replay(const subject& of,
                                std::vector<domain::attempt> attempts);
  stream_result result_of_used(const stream_op& what);
  void list_compatible();
  void waive(const stream_op& what);
  void skip(const stream_op& what);
  void answer_when_durable(const stream_op& what,
                           domain::outcome<stream_result> result);
  [[nodiscard]] bool paused(const stream_id& stream) const;
  [[nodiscard]] bool paused() const { return pauses_->consumer(spec_.name); }

  // consumer_quarantine.cpp: evidence
  void quarantine(const subject& of, domain::stream_row row,
                  domain::dead_letter_cause cause, domain::wait_cause waits,
                  const std::string& reason,
                  std::vector<domain::attempt> attempts);
  next set_aside(domain::dead_letter letter, std::string bytes,
                 std::uint64_t token);
  void keep_aside(domain::dead_letter letter, std::string bytes);
  domain::dead_letter letter_of(const subject& of,
                                domain::dead_letter_cause cause,
                                std::uint64_t expected,
                                const std::string& reason) const;
  void stage_tell(const std::string& tenant, const std::string& id,
                  storage::tell_row row);
  void close_letter(const std::string& tenant, const std::string& id,
                    const domain::dead_letter_step& step);
  [[nodiscard]] domain::dead_letter_step resolved_step(const subject& of,
                                                       unix_ms now) const;
  void hold_for_tell(const std::string& tenant, const std::string& id,
                     std::uint64_t token);

  domain::consumer_spec spec_;
  consumer_limits limits_;
  storage::consumer_store store_;
  const support::clock& clock_;
  support::id_source& ids_;
  consumer_ports ports_;
  std::array<support::counter, 14> verdicts_;
  support::counter rolled_back_;
  support::counter resends_asked_;
  support::gauge compatible_;
  support::histogram latency_;

  struct pending_tell {
    std::uint64_t generation = 0;
    std::vector<std::uint64_t> tokens; ///< deliveries that wait for it
  };
  std::map<std::pair<std::string, std::string>, pending_tell> tells_;
  std::multimap<unix_ms, stream_id> timers_; ///< by the steady clock
  std::deque<stream_id> drains_;
  std::set<stream_id> draining_;
  struct asking {
    std::uint32_t asked = 0;
    /// Next time, by the steady clock; other timers of the stream do not ask.
    unix_ms at = 0;
  };
  std::map<stream_id, asking> askings_;
  std::uint64_t next_generation_ = 1;
  // the cautious window after an unclean stop
  std::size_t cautious_left_ = 0;
  std::deque<bus::delivery> suspects_;
  domain::pause_set_ptr pauses_ = std::make_shared<const domain::pause_set>();
  std::vector<bus::delivery> held_; ///< unsettled while the consumer is paused
  std::optional<stream_id> trial_;
};

} // namespace parcelflow::actors
