// The relay: moves committed outbox rows to the bus and keeps the books.
//
// `published_up_to` is the gapless prefix that the bus accepted; it and the
// receipts are one batch. A hint carries fresh rows and saves a read; a hint
// that does not begin at the next position is dropped and the store is
// scanned: the store is the truth. An event that is refused holds its own
// stream only; a bus that cannot be reached stops the cursor, and the batch is
// offered again. Within a stream the next event is offered only after the one
// before was accepted.
// Thread rule: an actor. Errors: none leave; what cannot be published ends as
// a dead letter of the pseudo-consumer "publish".
#pragma once

#include "actors/hosting.hpp"
#include "actors/round_writer.hpp"
#include "domain/retry_policy.hpp"
#include "storage/outbox.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::actors {

struct relay_limits {
  std::size_t batch_events_max = 512;     ///< events a publish call
  std::size_t publish_window = 4;         ///< open publish calls
  std::size_t hint_bytes_max = 8U << 20U; ///< fresh rows kept in memory
  std::size_t held_streams_max = 1000;    ///< beyond: the cursor stops
  domain::retry_policy retry;             ///< of refused and unreachable
  unix_ms publish_deadline_ms = 5000;     ///< then the outcome is unknown
  unix_ms poll_max_ms = 30000;            ///< longest pause of the safety poll
  std::string environment = "dev";
};

struct relay_dependencies {
  storage::family rows;
  commit_way way;
  relay_limits limits;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids;
  support::metrics* metrics = nullptr;
  bus::event_bus* bus = nullptr;
  dead_letter_actor dead_letters;
};

class relay_state {
public:
  static inline constexpr const char* name = "relay";

  void init(relay_actor::pointer self, relay_dependencies with);

  void fresh(const std::vector<fresh_event>& hint);
  void published(std::uint64_t number,
                 const std::vector<bus::publish_result>& results);
  void again(const std::vector<offer_again>& offers);
  void told(const dead_letter_ref& which);
  /// A replay of what the bus refused for good: it is offered again.
  void operate(const stream_op_ptr& what);
  void obey(domain::pause_set_ptr pauses);
  void flush();
  void durable();
  void tick();
  caf::result<bool> drain();

private:
  using stream_id = std::pair<std::string, std::string>;
  struct open_batch {
    std::uint64_t number = 0;
    std::uint64_t last_position = 0; ///< held ones at its end included
    unix_ms sent_at = 0;             ///< by the steady clock
    std::vector<fresh_event> events;
    std::optional<std::vector<bus::publish_result>> results;
  };
  struct extra_offer { // a resend, or the head of a held stream
    fresh_event event;
    std::uint32_t offer = 0;
    bool held = false;
    unix_ms sent_at = 0;  ///< by the steady clock
    stream_op_ptr replay; ///< whom to answer; null: nobody asked
  };

  // relay.cpp: the ordinary way
  void pump();
  bool fill();
  std::optional<open_batch> next_span();
  void publish(open_batch span);
  void send(std::uint64_t number, std::vector<bus::offered> events);
  void settle_front();
  bool book(const open_batch& batch);
  std::optional<std::size_t> hold_refused(const open_batch& batch);
  void rewind(std::uint64_t position, const domain::fault& why);
  void put_runs(const open_batch& batch);
  void after();
  void arm_poll();

  // relay_ops.cpp: what responders do
  void answer(const stream_op& what, stream_result result);
  bool settle_replay(const extra_offer& of, storage::held_stream& held,
                     const bus::publish_result& result);

  // relay_held.cpp: refused events and resends
  void hold(const fresh_event& event, const domain::fault& why);
  void offer_held(const stream_id& stream, stream_op_ptr replay = nullptr);
  void offer_extra(extra_offer what);
  void end_overdue();
  /// Until a held stream is offered again; 0: now.
  [[nodiscard]] unix_ms time_left(const storage::held_stream& of) const;
  void settle_extra(const extra_offer& of, const bus::publish_result& result);
  void next_of_held(const stream_id& stream, std::uint64_t accepted_sequence);
  void give_up(const stream_id& stream, storage::held_stream& held,
               const fresh_event& event);
  void tell(const std::string& tenant, const std::string& id,
            storage::tell_row row);
  std::optional<fresh_event> read(std::uint64_t position);
  void load_books();

  relay_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  std::optional<relay_dependencies> with_;
  bus::adapter_traits traits_;
  std::uint64_t published_up_to_ = 0;
  std::uint64_t next_read_ = 1; ///< first position not taken into `ready_`
  bool behind_ = true;          ///< the store may hold more than was hinted
  std::deque<fresh_event> ready_;
  std::size_t ready_bytes_ = 0;
  std::deque<open_batch> open_;
  std::set<stream_id> open_streams_;
  std::uint64_t next_number_ = 1;
  std::map<std::uint64_t, extra_offer> extras_;
  std::map<stream_id, storage::held_stream> held_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> tells_;
  std::uint32_t failures_ = 0; ///< in a row, of reaching the bus
  unix_ms retry_at_ = 0;       ///< by the steady clock
  unix_ms poll_ms_ = 1000;
  host_alarm alarm_;
  domain::pause_set_ptr pauses_;
  bool draining_ = false;
  std::optional<caf::typed_response_promise<bool>> drained_;
  support::counter published_total_;
  support::counter failed_total_;
  support::counter resent_total_;
  support::gauge held_now_;
};

relay_actor::behavior_type
relay(relay_actor::stateful_pointer<relay_state> self, relay_dependencies with);

} // namespace parcelflow::actors
