// Rows of the owners staged by hand, for what a view must make of them.
// Owner: the test. Thread rule: the test's thread.
#pragma once

#include "domain/order_view.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "storage/status_view.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

namespace parcelflow::test {

inline constexpr support::unix_ms noon = 1'800'000'000'000;
inline const std::string first_ulid = "01HZZZZZZZZZZZZZZZZZZZZZZ1";

class status_fixture {
public:
  status_fixture()
    : store(open_or_throw(options_for(directory.path() + "/data"))),
      view(*store) {}

  /// One row of one owner, durable.
  void put(storage::owner of, std::string key, std::string value) {
    if (!families_[static_cast<std::size_t>(of)])
      families_[static_cast<std::size_t>(of)] =
        std::make_unique<storage::family>(store->take(of));
    auto& family = *families_[static_cast<std::size_t>(of)];
    family.put(std::move(key), std::move(value));
    commit(*store, family);
  }

  static domain::order an_order(const std::string& tenant,
                                const std::string& id,
                                std::uint64_t position = 1) {
    domain::order of;
    of.tenant_id = tenant;
    of.order_id = id;
    of.idempotency_key = "key-" + id;
    of.reservation_id = "rsv-" + id;
    of.authorization = {"aut-1", 1250, noon, 0};
    of.lines = {{"sku-1", 1, 1250}};
    of.currency = "EUR";
    of.total_minor = 1250;
    of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of.steps = {{domain::order_state::accepted, 1, position, noon}};
    return of;
  }
  void put(const domain::order& of) {
    put(storage::owner::order, storage::order_key(of.tenant_id, of.order_id),
        domain::encode(of));
    put(storage::owner::order,
        storage::idempotency_key(of.tenant_id, of.idempotency_key),
        storage::encode(storage::key_row{of.order_id, of.fingerprint}));
  }
  void publish(std::uint64_t first, std::uint64_t last) {
    storage::receipt_run run{first, noon + 5, 1, {}};
    for (auto at = first; at <= last; ++at)
      run.broker_ids.push_back("log-" + std::to_string(at));
    put(storage::owner::relay,
        storage::receipt_run_key(storage::the_lane, last),
        storage::encode(run));
  }
  void hold(const domain::order& of, const storage::held_stream& held) {
    put(storage::owner::relay,
        storage::held_stream_key(of.tenant_id, of.order_id),
        storage::encode(held));
  }
  void stream(storage::owner owner, std::string_view consumer,
              const domain::order& of, const domain::stream_row& row) {
    put(owner, storage::stream_key(of.tenant_id, consumer, of.order_id),
        domain::encode(row));
  }
  void room(storage::owner owner, std::string_view consumer,
            const domain::order& of, std::uint64_t sequence,
            const storage::room_row& row) {
    put(
      owner,
      storage::waiting_room_key(of.tenant_id, consumer, of.order_id, sequence),
      storage::encode(row));
  }
  /// The acceptance applied by fulfillment and notification.
  void finish(const domain::order& of, domain::via door = domain::via::delivery,
              const std::string& replay_id = {}) {
    domain::stream_row row;
    row.position = 1;
    row.recent = {{1,
                   domain::own_event_id(of.order_id, 1),
                   {},
                   domain::inbox_mark::applied,
                   door,
                   {},
                   replay_id,
                   noon + 9}};
    row.effect = domain::encode(domain::fulfillment_job{
      "ful-" + of.order_id, domain::job_state::started, noon + 9, 0});
    stream(storage::owner::fulfillment, domain::fulfillment_consumer, of, row);
    row.effect = domain::encode(std::vector<domain::notification_send>{
      {std::string(domain::confirmation_template), "ntf-" + of.order_id,
       noon + 10}});
    stream(storage::owner::notification, domain::notification_consumer, of,
           row);
  }
  void letter(const std::string& tenant, const std::string& id,
              domain::dead_letter_cause cause, const std::string& consumer,
              const std::string& aggregate = "ord-1",
              const std::string& event = {}) {
    domain::dead_letter of;
    of.consumer = consumer;
    of.cause = cause;
    of.aggregate_id = aggregate;
    of.event_id = event.empty() ? domain::own_event_id(aggregate, 1) : event;
    of.observed_sequence = 1;
    of.steps = {{domain::dead_letter_state::open, "system", "why", noon}};
    put(storage::owner::dead_letter, storage::dead_letter_key(tenant, id),
        domain::encode(of));
    put(storage::owner::dead_letter, storage::payload_key(tenant, id),
        std::string("\x01\0", 2) + "the bytes");
  }
  domain::order_progress progress(const domain::order& of) {
    auto found = view.order(of.tenant_id, of.order_id);
    REQUIRE(found.ok());
    return found->progress;
  }

  temp_directory directory;
  std::unique_ptr<storage::store> store;
  storage::status_view view;

private:
  std::unique_ptr<storage::family> families_[storage::owner_count];
};

} // namespace parcelflow::test
