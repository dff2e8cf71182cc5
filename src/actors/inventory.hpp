// The inventory owner: stock, reservations, and the third consumer of order
// events. A reservation is held until its order is accepted; past its deadline
// the order owner is asked to resolve it, and only then it is released.
//
// Held reservations are listed in chunk rows, one a round, so that a restart
// finds them without a scan; a chunk goes when its last one is settled.
// Thread rule: an actor. Errors: faults in the answers; storage is fail-stop.
#pragma once

#include "actors/hosting.hpp"
#include "actors/interfaces.hpp"
#include "actors/round_writer.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace parcelflow::actors {

struct inventory_limits {
  unix_ms reservation_deadline_ms = 30000;
  unix_ms resolve_retry_ms = 1000;
};

struct inventory_dependencies {
  storage::family rows;
  commit_way way;
  inventory_limits limits;
  consumer_limits consuming;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids;
  support::metrics* metrics = nullptr;
  hosting_links links; ///< `resend` is set when the order owner is met
  payment_actor payment;
  /// What the configuration adds to the spec. May be empty.
  std::function<void(domain::consumer_spec&)> adjust_spec;
};

class inventory_state {
public:
  static inline constexpr const char* name = "inventory";

  void init(inventory_actor::pointer self, inventory_dependencies with);
  void meet(const order_actor& order);

  void put_stock(const set_stock_ptr& what);
  void reserve(const std::vector<reserve_request>& asked);
  void release(const std::vector<reservation_ref>& which);
  void resolved(const std::vector<resolve_answer>& answers);
  void deliver(const bus::delivery_batch& batch);
  void told(const dead_letter_ref& which);
  void operate(const stream_op& what);
  void obey(const domain::pause_set_ptr& pauses);
  void flush();
  void durable();
  void tick();
  caf::result<bool> drain();

private:
  struct held_chunk {
    unix_ms deadline = 0;
    std::vector<reservation_ref> members;
    std::size_t held = 0;
  };

  // inventory.cpp
  reserve_answer reserve_one(const reserve_request& asked);
  std::optional<std::string> adopt(const reserve_request& asked);
  std::optional<domain::stock> stock_of(const std::string& tenant,
                                        std::string_view sku);
  void put(const std::string& tenant, const domain::stock_changes& changes);
  std::optional<domain::reservation> load(const std::string& tenant,
                                          const std::string& id);
  void join_chunk(const reservation_ref& of, domain::reservation& held);
  bool release_one(const reservation_ref& of);
  void left_held(const reservation_ref& of, const domain::reservation& was);
  void after();

  // inventory_life.cpp
  void load_held();
  domain::effect_answer effect(const domain::event& of,
                               domain::effect_rows& rows);
  void ask_overdue();
  /// Until its reservations are overdue; 0: they are.
  [[nodiscard]] unix_ms time_left(const held_chunk& of) const;

  inventory_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  std::optional<inventory_dependencies> with_;
  std::unique_ptr<consumer> consumer_;
  order_actor order_;
  std::map<std::uint64_t, held_chunk> chunks_;
  std::uint64_t open_chunk_ = 1;
  bool chunk_changed_ = false;
  std::unordered_map<std::string, std::string> held_by_key_;
  std::set<std::pair<std::string, std::string>> resolving_;
  std::vector<reserve_request> postponed_; ///< their key is being resolved
  /// The reservation that the effect under way takes out of `held`.
  std::optional<std::pair<reservation_ref, domain::reservation>> leaving_;
  host_alarm alarm_;
  std::optional<caf::typed_response_promise<bool>> drained_;
  bool stopped_ = false;
  support::counter expired_;
};

inventory_actor::behavior_type
inventory(inventory_actor::stateful_pointer<inventory_state> self,
          inventory_dependencies with);

} // namespace parcelflow::actors
