// The order owner with silent neighbours, and what callers and neighbours say
// to it.
// Thread rule: the test's thread.
#pragma once

#include "actors/order.hpp"
#include "storage/keys.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/lone.hpp"
#include "tests/support/domain_samples.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

using namespace actors;

/// What one caller heard; nothing yet if it is empty.
using heard_answer = std::shared_ptr<std::optional<place_answer>>;
using heard_command =
  std::shared_ptr<std::optional<domain::outcome<command_answer>>>;

struct lone_order : lone {
  heard_by_inventory inventory;
  heard_by_payment payment;
  heard_by_relay relay;
  order_limits limits;
  std::shared_ptr<std::atomic<bool>> disk_ok =
    std::make_shared<std::atomic<bool>>(true);
  order_actor subject;

  explicit lone_order(order_limits with = {}) : limits(std::move(with)) {
    spawn();
  }
  ~lone_order() { die(subject); }
  void spawn() {
    order_dependencies with{store->take(storage::owner::order),
                            way,
                            limits,
                            &clock,
                            ids,
                            {},
                            &metrics,
                            disk_ok,
                            on->spawn(silent_inventory, &inventory),
                            on->spawn(silent_payment, &payment),
                            on->spawn(silent_relay, &relay)};
    subject = on->spawn(order, std::move(with));
    run();
  }
  void restart() {
    die(subject);
    live();
    spawn();
  }

  // --- callers --------------------------------------------------------------
  heard_answer place(const std::string& tenant, const std::string& key = "k",
                     std::int64_t quantity = 1) {
    auto of = std::make_shared<place_order>();
    of->request.tenant_id = tenant;
    of->request.idempotency_key = key;
    of->request.lines = {{"sku-1", quantity, 1250}};
    of->request.currency = "EUR";
    of->request.total_minor = quantity * 1250;
    of->request.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of->request.fingerprint =
      digest_of(key, static_cast<std::uint64_t>(quantity));
    auto heard = std::make_shared<std::optional<place_answer>>();
    of->answer = [heard](place_answer answer) {
      CHECK_FALSE_MESSAGE(heard->has_value(), "answered twice");
      *heard = std::move(answer);
    };
    caf::anon_send(subject, place_atom::value, place_ptr(std::move(of)));
    run();
    return heard;
  }
  heard_command command(const std::string& tenant, const std::string& id,
                        domain::order_command what) {
    auto heard =
      std::make_shared<std::optional<domain::outcome<command_answer>>>();
    auto of = std::make_shared<order_command>(order_command{
      tenant, id, what, {}, {}, [heard](const auto& a) { *heard = a; }});
    caf::anon_send(subject, command_atom::value, command_ptr(std::move(of)));
    run();
    return heard;
  }

  // --- neighbours -----------------------------------------------------------
  static reservation_ref reservation_of(const reserve_request& asked) {
    return {asked.tenant_id, "rsv-" + asked.tenant_id, asked.idempotency_key};
  }
  void reserved(const reserve_request& asked) {
    reserved(reserve_answer{asked.attempt, reservation_of(asked)});
  }
  void reserved(const reserve_answer& answer) {
    caf::anon_send(
      subject, reserved_atom::value,
      std::make_shared<const std::vector<reserve_answer>>(1, answer));
    run();
  }
  void granted(const authorize_request& asked) {
    granted(authorize_answer{
      asked.attempt,
      domain::authorization{"aut-" + asked.payment.reservation_id,
                            asked.payment.amount_minor, clock.now(), 0}});
  }
  void granted(const authorize_answer& answer) {
    caf::anon_send(
      subject, granted_atom::value,
      std::make_shared<const std::vector<authorize_answer>>(1, answer));
    run();
  }
  std::vector<resolve_answer> resolve(const reservation_ref& of) {
    caf::anon_send(subject, resolve_atom::value,
                   std::make_shared<const std::vector<reservation_ref>>(1, of));
    run();
    return taken(inventory.resolved);
  }
  /// Up to the grant: staged, and its round asked for.
  heard_answer stage(const std::string& tenant, const std::string& key = "k",
                     std::int64_t quantity = 1) {
    auto heard = place(tenant, key, quantity);
    reserved(taken(inventory.reserve).back());
    granted(taken(payment.authorize).back());
    return heard;
  }
  /// The positive control: an order of tn-b that goes all the way.
  std::string serves(const std::string& key = "control") {
    const auto heard = stage("tn-b", key);
    commit();
    REQUIRE(heard->has_value());
    REQUIRE((*heard)->what == place_answer::kind::accepted);
    REQUIRE(relay.fresh.size() == 1);
    CHECK(taken(relay.fresh)[0].event->envelope.tenant_id == "tn-b");
    return (*heard)->order_id;
  }
  bool has_key(const std::string& tenant, const std::string& key = "k") {
    return stored(storage::owner::order, storage::idempotency_key(tenant, key))
      .has_value();
  }
};

inline domain::failure why(const heard_answer& heard) {
  REQUIRE(heard->has_value());
  CHECK((*heard)->what == place_answer::kind::refused);
  return (*heard)->why.code;
}

inline bool accepted(const heard_answer& heard, bool repeated = false) {
  return heard->has_value() && (*heard)->what == place_answer::kind::accepted
         && (*heard)->repeated == repeated;
}

} // namespace parcelflow::test
