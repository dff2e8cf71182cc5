// What the scenario tests share: well-formed events of a foreign producer, the
// positive control, and questions about what became of a stream.
#pragma once

#include "tests/support/world.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::test {

/// An event whose data every consumer can read. Its reservation does not exist:
/// inventory declines it.
inline domain::envelope readable(const std::string& event_id,
                                 const std::string& tenant,
                                 const std::string& aggregate,
                                 std::uint64_t sequence,
                                 std::string_view type) {
  domain::order of;
  of.order_id = aggregate;
  of.reservation_id = "rsv-" + aggregate;
  of.authorization.id = "aut-" + aggregate;
  of.lines = {{"sku-1", 1, 100}};
  of.currency = "EUR";
  of.total_minor = 100;
  of.steps = {{domain::order_state::accepted, 1, 1, 1'800'000'000'000}};
  auto event =
    world::foreign(event_id, tenant, aggregate, sequence, std::string(type));
  event.data = type == domain::order_accepted
                 ? codec::accepted_data(of)
                 : codec::cancelled_data(of, 1'800'000'000'000);
  return event;
}
inline domain::envelope accepted_event(const std::string& event_id,
                                       const std::string& tenant,
                                       const std::string& aggregate,
                                       std::uint64_t sequence = 1) {
  return readable(event_id, tenant, aggregate, sequence,
                  domain::order_accepted);
}
inline domain::envelope cancelled_event(const std::string& event_id,
                                        const std::string& tenant,
                                        const std::string& aggregate,
                                        std::uint64_t sequence) {
  return readable(event_id, tenant, aggregate, sequence,
                  domain::order_cancelled);
}

/// The positive control: an order of another tenant has both effects, without
/// a moment passing.
inline void serves(world& w, const std::string& tenant,
                   const std::string& key) {
  w.stock(tenant, "sku-control", 1000);
  auto of = world::request(tenant, key, 1, "tok_ok", "sku-control");
  const auto answer = w.place(of);
  REQUIRE(answer.what == actors::place_answer::kind::accepted);
  CHECK(w.job(tenant, answer.order_id).has_value());
  CHECK(w.sends(tenant, answer.order_id).size() == 1);
}

inline std::vector<domain::dead_letter> letters_of(world& w,
                                                   std::string_view consumer) {
  auto all = w.dead_letters();
  std::erase_if(all, [&](const auto& l) { return l.consumer != consumer; });
  return all;
}
/// The one record of a consumer.
inline domain::dead_letter letter_of(world& w, std::string_view consumer) {
  const auto all = letters_of(w, consumer);
  REQUIRE(all.size() == 1);
  return all.front();
}

inline std::optional<storage::room_row> room_of(world& w, storage::owner of,
                                                std::string_view consumer,
                                                const std::string& tenant,
                                                const std::string& aggregate,
                                                std::uint64_t sequence) {
  const auto row = w.it->store().read().get(
    of, storage::waiting_room_key(tenant, consumer, aggregate, sequence));
  if (!row)
    return std::nullopt;
  auto room = storage::decode_room(*row);
  REQUIRE(room.ok());
  return *room;
}
inline std::optional<storage::room_row>
fulfillment_room(world& w, const std::string& tenant,
                 const std::string& aggregate, std::uint64_t sequence) {
  return room_of(w, storage::owner::fulfillment, domain::fulfillment_consumer,
                 tenant, aggregate, sequence);
}

/// Deliveries that the bus handed out and nobody settled: must be none at rest.
inline std::size_t unsettled(world& w) {
  std::size_t sum = 0;
  const auto counters = w.it->bus_counters();
  CHECK(counters.consumers.size() == 3);
  for (const auto& one : counters.consumers)
    sum += one.in_flight;
  return sum;
}

} // namespace parcelflow::test
