#include "storage/consumer_homes.hpp"

#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

const std::array<consumer_home, 3>& built_in() {
  static const std::array<consumer_home, 3> all{{
    {owner::fulfillment, std::string(domain::fulfillment_consumer)},
    {owner::notification, std::string(domain::notification_consumer)},
    {owner::inventory, std::string(domain::inventory_consumer)},
  }};
  return all;
}

} // namespace

std::vector<consumer_home> consumers_of(row_reader& in) {
  std::vector<consumer_home> all(built_in().begin(), built_in().end());
  // Each consumer leaves this row at its first start.
  const auto from = key_writer(kind::clean_stop).take();
  for (const auto of : consumer_families)
    in.rows().scan(
      of, from, prefix_end(from), [&](std::string_view key, std::string_view) {
        auto name = key_reader(key).text();
        if (std::none_of(all.begin(), all.end(),
                         [&](const auto& one) { return one.name == name; }))
          all.push_back({of, std::move(name)});
        return true;
      });
  return all;
}

std::optional<consumer_home> home_of(row_reader& in,
                                     std::string_view consumer) {
  for (const auto& one : consumers_of(in))
    if (one.name == consumer)
      return one;
  return std::nullopt;
}

placed_stream follow(row_reader& in, const consumer_home& from,
                     std::string_view tenant, std::string_view aggregate) {
  placed_stream found{
    from, in.stream(from.of, tenant, from.name, aggregate), {}};
  if (found.row.forward_to.empty())
    return found;
  found.at.name = found.row.forward_to;
  found.redirected_from = from.name;
  found.row = in.stream(from.of, tenant, found.at.name, aggregate);
  return found;
}

std::optional<domain::inbox_entry>
used_at(row_reader& in, const consumer_home& where, std::string_view tenant,
        std::string_view aggregate, const domain::stream_row& row,
        std::uint64_t sequence) {
  for (const auto& entry : row.recent)
    if (entry.sequence == sequence)
      return entry;
  if (sequence > row.position)
    return std::nullopt;
  const auto moved_out = [&](std::string_view consumer) {
    return in.get(where.of,
                  inbox_entry_key(tenant, consumer, aggregate, sequence),
                  [](auto bytes) { return domain::decode_inbox_entry(bytes); });
  };
  auto entry = moved_out(where.name);
  if (!entry && !row.came_from.empty())
    entry = moved_out(row.came_from);
  return entry;
}

} // namespace parcelflow::storage
