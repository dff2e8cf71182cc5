#include "storage/row_reader.hpp"

#include "storage/keys.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

/// What broker id a receipt has for a position, and when.
domain::publication publication_of(const receipt_run& run,
                                   std::uint64_t position) {
  domain::publication one{run.published_at, {}, run.attempts};
  const auto index = position - run.first_position;
  if (index < run.broker_ids.size())
    one.broker_message_id = run.broker_ids[index];
  return one;
}

std::string without_number(std::string key) {
  key.resize(key.size() - 8);
  return key;
}

} // namespace

void row_reader::note(const domain::fault& why) {
  support::log::error("storage", "a durable row does not parse",
                      {{"why", why.detail}});
  if (!why_)
    why_ = why;
}

std::optional<domain::order> row_reader::order(std::string_view tenant,
                                               std::string_view order_id) {
  return get(owner::order, order_key(tenant, order_id), [&](auto bytes) {
    return domain::decode_order(tenant, order_id, bytes);
  });
}

std::optional<held_stream> row_reader::held(std::string_view tenant,
                                            std::string_view aggregate) {
  return get(owner::relay, held_stream_key(tenant, aggregate),
             [](auto bytes) { return decode_held_stream(bytes); });
}

std::uint64_t row_reader::published_up_to() {
  const auto cursor =
    get(owner::relay, relay_cursor_key(the_lane),
        [](std::string_view bytes) -> domain::outcome<std::uint64_t> {
          constexpr std::size_t head = 2; // record version, key id
          key_reader in(bytes.size() > head ? bytes.substr(head)
                                            : std::string_view{});
          in.byte();
          const auto position = in.number();
          if (!in.complete())
            return {domain::failure::storage_corrupt,
                    "relay cursor does not parse"};
          return position;
        });
  return cursor.value_or(0);
}

std::optional<domain::publication> row_reader::receipt(std::uint64_t position) {
  const auto found =
    at_.first(owner::relay, receipt_run_key(the_lane, position),
              receipt_run_key(the_lane + 1, 0));
  if (found) {
    const auto run = whole(decode_receipt_run(found->second));
    if (run && run->first_position <= position)
      return publication_of(*run, position);
  }
  return std::nullopt;
}

std::vector<domain::publication>
row_reader::single_receipts(std::uint64_t position) {
  std::vector<domain::publication> all;
  at_.scan(owner::relay, receipt_single_key(the_lane, position, 0),
           receipt_single_key(the_lane, position + 1, 0),
           [&](std::string_view, std::string_view value) {
             if (const auto run = whole(decode_receipt_run(value)))
               all.push_back(publication_of(*run, position));
             return true;
           });
  return all;
}

domain::stream_row row_reader::stream(owner of, std::string_view tenant,
                                      std::string_view consumer,
                                      std::string_view aggregate) {
  return get(of, stream_key(tenant, consumer, aggregate),
             [](auto bytes) { return domain::decode_stream(bytes); })
    .value_or(domain::stream_row{});
}

std::optional<std::pair<std::uint64_t, room_row>>
row_reader::first_in_room(owner of, std::string_view tenant,
                          std::string_view consumer,
                          std::string_view aggregate) {
  const auto from = waiting_room_key(tenant, consumer, aggregate, 0);
  const auto found = at_.first(of, from, prefix_end(without_number(from)));
  if (!found)
    return std::nullopt;
  key_reader in(found->first);
  in.text();
  in.text();
  in.text();
  const auto sequence = in.number();
  auto room = whole(decode_room(found->second));
  if (!room)
    return std::nullopt;
  return std::pair(sequence, *std::move(room));
}

std::vector<domain::inbox_entry>
row_reader::older_inbox(owner of, std::string_view tenant,
                        std::string_view consumer, std::string_view aggregate) {
  std::vector<domain::inbox_entry> entries;
  const auto from = inbox_entry_key(tenant, consumer, aggregate, 0);
  at_.scan(of, from, prefix_end(without_number(from)),
           [&](std::string_view, std::string_view value) {
             if (auto entry = whole(domain::decode_inbox_entry(value)))
               entries.push_back(*std::move(entry));
             return true;
           });
  return entries;
}

} // namespace parcelflow::storage
