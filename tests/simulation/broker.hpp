// A broker of the simulated world. It lives outside the process that crashes,
// so what it accepted and what it heard settled is evidence: the checker holds
// the store against it. It promises what the port promises (at least once, a
// key's events in their order) and, while its mood is bad, keeps the least of
// it: replies get lost, deliveries come twice, late, out of order, or not
// until the connection was made anew.
//
// Nothing happens inside a call of the port; `pump` does one thing at a time,
// as the schedule draws it.
// Thread rule: the driver's thread.
#pragma once

#include "bus/event_bus.hpp"
#include "tests/simulation/chance.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace parcelflow::simulation {

/// Per cent of the occasions; all zero: a broker on its best day.
struct broker_mood {
  std::uint64_t lose_reply = 0; ///< accepted, and the publisher never hears it
  std::uint64_t unreachable = 0;
  std::uint64_t refuse = 0; ///< this event, whenever it comes in this mood
  std::uint64_t part = 0;   ///< a batch is accepted up to some event
  std::uint64_t duplicate = 0;
  std::uint64_t reorder = 0;
  bool deliveries_cut = false;
  bool settles_cut = false;
  bool replies_cut = false;
};

class outer_broker {
public:
  struct consumer_books {
    std::set<std::size_t> acked; ///< entries that it heard settled for good
    std::uint64_t delivered = 0;
  };
  struct counters {
    std::uint64_t accepted = 0, lost_replies = 0, unreachable = 0, refused = 0,
                  partial = 0, duplicates = 0, reordered = 0, lost_settles = 0;
  };

  outer_broker();
  ~outer_broker();
  outer_broker(const outer_broker&) = delete;
  outer_broker& operator=(const outer_broker&) = delete;

  /// A connection of a new process; the one before is dead from now on, and
  /// what it had not settled is delivered again.
  [[nodiscard]] std::unique_ptr<bus::event_bus> connect();
  /// The process is gone, and with it the connection.
  void disconnect();

  /// One thing: a publish judged, a reply handed over, a delivery made. False
  /// if there was nothing to do.
  bool pump(chance& draw);
  [[nodiscard]] bool busy() const;

  void set_mood(const broker_mood& mood);
  /// An event that no order of ours made comes in.
  void inject(domain::event_ptr event);
  [[nodiscard]] bool injected(std::size_t entry) const {
    return injected_.contains(entry);
  }
  /// Of injected events, sometimes: no consumer ever learns it.
  static constexpr std::uint32_t unknown_version = 9;

  [[nodiscard]] const std::vector<domain::event_ptr>& entries() const {
    return entries_;
  }
  [[nodiscard]] const std::map<std::string, consumer_books>& consumers() const {
    return books_;
  }
  /// True if an event of that id was ever accepted.
  [[nodiscard]] bool accepted(const std::string& event_id) const {
    return accepted_.contains(event_id);
  }
  [[nodiscard]] const counters& counted() const { return counters_; }

private:
  class connection;
  struct line;
  struct request {
    std::vector<bus::offered> batch;
    bus::publish_done done;
  };
  struct reply {
    bus::publish_done done;
    std::vector<bus::publish_result> results;
  };

  void take_request(chance& draw);
  bus::publish_result judge(const bus::offered& one, chance& draw);
  bool deliver(line& to, chance& draw);
  void settle(const std::string& consumer,
              const std::vector<bus::settled>& what);
  [[nodiscard]] std::vector<std::size_t> deliverable(const line& of) const;

  broker_mood mood_;
  counters counters_;
  std::vector<domain::event_ptr> entries_;
  std::set<std::size_t> injected_; ///< entries
  std::set<std::string> accepted_;
  std::set<std::string> refused_; ///< in this mood
  std::map<std::string, consumer_books> books_;

  // --- of the connection ----------------------------------------------------
  std::uint64_t epoch_ = 0; ///< of the living connection; 0: none
  std::uint64_t epochs_ = 0;
  std::deque<request> requests_;
  std::deque<reply> replies_;
  std::map<std::string, std::unique_ptr<line>> lines_;
  std::set<std::uint64_t> unheard_; ///< tokens whose settle was lost
  std::uint64_t next_token_ = 1;
};

} // namespace parcelflow::simulation
