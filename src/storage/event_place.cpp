#include "storage/event_place.hpp"

#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

/// What an event id of our own form names: evt-<ulid>-<sequence>.
std::optional<domain::event_place> place_named_by(std::string_view event_id) {
  domain::envelope about;
  about.event_id = event_id;
  constexpr std::size_t head = 4; // "evt-"
  constexpr std::size_t ulid_size = 26;
  if (event_id.size() <= head + ulid_size + 1)
    return std::nullopt;
  about.aggregate_id = "ord-" + std::string(event_id.substr(head, ulid_size));
  for (const char c : event_id.substr(head + ulid_size + 1)) {
    if (c < '0' || c > '9' || about.aggregate_sequence > 1'000'000'000)
      return std::nullopt;
    about.aggregate_sequence =
      about.aggregate_sequence * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (domain::form_of(about) != domain::id_form::own)
    return std::nullopt;
  return domain::event_place{about.aggregate_id, about.aggregate_sequence};
}

} // namespace

std::optional<domain::event_place> committed_place(row_reader& in,
                                                   std::string_view tenant,
                                                   std::string_view event_id) {
  auto place = place_named_by(event_id);
  if (!place)
    place = in.get(owner::order, named_event_key(tenant, event_id),
                   [](auto bytes) { return decode_place(bytes); });
  if (!place)
    return std::nullopt;
  const auto order = in.order(tenant, place->aggregate_id);
  const bool committed =
    order
    && std::any_of(order->steps.begin(), order->steps.end(),
                   [&](const auto& step) {
                     return domain::event_id_of(*order, step) == event_id;
                   });
  return committed ? place : std::nullopt;
}

std::optional<domain::event_place> place_of_event(row_reader& in,
                                                  std::string_view tenant,
                                                  std::string_view event_id) {
  if (auto committed = committed_place(in, tenant, event_id))
    return committed;
  for (const auto& where : consumers_of(in)) {
    auto place =
      in.get(where.of, foreign_event_key(tenant, where.name, event_id),
             [](auto bytes) { return decode_place(bytes); });
    if (place)
      return place;
  }
  return std::nullopt;
}

} // namespace parcelflow::storage
