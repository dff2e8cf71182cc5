// Replays under way: a part of the dead-letter owner. Execute stages the whole
// frozen set at once; then items go to their consumers, per stream one at a
// time and in sequence, across streams up to a window and a rate, replays
// taking turns. What became of an item is what its consumer read from its own
// inbox, so an item that is asked for again after a crash is told right.
//
// Rows: the replay (its counts move with each item, in one batch), one row an
// item, and a key for each dead letter that a replay holds, so that no two
// hold one. An item is durably `sent` before its consumer hears of it.
// Thread rule: the owner's thread. Errors: faults in the answers.
#pragma once

#include "actors/ops_requests.hpp"
#include "domain/replay.hpp"
#include "storage/family.hpp"
#include "support/clock.hpp"
#include "support/metrics.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::actors {

struct replay_limits {
  std::size_t window = 64;      ///< items at their consumers, per replay
  std::size_t replays_max = 32; ///< under way at once; more are refused
};

/// What the book asks of the owner. Each call returns at once.
struct replay_ports {
  std::function<bool(const std::string& consumer)> knows;
  /// To the consumer; its answer comes back as `result`.
  std::function<void(stream_op)> operate;
  std::function<void(item_result)> answered; ///< from any thread
  std::function<std::optional<domain::dead_letter>(const std::string& tenant,
                                                   const std::string& id)>
    load;
  std::function<void(const domain::dead_letter&)> save;
  std::function<void(domain::log_entry)> note;
  std::function<void(support::unix_ms pause)> wake;
};

class replay_book {
public:
  replay_book(storage::family& rows, const support::clock& clock,
              support::metrics& metrics, replay_limits limits,
              replay_ports ports);

  /// The neighbours are known: replays under way at the last stop go on.
  void begin();
  void execute(const execute_request& what);
  void cancel(const cancel_request& what);
  void result(const item_result& of);
  /// Due items of replays with a rate.
  void step();
  /// No further item is sent; what is out is asked for again at the next start.
  void stop() { stopped_ = true; }

  /// The replay that holds a dead letter; empty: none.
  [[nodiscard]] std::string holder(const std::string& tenant,
                                   const std::string& dead_letter_id) const;

private:
  using replay_name = std::pair<std::string, std::string>; // tenant, id
  /// Items of one stream, in the order in which they run.
  struct stream_lane {
    std::deque<std::size_t> waiting;
    bool in_order = true; ///< false: set aside, no part of its stream
  };
  struct running {
    domain::replay record;
    std::vector<domain::replay_item> items;
    std::vector<stream_lane> lanes;
    std::vector<std::size_t> lane_of; ///< of each item
    std::deque<std::size_t> ready;    ///< lanes with nothing out
    std::size_t out = 0;
    std::int64_t next_at_us =
      0; ///< by the rate; microseconds of the steady clock
  };

  void load_running();
  std::optional<domain::replay> load(const replay_name& name) const;
  static void arrange(running& of);
  std::optional<std::string> held_by_one(const domain::replay_plan& plan) const;
  running take_over(const execute_request& what) const;
  void stage_all(const running& of);
  void pump();
  void pump(running& of);
  void send(running& of, std::size_t number);
  void ask(const running& of, std::size_t number);
  void settle(running& of, std::size_t number, const stream_result& result);
  void settle_letter(const running& of, const domain::replay_item& item,
                     bool was_sent);
  void end_lane(running& of, std::size_t at, domain::item_state state,
                const std::string& why);
  bool finish(running& of);
  void save(const running& of);
  void save_item(const running& of, std::size_t number);

  storage::family& rows_;
  const support::clock& clock_;
  replay_limits limits_;
  replay_ports ports_;
  std::map<replay_name, running> running_;
  bool begun_ = false;
  bool stopped_ = false;
  std::map<domain::item_state, support::counter> items_total_;
  support::gauge running_now_;
  support::gauge left_now_;
};

} // namespace parcelflow::actors
