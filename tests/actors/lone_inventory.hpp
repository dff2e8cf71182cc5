// The inventory owner with silent neighbours, and what they say to it.
// Thread rule: the test's thread.
#pragma once

#include "actors/inventory.hpp"
#include "codec/event_json.hpp"
#include "codec/order_json.hpp"
#include "storage/keys.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/lone.hpp"
#include "tests/support/domain_samples.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

using namespace actors;

struct lone_inventory : lone {
  heard_by_order order;
  heard_by_payment payment;
  heard_by_dead_letter dead_letter;
  silent_bus bus;
  inventory_limits limits;
  int recovered = 0;
  std::uint64_t attempts = 0;
  std::uint64_t tokens = 0;
  inventory_actor subject;

  explicit lone_inventory(bool started = true) {
    spawn();
    if (started)
      commit();
  }
  ~lone_inventory() { end(); }
  void spawn() {
    hosting_links links;
    links.bus = &bus;
    links.dead_letters = on->spawn(silent_dead_letter, &dead_letter);
    links.recovered = [this] { ++recovered; };
    inventory_dependencies with{store->take(storage::owner::inventory),
                                way,
                                limits,
                                {},
                                &clock,
                                ids,
                                &metrics,
                                links,
                                on->spawn(silent_payment, &payment),
                                {}};
    subject = on->spawn(inventory, std::move(with));
    caf::anon_send(subject, meet_atom::value, on->spawn(silent_order, &order));
    run();
  }
  void end() {
    bus.forget();
    die(subject);
  }
  void restart() {
    end();
    live();
    spawn();
    commit_all();
  }

  // --- what is asked of it --------------------------------------------------
  using heard_stock =
    std::shared_ptr<std::optional<domain::outcome<domain::stock>>>;
  heard_stock set(const std::string& tenant, std::int64_t on_hand,
                  const std::string& sku = "sku-1") {
    auto heard =
      std::make_shared<std::optional<domain::outcome<domain::stock>>>();
    caf::anon_send(subject, stock_atom::value,
                   std::make_shared<set_stock>(set_stock{
                     tenant, sku, on_hand, [heard](auto a) { *heard = a; }}));
    run();
    return heard;
  }
  /// Ten of each tenant, durable.
  void stocked() {
    set("tn-a", 10);
    set("tn-b", 10);
    commit_all();
  }
  reserve_request ask(const std::string& tenant, const std::string& key = "k",
                      std::int64_t quantity = 1) {
    return {++attempts,
            tenant,
            key,
            digest_of(key, static_cast<std::uint64_t>(quantity)),
            {{"sku-1", quantity}}};
  }
  void reserve(std::vector<reserve_request> asked) {
    caf::anon_send(
      subject, reserve_atom::value,
      std::make_shared<const std::vector<reserve_request>>(std::move(asked)));
    run();
  }
  /// Held and durable; what it is called.
  reservation_ref held_by(const std::string& tenant,
                          const std::string& key = "k",
                          std::int64_t quantity = 1) {
    reserve({ask(tenant, key, quantity)});
    commit_all();
    auto answers = taken(order.reserved);
    REQUIRE(answers.size() == 1);
    REQUIRE(answers[0].reserved.ok());
    return *answers[0].reserved;
  }
  void release(const reservation_ref& of) {
    caf::anon_send(subject, release_atom::value,
                   std::make_shared<const std::vector<reservation_ref>>(1, of));
    run();
  }
  void resolved(const reservation_ref& of, bool bound) {
    caf::anon_send(subject, resolved_atom::value,
                   std::make_shared<const std::vector<resolve_answer>>(
                     1, resolve_answer{of, bound}));
    run();
  }
  void told(const dead_letter_ref& which) {
    caf::anon_send(subject, told_atom::value, which);
    run();
  }

  // --- events ---------------------------------------------------------------
  /// Of the order `o-1` of the reservation's tenant; or of another tenant, who
  /// names what is not its own.
  static domain::event_ptr event(const reservation_ref& of,
                                 std::uint64_t sequence, std::string_view type,
                                 const std::string& tenant = {}) {
    domain::order order;
    order.order_id = "o-1";
    order.reservation_id = of.reservation_id;
    order.authorization.id = "aut-1";
    order.lines = {{"sku-1", 1, 100}};
    order.currency = "EUR";
    order.steps = {{domain::order_state::accepted, 1, 1, 1}};
    domain::envelope about;
    about.tenant_id = tenant.empty() ? of.tenant_id : tenant;
    about.event_id = "e-" + about.tenant_id + "-" + std::to_string(sequence);
    about.event_type = type;
    about.event_version = 1;
    about.aggregate_id = "o-1";
    about.aggregate_sequence = sequence;
    about.occurred_at = "2026-11-30T00:00:00.000Z";
    about.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    about.data = type == domain::order_accepted
                   ? codec::accepted_data(order)
                   : codec::cancelled_data(order, 1);
    return codec::make_event(std::move(about));
  }
  /// In one batch, with the tokens that follow.
  void deliver(const std::vector<domain::event_ptr>& events) {
    auto batch = std::make_shared<bus::delivery_batch>();
    for (const auto& one : events) {
      bus::delivery of;
      of.event = one;
      of.topic = domain::order_topic;
      of.token = ++tokens;
      batch->push_back(std::move(of));
    }
    caf::anon_send(subject, deliver_atom::value,
                   std::string(domain::inventory_consumer),
                   delivery_ptr(std::move(batch)));
    run();
  }
  std::vector<std::uint64_t> settled() {
    return taken(bus.settled[std::string(domain::inventory_consumer)]);
  }

  // --- what is durable ------------------------------------------------------
  domain::stock stock(const std::string& tenant,
                      const std::string& sku = "sku-1") {
    const auto row =
      stored(storage::owner::inventory, storage::stock_key(tenant, sku));
    REQUIRE(row.has_value());
    return *domain::decode_stock(*row);
  }
  domain::reservation_state state(const reservation_ref& of) {
    const auto row =
      stored(storage::owner::inventory,
             storage::reservation_key(of.tenant_id, of.reservation_id));
    REQUIRE(row.has_value());
    return domain::decode_reservation(*row)->state;
  }
  domain::stream_row stream(const std::string& tenant) {
    const auto row =
      stored(storage::owner::inventory,
             storage::stream_key(tenant, domain::inventory_consumer, "o-1"));
    return row ? *domain::decode_stream(*row) : domain::stream_row{};
  }
};

} // namespace parcelflow::test
