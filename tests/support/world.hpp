// A whole ParcelFlow inside a test: the real actors on CAF's test coordinator,
// the real RocksDB in a temporary directory, virtual time. `run` works until
// nothing is left to do, `pass` moves the clock; `restart` closes and opens
// the same directory again. PARCELFLOW_TEST_COMMITTER=per_owner in the
// environment runs it with split batches.
#pragma once

#include "app/config.hpp"
#include "app/wiring.hpp"
#include "codec/event_json.hpp"
#include "codec/order_json.hpp"
#include "domain/fulfillment.hpp"
#include "domain/notification.hpp"
#include "storage/audit.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/stage.hpp"
#include "tests/support/temp_directory.hpp"

#include <caf/send.hpp>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::test {

using support::unix_ms;

inline app::config default_config() {
  auto loaded = app::load_config({});
  REQUIRE(loaded.ok());
  return loaded->values;
}

class world {
public:
  explicit world(const std::function<void(app::config&)>& adjust = {},
                 std::function<void(app::seams&)> inject = {})
    : settings(default_config()), inject_faults(std::move(inject)) {
    settings.data.directory = directory.path() + "/data";
    settings.storage.write_buffer_bytes = 4U << 20U;
    const char* committer = std::getenv("PARCELFLOW_TEST_COMMITTER");
    if (committer != nullptr && std::string_view(committer) == "per_owner")
      settings.storage.committer = app::committer_kind::per_owner;
    if (adjust)
      adjust(settings);
    start();
  }
  ~world() {
    CHECK(deaths.empty());
    close();
  }

  void start() {
    config = std::make_unique<coordinator_config>();
    system = std::make_unique<caf::actor_system>(*config);
    scheduler =
      &dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler());
    app::seams with;
    with.clock = &clock;
    with.seed = next_seed++;
    with.detached = false;
    with.run_scheduled = [this] { run(); };
    with.on_owner_death = [this](const std::string& why) {
      deaths.push_back(why);
    };
    if (inject_faults)
      inject_faults(with);
    auto made = app::runtime::start(*system, settings, with);
    REQUIRE_MESSAGE(made.ok(), (made ? "" : made.why().detail));
    it = std::move(*made);
    run();
  }
  /// Ends every actor where it stands and closes the store.
  void close() {
    it.reset();
    system.reset();
  }
  void restart() {
    close();
    start();
  }
  /// Works until nothing is left to do at this instant.
  void run() {
    do {
      steps += scheduler->run();
      // Delays of zero are due at once.
      scheduler->advance_time(std::chrono::milliseconds(0));
    } while (scheduler->has_job());
  }
  /// Lets virtual time pass, in steps, so that timers set on the way ring.
  void pass(unix_ms ms, unix_ms step = 50) {
    for (; ms > 0; ms -= step) {
      clock.advance(std::min(step, ms));
      scheduler->advance_time(std::chrono::milliseconds(std::min(step, ms)));
      run();
    }
  }

  void stock(const std::string& tenant, const std::string& sku,
             std::int64_t on_hand) {
    std::optional<domain::outcome<domain::stock>> answer;
    it->gateway().set_stock(tenant, sku, on_hand,
                            [&](auto a) { answer = std::move(a); });
    run();
    REQUIRE(answer.has_value());
    REQUIRE(answer->ok());
  }
  static domain::order_request request(const std::string& tenant,
                                       const std::string& key,
                                       std::int64_t quantity = 1,
                                       const std::string& token = "tok_ok",
                                       const std::string& sku = "sku-1") {
    domain::order_request of;
    of.tenant_id = tenant;
    of.idempotency_key = key;
    of.lines = {{sku, quantity, 1250}};
    of.currency = "EUR";
    of.payment_token = token;
    of.total_minor = quantity * 1250;
    of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of.fingerprint = codec::fingerprint_of(of);
    return of;
  }
  using answer_slot = std::shared_ptr<std::optional<actors::place_answer>>;
  /// Sends without waiting; the slot fills when the answer comes.
  answer_slot send(domain::order_request of) {
    auto slot = std::make_shared<std::optional<actors::place_answer>>();
    it->gateway().place(std::move(of), [slot](actors::place_answer a) {
      CHECK_FALSE_MESSAGE(slot->has_value(), "answered twice");
      *slot = std::move(a);
    });
    return slot;
  }
  actors::place_answer place(domain::order_request of) {
    auto slot = send(std::move(of));
    run();
    REQUIRE(slot->has_value());
    return **slot;
  }
  std::string accepted(const std::string& tenant, const std::string& key) {
    const auto answer = place(request(tenant, key));
    REQUIRE(answer.what == actors::place_answer::kind::accepted);
    return answer.order_id;
  }
  domain::outcome<actors::command_answer> command(const std::string& tenant,
                                                  const std::string& order_id,
                                                  domain::order_command what) {
    std::optional<domain::outcome<actors::command_answer>> answer;
    it->gateway().command({tenant, order_id, what, {}, {}},
                          [&](auto a) { answer = std::move(a); });
    run();
    REQUIRE(answer.has_value());
    return *answer;
  }

  // --- what is durable ----------------------------------------------------
  std::optional<domain::order> order(const std::string& tenant,
                                     const std::string& id) {
    const auto row = it->store().read().get(storage::owner::order,
                                            storage::order_key(tenant, id));
    if (!row)
      return std::nullopt;
    auto order = domain::decode_order(tenant, id, *row);
    REQUIRE(order.ok());
    return *order;
  }
  domain::stream_row stream(storage::owner of, std::string_view consumer,
                            const std::string& tenant,
                            const std::string& aggregate) {
    const auto row = it->store().read().get(
      of, storage::stream_key(tenant, consumer, aggregate));
    if (!row)
      return {};
    auto stream = domain::decode_stream(*row);
    REQUIRE(stream.ok());
    return *stream;
  }
  domain::stream_row fulfillment(const std::string& tenant,
                                 const std::string& aggregate) {
    return stream(storage::owner::fulfillment, domain::fulfillment_consumer,
                  tenant, aggregate);
  }
  domain::stream_row notification(const std::string& tenant,
                                  const std::string& aggregate) {
    return stream(storage::owner::notification, domain::notification_consumer,
                  tenant, aggregate);
  }
  std::optional<domain::fulfillment_job> job(const std::string& tenant,
                                             const std::string& aggregate) {
    auto job = domain::decode_job(fulfillment(tenant, aggregate).effect);
    REQUIRE(job.ok());
    return *job;
  }
  std::vector<domain::notification_send> sends(const std::string& tenant,
                                               const std::string& aggregate) {
    auto sends = domain::decode_sends(notification(tenant, aggregate).effect);
    REQUIRE(sends.ok());
    return *sends;
  }
  std::optional<domain::stock> stock_of(const std::string& tenant,
                                        const std::string& sku) {
    const auto row = it->store().read().get(storage::owner::inventory,
                                            storage::stock_key(tenant, sku));
    if (!row)
      return std::nullopt;
    auto stock = domain::decode_stock(*row);
    REQUIRE(stock.ok());
    return *stock;
  }
  std::vector<domain::dead_letter> dead_letters() {
    std::vector<domain::dead_letter> found;
    const auto from = storage::key_writer(storage::kind::dead_letter).take();
    it->store().read().scan(
      storage::owner::dead_letter, from, storage::prefix_end(from),
      [&](auto key, auto value) {
        storage::key_reader in(key);
        const auto tenant = in.text();
        const auto id = in.text();
        auto one = domain::decode_dead_letter(tenant, id, value);
        REQUIRE(one.ok());
        found.push_back(*one);
        return true;
      });
    return found;
  }
  std::uint64_t verdicts(const std::string& consumer,
                         const std::string& verdict) {
    return it->metrics()
      .counter("parcelflow_consumer_verdicts_total", "Deliveries by verdict",
               {{"consumer", consumer}, {"verdict", verdict}})
      .value();
  }

  // --- events from elsewhere ------------------------------------------------
  static domain::envelope foreign(const std::string& event_id,
                                  const std::string& tenant,
                                  const std::string& aggregate,
                                  std::uint64_t sequence,
                                  const std::string& type = "OrderAccepted",
                                  std::uint32_t version = 1) {
    domain::envelope of;
    of.event_id = event_id;
    of.event_type = type;
    of.event_version = version;
    of.tenant_id = tenant;
    of.aggregate_id = aggregate;
    of.aggregate_sequence = sequence;
    of.occurred_at = "2026-11-30T00:00:00.000Z";
    of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of.data = "{\"orderId\":\"" + aggregate + "\"}";
    return of;
  }
  /// Publishes straight onto the bus, as a foreign producer would.
  void publish(std::vector<domain::envelope> events) {
    std::vector<bus::offered> batch;
    batch.reserve(events.size());
    for (auto& one : events)
      batch.push_back({codec::make_event(std::move(one)), 0});
    it->bus().publish(domain::order_topic, std::move(batch), [](auto) {});
    run();
  }

  /// Hands one delivery to a consumer, past the bus: bytes as they came.
  void deliver(const actors::consumer_actor& to, std::string_view consumer,
               bus::delivery one) {
    one.topic = domain::order_topic;
    one.token = 1ULL << 40U; // of no event of the bus
    auto batch = std::make_shared<bus::delivery_batch>();
    batch->push_back(std::move(one));
    caf::anon_send(to, actors::deliver_atom::value, std::string(consumer),
                   actors::delivery_ptr(std::move(batch)));
    run();
  }
  /// As the codec would hand it on.
  void deliver_text(const actors::consumer_actor& to, std::string_view consumer,
                    const std::string& bytes) {
    bus::delivery one;
    auto parsed = codec::decode_event(bytes);
    if (parsed)
      one.event = *parsed;
    else {
      one.raw = std::make_shared<const std::string>(bytes);
      one.why = parsed.why();
    }
    deliver(to, consumer, std::move(one));
  }
  /// Bytes in the write-ahead log: how much was ever written.
  [[nodiscard]] std::uintmax_t written_bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& file : std::filesystem::directory_iterator(
           settings.data.directory + "/store"))
      if (file.path().extension() == ".log")
        sum += file.file_size();
    return sum;
  }
  /// Every invariant over what is durable now; everything must be at rest.
  void check_invariants(bool holes_allowed = false) {
    at_rest when;
    when.now = clock.now();
    when.holes_allowed = holes_allowed;
    for (const auto& one : violations(it->store().read(), when))
      FAIL_CHECK(one);
    check_audit();
  }
  /// The product's own audit, which shares no code with the checker above.
  void check_audit() {
    storage::audit_options options;
    options.now = clock.now();
    const auto report = storage::audit(it->store(), options);
    CHECK(report.complete);
    for (const auto& one : report.findings)
      FAIL_CHECK(to_string(one.rule)
                 << " " << one.row.family << "/" << one.row.kind << " "
                 << one.row.tenant << " "
                 << (one.row.key.empty() ? "" : one.row.key.back().second)
                 << " " << one.what);
  }

  temp_directory directory;
  support::manual_clock clock{1'800'000'000'000};
  app::config settings;
  std::function<void(app::seams&)> inject_faults;
  std::vector<std::string> deaths; ///< owners that died
  std::uint64_t next_seed = 1;
  std::uint64_t steps = 0; ///< messages that actors took in `run`
  std::unique_ptr<coordinator_config> config;
  std::unique_ptr<caf::actor_system> system;
  caf::scheduler::test_coordinator* scheduler = nullptr;
  std::unique_ptr<app::runtime> it;
};

} // namespace parcelflow::test
