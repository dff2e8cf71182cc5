// One topic of the log adapter: its rows, the recent end of it in memory, its
// consumers' cursors, and what may be cut off.
//
// A batch is staged, then durable; only then can it be read (I3). A cursor may
// lag behind what was settled, never run ahead of it. The log is cut behind
// the slowest cursor of any consumer that ever subscribed, subscribed now or
// not; beyond `retention` it is cut regardless, and a consumer that still
// needed those rows is stopped rather than led past them in silence. Age is
// measured by the running process, so a bent wall clock cuts nothing early,
// and a restart only makes rows live longer.
// Thread rule: the host's thread. Errors: fail-stop in the store; damaged rows
// are delivered as bytes that do not parse.
#pragma once

#include "bus/consumer_line.hpp"
#include "bus/event_bus.hpp"
#include "bus/hosted.hpp"
#include "bus/log_bus_options.hpp"
#include "bus/recent_log.hpp"
#include "storage/family.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::bus {

class log_topic {
public:
  log_topic(std::string name, storage::family& rows,
            const log_bus_options& options);
  log_topic(const log_topic&) = delete;
  log_topic& operator=(const log_topic&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Stages the batch's row; returns its first position.
  std::uint64_t stage(const std::vector<offered>& batch);
  /// The batch staged at `first` is durable and may be delivered.
  void became_durable(std::uint64_t first, std::vector<offered> batch);

  void subscribe(subscription what, delivery_sink sink);
  void settle(const std::string& consumer, const std::vector<settled>& what);
  /// One batch to each consumer at most; true if more could go at once.
  bool deliver();

  /// Stages the cursors that moved; they wait for another's round.
  void stage_cursors();
  /// Stages every cursor in a round of its own: for a clean stop.
  void stage_cursors_urgently();
  /// Cuts off what nobody needs, once that is much.
  void trim();

  void count(bus_counters& into) const;

private:
  struct checkpoint {
    std::chrono::milliseconds at;
    std::uint64_t last = 0;
  };

  void load_ends();
  void load_cursors();
  [[nodiscard]] std::uint64_t start_of(const subscription& what);
  std::size_t read(std::uint64_t from, std::size_t count, delivery_batch& out);
  std::size_t read_rows(std::uint64_t from, std::size_t count,
                        delivery_batch& out) const;
  [[nodiscard]] std::uint64_t slowest_cursor() const;
  [[nodiscard]] std::uint64_t outlived();

  const std::string name_;
  storage::family& rows_;
  const log_bus_options& options_;
  recent_log recent_;
  std::uint64_t first_ = 1;        // the oldest readable position
  std::uint64_t next_ = 1;         // of the next event staged
  std::uint64_t durable_last_ = 0; // the newest readable position
  std::vector<std::unique_ptr<consumer_line>> lines_;
  std::map<std::string, std::uint64_t, std::less<>> cursors_; // as staged
  std::deque<checkpoint> checkpoints_;
  std::size_t turn_ = 0; // who is served first
};

} // namespace parcelflow::bus
