// The relay with a silent bus and a silent dead-letter owner, over outbox rows
// that the test commits.
// Thread rule: the test's thread.
#pragma once

#include "actors/relay.hpp"
#include "codec/event_json.hpp"
#include "domain/order.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/lone.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

using namespace actors;

struct lone_relay : lone {
  heard_by_dead_letter dead_letter;
  silent_bus bus;
  relay_limits limits;
  std::optional<storage::family> outbox; ///< of the order owner
  std::map<std::pair<std::string, std::string>, domain::order> orders;
  std::vector<domain::event_ptr> events; ///< position 1 is the first
  relay_actor subject;

  explicit lone_relay(relay_limits with = {}, bool atomic_batch = false)
    : limits(std::move(with)) {
    limits.retry.attempts_max = 3;
    limits.retry.jitter_percent = 0;
    bus.is.atomic_batch = atomic_batch;
    spawn();
  }
  ~lone_relay() { end(); }
  void spawn() {
    outbox.emplace(store->take(storage::owner::order));
    subject = on->spawn(
      relay, relay_dependencies{store->take(storage::owner::relay), way, limits,
                                &clock, ids, &metrics, &bus,
                                on->spawn(silent_dead_letter, &dead_letter)});
    run();
  }
  void end() {
    bus.forget();
    outbox.reset();
    die(subject);
  }
  void restart() {
    end();
    live();
    spawn();
  }

  /// Commits the next event of the tenant's order: "a1" is tn-a's first.
  std::uint64_t put(const std::string& tenant,
                    const std::string& aggregate = "o-1") {
    auto& order = orders[{tenant, aggregate}];
    const auto position = events.size() + 1;
    order.order_id = aggregate;
    order.steps.push_back({order.steps.empty() ? domain::order_state::accepted
                                               : domain::order_state::cancelled,
                           order.steps.size() + 1, position, clock.now()});
    domain::envelope about;
    about.event_id = tenant.substr(3) + std::to_string(order.steps.size());
    if (aggregate != "o-1")
      about.event_id += '.' + aggregate;
    about.event_type = domain::event_type_of(order.state());
    about.event_version = 1;
    about.tenant_id = tenant;
    about.aggregate_id = aggregate;
    about.aggregate_sequence = order.steps.size();
    about.occurred_at = support::to_rfc3339(clock.now());
    about.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    about.data = "{}";
    events.push_back(codec::make_event(std::move(about)));
    outbox->put(storage::outbox_key(storage::the_lane, position),
                storage::encode(storage::outbox_row{
                  tenant, events.back()->digest, events.back()->bytes}));
    outbox->put(storage::order_key(tenant, aggregate), domain::encode(order));
    test::commit(*store, *outbox);
    return position;
  }
  void hint(const std::vector<std::uint64_t>& positions) {
    std::vector<fresh_event> fresh;
    fresh.reserve(positions.size());
    for (const auto one : positions)
      fresh.push_back({one, events.at(one - 1)});
    caf::anon_send(
      subject, fresh_atom::value,
      std::make_shared<const std::vector<fresh_event>>(std::move(fresh)));
    run();
  }
  /// The events of tn-a and tn-b, in that order, committed and handed on.
  void both() {
    const auto a = put("tn-a");
    hint({a, put("tn-b")});
  }
  void again(std::uint64_t position) {
    caf::anon_send(subject, offer_atom::value,
                   std::make_shared<const std::vector<offer_again>>(
                     1, offer_again{position, 0}));
    run();
  }
  void told(const dead_letter_ref& which) {
    caf::anon_send(subject, told_atom::value, which);
    run();
  }
  using verdicts = std::map<std::string, domain::fault>;
  void answer(std::size_t offer, const verdicts& but = {}) {
    bus.offers.at(offer).answer(but);
    run();
  }
  /// The one offer that is open; it is taken away.
  std::vector<std::string> accept() {
    REQUIRE(bus.offers.size() == 1);
    auto named = bus.offers[0].ids();
    const auto offers = taken(bus.offers);
    offers[0].answer();
    run();
    return named;
  }

  // --- what is durable ------------------------------------------------------
  std::uint64_t cursor() {
    const auto row = stored(storage::owner::relay,
                            storage::relay_cursor_key(storage::the_lane));
    if (!row)
      return 0;
    storage::key_reader in(std::string_view(*row).substr(2));
    in.byte();
    return in.number();
  }
  std::optional<storage::receipt_run> run_to(std::uint64_t position) {
    const auto row =
      stored(storage::owner::relay,
             storage::receipt_run_key(storage::the_lane, position));
    if (!row)
      return std::nullopt;
    return *storage::decode_receipt_run(*row);
  }
  std::optional<storage::receipt_run> single(std::uint64_t position,
                                             std::uint64_t offer) {
    const auto row =
      stored(storage::owner::relay,
             storage::receipt_single_key(storage::the_lane, position, offer));
    if (!row)
      return std::nullopt;
    return *storage::decode_receipt_run(*row);
  }
  std::optional<storage::held_stream> held_of(const std::string& tenant) {
    const auto row =
      stored(storage::owner::relay, storage::held_stream_key(tenant, "o-1"));
    if (!row)
      return std::nullopt;
    return *storage::decode_held_stream(*row);
  }
};

} // namespace parcelflow::test
