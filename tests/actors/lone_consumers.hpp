// A host of two consumers, ship-v1 and ship-v2, which share a family; their
// effect counts, and fails where the test says so. Bus, dead-letter owner and
// order owner are silent.
// Thread rule: the test's thread.
#pragma once

#include "actors/consumer_host.hpp"
#include "codec/event_json.hpp"
#include "storage/keys.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/lone.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

using namespace actors;

struct lone_consumers : lone {
  static constexpr auto v1 = "ship-v1";
  static constexpr auto v2 = "ship-v2";
  static constexpr auto kept = storage::owner::fulfillment;

  heard_by_order order;
  heard_by_dead_letter dead_letter;
  silent_bus bus;
  consumer_limits limits;
  std::map<std::string, int> sick;  ///< by tenant: failures that are left
  std::map<std::string, int> calls; ///< by tenant: how often the effect ran
  int recovered = 0;
  std::uint64_t tokens = 0;
  consumer_actor subject;

  explicit lone_consumers(bool started = true) {
    limits.retry.attempts_max = 3;
    limits.retry.jitter_percent = 0;
    limits.in_flight_max = 2; // also the cautious window
    spawn();
    if (started)
      commit();
  }
  ~lone_consumers() { end(); }
  domain::consumer_spec spec(const std::string& name) {
    domain::consumer_spec of;
    of.name = name;
    of.topics = {std::string(domain::order_topic)};
    of.supported = {{std::string(domain::order_accepted), 1}};
    of.effect = [this](const auto& event, const auto& context, auto&) {
      const auto& tenant = event.envelope.tenant_id;
      calls[tenant] += 1;
      if (sick[tenant] > 0) {
        sick[tenant] -= 1;
        return domain::effect_answer::fail("sick");
      }
      return domain::effect_answer::apply(std::string(context.effect) + '+');
    };
    return of;
  }
  void spawn() {
    consumer_dependencies with{store->take(kept),
                               way,
                               limits,
                               {},
                               {spec(v1), spec(v2)},
                               &clock,
                               ids,
                               &metrics,
                               &bus,
                               on->spawn(silent_dead_letter, &dead_letter),
                               on->spawn(silent_order, &order),
                               [this] { ++recovered; }};
    subject = on->spawn(consumer_host, std::move(with));
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

  static domain::envelope about(const std::string& tenant,
                                std::uint64_t sequence,
                                const std::string& aggregate = "o-1") {
    domain::envelope of;
    of.event_id =
      "e-" + tenant + '-' + aggregate + '-' + std::to_string(sequence);
    of.event_type = domain::order_accepted;
    of.event_version = 1;
    of.tenant_id = tenant;
    of.aggregate_id = aggregate;
    of.aggregate_sequence = sequence;
    of.occurred_at = "2026-11-30T00:00:00.000Z";
    of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of.data = "{}";
    return of;
  }
  static bus::delivery carrying(domain::envelope of) {
    bus::delivery one;
    one.event = codec::make_event(std::move(of));
    return one;
  }
  /// In one batch, with the tokens that follow.
  void deliver(bus::delivery_batch batch, const std::string& consumer = v1) {
    for (auto& one : batch) {
      one.topic = domain::order_topic;
      one.token = ++tokens;
    }
    caf::anon_send(
      subject, deliver_atom::value, consumer,
      delivery_ptr(std::make_shared<bus::delivery_batch>(std::move(batch))));
    run();
  }
  void deliver(const std::string& tenant, std::uint64_t sequence,
               const std::string& consumer = v1) {
    deliver({carrying(about(tenant, sequence))}, consumer);
  }
  void told(const dead_letter_ref& which) {
    caf::anon_send(subject, told_atom::value, which);
    run();
  }
  std::vector<std::uint64_t> settled(const std::string& consumer = v1) {
    return taken(bus.settled[consumer]);
  }

  domain::stream_row stream(const std::string& tenant,
                            const std::string& consumer = v1) {
    const auto row = stored(kept, storage::stream_key(tenant, consumer, "o-1"));
    return row ? *domain::decode_stream(*row) : domain::stream_row{};
  }
  std::optional<storage::room_row> room(const std::string& tenant,
                                        std::uint64_t sequence) {
    const auto row =
      stored(kept, storage::waiting_room_key(tenant, v1, "o-1", sequence));
    if (!row)
      return std::nullopt;
    return *storage::decode_room(*row);
  }
};

} // namespace parcelflow::test
