#include "app/gauges.hpp"

#include "codec/event_json.hpp"
#include "codec/utc_time.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"

#include <algorithm>

namespace parcelflow::app {
namespace {

using storage::owner;

std::uint64_t published_up_to(const storage::snapshot& at) {
  const auto row =
    at.get(owner::relay, storage::relay_cursor_key(storage::the_lane));
  if (!row)
    return 0;
  storage::key_reader in(std::string_view(*row).substr(2));
  in.byte();
  return in.number();
}

std::uint64_t committed_up_to(const storage::snapshot& at) {
  const auto last =
    at.last(owner::order, storage::outbox_key(storage::the_lane, 0),
            storage::outbox_key(storage::the_lane + 1, 0));
  if (!last)
    return 0;
  storage::key_reader in(last->first);
  in.byte();
  return in.number();
}

struct consumer_home {
  owner family;
  std::string_view consumer;
};

constexpr consumer_home consumers[] = {
  {owner::fulfillment, domain::fulfillment_consumer},
  {owner::notification, domain::notification_consumer},
  {owner::inventory, domain::inventory_consumer},
};

struct waiting_streams {
  std::uint64_t count = 0;
  support::unix_ms oldest = 0;
};

// A scrape runs on the door's thread, so it looks at a bounded part.
constexpr std::uint64_t counted_streams_max = 10'000;
constexpr std::uint64_t aged_streams_max = 256;

/// Streams of a consumer that wait; the index holds only those.
waiting_streams waiting_of(const storage::snapshot& at,
                           const consumer_home& of) {
  waiting_streams found;
  const auto from = storage::key_writer(storage::kind::waiting_stream).take();
  at.scan(of.family, from, storage::prefix_end(from),
          [&](std::string_view key, std::string_view) {
            storage::key_reader in(key);
            const auto tenant = in.text();
            const auto consumer = in.text();
            const auto aggregate = in.text();
            if (consumer != of.consumer)
              return true;
            found.count += 1;
            if (found.count > aged_streams_max)
              return found.count < counted_streams_max;
            const auto bytes = at.get(
              of.family, storage::stream_key(tenant, consumer, aggregate));
            const auto row = domain::decode_stream(bytes.value_or(""));
            if (!row || !row->waiting)
              return true;
            if (found.oldest == 0 || row->waiting->since < found.oldest)
              found.oldest = row->waiting->since;
            return true;
          });
  return found;
}

double seconds_since(support::unix_ms then, support::unix_ms now) {
  return then == 0
           ? 0.0
           : static_cast<double>(std::max<support::unix_ms>(now - then, 0))
               / 1e3;
}

} // namespace

std::int64_t oldest_unpublished_ms(const storage::store& store,
                                   support::unix_ms now) {
  const auto at = store.read();
  const auto row =
    at.first(owner::order,
             storage::outbox_key(storage::the_lane, published_up_to(at) + 1),
             storage::outbox_key(storage::the_lane + 1, 0));
  if (!row)
    return 0;
  const auto outbox = storage::decode_outbox(row->second);
  if (!outbox)
    return 0;
  const auto event = codec::decode_event(outbox->bytes);
  const auto since =
    event ? codec::parse_utc((*event)->envelope.occurred_at) : std::nullopt;
  return since ? std::max<std::int64_t>(now - *since, 0) : 0;
}

std::vector<support::scrape_registration>
scrape_gauges(runtime& of, const support::clock& clock) {
  std::vector<support::scrape_registration> all;
  auto& metrics = of.metrics();
  auto* store = &of.store();
  const auto* time = &clock;
  const auto add = [&](const char* name, const char* help,
                       const support::metric_labels& labels, auto read) {
    all.push_back(metrics.gauge_on_scrape(name, help, labels, std::move(read)));
  };
  add("parcelflow_outbox_oldest_unpublished_seconds",
      "Age of the oldest event that is not published", {}, [=] {
        return static_cast<double>(oldest_unpublished_ms(*store, time->now()))
               / 1e3;
      });
  add("parcelflow_outbox_depth", "Committed events that are not published", {},
      [=] {
        const auto at = store->read();
        return static_cast<double>(committed_up_to(at) - published_up_to(at));
      });
  add("parcelflow_disk_free_bytes", "Free space below the data directory", {},
      [=] { return static_cast<double>(store->free_bytes()); });
  add("parcelflow_store_bytes", "What the store takes on disk", {},
      [=] { return static_cast<double>(store->disk_bytes()); });
  for (const auto& home : consumers) {
    const support::metric_labels labels{
      {"consumer", std::string(home.consumer)}};
    add("parcelflow_streams_waiting", "Streams that wait", labels, [=] {
      return static_cast<double>(waiting_of(store->read(), home).count);
    });
    add("parcelflow_streams_waiting_oldest_seconds",
        "Age of the longest wait of a stream", labels, [=] {
          return seconds_since(waiting_of(store->read(), home).oldest,
                               time->now());
        });
  }
  auto* engine = &of;
  for (const auto& home : consumers) {
    const std::string name(home.consumer);
    const auto counter_of = [engine, name](auto field) {
      for (const auto& one : engine->bus_counters().consumers)
        if (one.consumer == name)
          return static_cast<double>(one.*field);
      return 0.0;
    };
    add("parcelflow_bus_lag_events", "Events in the log not settled yet",
        {{"consumer", name}},
        [=] { return counter_of(&bus::consumer_counters::lag); });
    add("parcelflow_bus_in_flight_events", "Events delivered, not settled",
        {{"consumer", name}},
        [=] { return counter_of(&bus::consumer_counters::in_flight); });
  }
  return all;
}

} // namespace parcelflow::app
