// The order owner: takes orders from request to committed intent, and the two
// further steps of an accepted one. It alone writes orders, idempotency keys
// and the outbox.
//
// An attempt is one key on its way: reserving -> authorizing -> staged. Until
// it is staged a deadline may end it (504, reservation released); once it is
// staged there is no refusal, past the deadline the answer is "pending".
// Thread rule: an actor; its answers run on its thread. Errors: faults in the
// answers; a failing store is fail-stop.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/round_writer.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace parcelflow::actors {

struct order_limits {
  std::size_t inflight_orders_max = 4096;
  unix_ms accept_deadline_ms = 5000;
  unix_ms payment_deadline_ms = 3000;         ///< of the authorizer alone
  std::size_t payload_bytes_max = 512 * 1024; ///< of an encoded event
  /// Tenants whose OrderAccepted has another version than 1.
  std::unordered_map<std::string, std::uint32_t> accepted_version;
};

struct order_dependencies {
  storage::family rows;
  commit_way way;
  order_limits limits;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids;
  /// Names the event of an order's sequence. Empty, or an empty answer:
  /// domain::own_event_id.
  std::function<std::string(const std::string& order_id, std::uint64_t)>
    name_event;
  support::metrics* metrics = nullptr;
  /// The disk is above its watermark; read by the door too.
  std::shared_ptr<const std::atomic<bool>> disk_ok;
  inventory_actor inventory;
  payment_actor payment;
  relay_actor relay;
};

class order_state {
public:
  static inline constexpr const char* name = "order";

  void init(order_actor::pointer self, order_dependencies with);

  void place(const place_ptr& order);
  void reserved(const std::vector<reserve_answer>& answers);
  void granted(const std::vector<authorize_answer>& answers);
  void command(const command_ptr& what);
  void resolve(const std::vector<reservation_ref>& asked);
  void resend(const resend_request& what);
  void flush();
  void durable();
  void tick();
  caf::result<bool> drain();

private:
  enum class stage : std::uint8_t { reserving, authorizing, staged };
  struct attempt {
    domain::order_request request;
    std::vector<std::function<void(place_answer)>> answers;
    stage at = stage::reserving;
    unix_ms deadline = 0; ///< on the steady clock
    std::string reservation_id;
    std::string refused_reservation; ///< inventory was told: not this one
    std::shared_ptr<const domain::order> order; ///< staged
  };
  using attempts_map = std::unordered_map<std::uint64_t, attempt>;

  // order.cpp
  std::optional<place_answer> known_key(const domain::order_request& request);
  bool join(place_order& order);
  void stage_order(std::uint64_t id, attempt& on,
                   domain::authorization granted);
  void take_step(domain::order& of, domain::order_state to) const;
  domain::event_ptr event_of(const domain::order& of,
                             const domain::order_step& step) const;
  void stage_event(const domain::order_step& step, domain::event_ptr event);
  void refuse(attempts_map::iterator at, domain::fault why);
  void release(const std::string& tenant, const std::string& reservation);
  void release_late(const reserve_answer& answer);
  void forget(attempts_map::iterator at);
  void accepted(const std::vector<std::uint64_t>& ids);
  void after(bool also = false);

  // order_commands.cpp
  std::optional<domain::order> load(const std::string& tenant,
                                    const std::string& order_id);
  bool is_bound(const reservation_ref& of);

  order_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  std::optional<order_dependencies> with_;
  attempts_map attempts_;
  std::unordered_map<std::string, std::uint64_t> by_key_;
  /// In the order of time, since every order gets the same span.
  std::deque<std::pair<unix_ms, std::uint64_t>> deadlines_;
  std::deque<std::pair<unix_ms, std::uint64_t>> payment_deadlines_;
  std::uint64_t next_attempt_ = 1;
  std::uint64_t next_position_ = 1;
  bool ticking_ = false;
  bool draining_ = false;
  std::optional<caf::typed_response_promise<bool>> drained_;
  // gathered until the next flush
  std::vector<reserve_request> to_reserve_;
  std::vector<std::uint64_t> staged_;
  std::vector<fresh_event> fresh_;
  support::counter accepted_total_;
  support::counter repeated_total_;
  std::unordered_map<std::string, support::counter> refused_total_;
};

order_actor::behavior_type
order(order_actor::stateful_pointer<order_state> self, order_dependencies with);

} // namespace parcelflow::actors
