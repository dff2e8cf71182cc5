#include "storage/consumer_store.hpp"

#include "storage/keys.hpp"
#include "support/log.hpp"

#include <cstdlib>

namespace parcelflow::storage {
namespace {

/// Unwraps a decoded row, or stops the process.
template <class Row>
Row whole(std::string_view what, domain::outcome<Row> row) {
  if (!row)
    corrupt_row(what, row.why());
  return *std::move(row);
}

std::string running_mark() {
  return {"\x01\0\x01", 3};
}

std::string kind_prefix(kind of) {
  return key_writer(of).take();
}

} // namespace

void corrupt_row(std::string_view what, const domain::fault& why) {
  support::log::error("storage", "a durable row does not parse",
                      {{"row", what}, {"why", why.detail}});
  std::_Exit(74);
}

domain::stream_row consumer_store::stream(std::string_view tenant,
                                          std::string_view aggregate) {
  const auto bytes = rows_.get(stream_key(tenant, consumer_, aggregate));
  if (!bytes)
    return {};
  return whole("stream", domain::decode_stream(*bytes));
}

void consumer_store::put_stream(std::string_view tenant,
                                std::string_view aggregate,
                                domain::stream_row row, bool was_waiting,
                                std::size_t inline_max) {
  while (row.recent.size() > inline_max) {
    const auto& oldest = row.recent.front();
    rows_.put(inbox_entry_key(tenant, consumer_, aggregate, oldest.sequence),
              domain::encode(oldest));
    row.recent.erase(row.recent.begin());
  }
  if (row.waiting && !was_waiting)
    rows_.put(waiting_stream_key(tenant, consumer_, aggregate),
              std::string("\x01\0", 2));
  else if (!row.waiting && was_waiting)
    rows_.erase(waiting_stream_key(tenant, consumer_, aggregate));
  rows_.put(stream_key(tenant, consumer_, aggregate), domain::encode(row));
}

std::optional<domain::inbox_entry>
consumer_store::inbox_entry(std::string_view tenant, std::string_view aggregate,
                            std::uint64_t sequence) {
  auto bytes =
    rows_.get(inbox_entry_key(tenant, consumer_, aggregate, sequence));
  if (!bytes)
    if (const auto from = stream(tenant, aggregate).came_from; !from.empty())
      bytes = rows_.get(inbox_entry_key(tenant, from, aggregate, sequence));
  if (!bytes)
    return std::nullopt;
  return whole("inbox", domain::decode_inbox_entry(*bytes));
}

std::optional<domain::event_place>
consumer_store::place_of(std::string_view tenant, std::string_view event_id) {
  const auto bytes = rows_.get(foreign_event_key(tenant, consumer_, event_id));
  if (!bytes)
    return std::nullopt;
  return whole("foreign event", decode_place(*bytes));
}

void consumer_store::put_place(std::string_view tenant,
                               std::string_view event_id,
                               const domain::event_place& place) {
  rows_.put(foreign_event_key(tenant, consumer_, event_id), encode(place));
}

std::optional<room_row> consumer_store::room(std::string_view tenant,
                                             std::string_view aggregate,
                                             std::uint64_t sequence) {
  const auto bytes =
    rows_.get(waiting_room_key(tenant, consumer_, aggregate, sequence));
  if (!bytes)
    return std::nullopt;
  return whole("waiting room", decode_room(*bytes));
}

void consumer_store::put_room(std::string_view tenant,
                              std::string_view aggregate,
                              std::uint64_t sequence, const room_row& row) {
  rows_.put(waiting_room_key(tenant, consumer_, aggregate, sequence),
            encode(row));
}

void consumer_store::erase_room(std::string_view tenant,
                                std::string_view aggregate,
                                std::uint64_t sequence) {
  rows_.erase(waiting_room_key(tenant, consumer_, aggregate, sequence));
}

std::optional<std::uint64_t>
consumer_store::first_in_room(std::string_view tenant,
                              std::string_view aggregate) {
  const auto from = waiting_room_key(tenant, consumer_, aggregate, 0);
  const auto upper =
    prefix_end(std::string_view(from).substr(0, from.size() - 8));
  std::optional<std::uint64_t> found;
  rows_.scan(from, upper, [&](std::string_view key, std::string_view) {
    key_reader in(key);
    in.text();
    in.text();
    in.text();
    found = in.number();
    return false;
  });
  return found;
}

void consumer_store::each_in_room(std::string_view tenant,
                                  std::string_view aggregate,
                                  const room_visitor& visit) {
  const auto from = waiting_room_key(tenant, consumer_, aggregate, 0);
  const auto upper =
    prefix_end(std::string_view(from).substr(0, from.size() - 8));
  rows_.scan(from, upper, [&](std::string_view key, std::string_view value) {
    key_reader in(key);
    in.text();
    in.text();
    in.text();
    visit(in.number(), whole("waiting room", decode_room(value)));
    return true;
  });
}

std::string consumer_store::first_letter(std::string_view tenant,
                                         std::string_view aggregate) {
  const auto from = waiting_room_key(tenant, consumer_, aggregate, 0);
  const auto upper =
    prefix_end(std::string_view(from).substr(0, from.size() - 8));
  std::string found;
  rows_.scan(from, upper, [&](std::string_view, std::string_view value) {
    found = whole("waiting room", decode_room(value)).dead_letter_id;
    return found.empty();
  });
  return found;
}

void consumer_store::put_skip(std::string_view tenant,
                              std::string_view aggregate,
                              std::uint64_t sequence, const skip_row& row) {
  rows_.put(skip_key(tenant, consumer_, aggregate, sequence), encode(row));
}

std::optional<room_row> consumer_store::aside(std::string_view tenant,
                                              std::string_view id) {
  const auto bytes = rows_.get(aside_key(tenant, id));
  if (!bytes)
    return std::nullopt;
  return whole("aside", decode_room(*bytes));
}

void consumer_store::erase_aside(std::string_view tenant, std::string_view id) {
  rows_.erase(aside_key(tenant, id));
}

bool consumer_store::has_aside(std::string_view tenant, std::string_view id) {
  return rows_.get(aside_key(tenant, id)).has_value();
}

void consumer_store::put_aside(std::string_view tenant, std::string_view id,
                               const room_row& row) {
  rows_.put(aside_key(tenant, id), encode(row));
}

std::optional<tell_row> consumer_store::to_tell(std::string_view tenant,
                                                std::string_view id) {
  const auto bytes = rows_.get(to_tell_key(tenant, id));
  if (!bytes)
    return std::nullopt;
  return whole("to tell", decode_tell(tenant, id, *bytes));
}

void consumer_store::put_to_tell(std::string_view tenant, std::string_view id,
                                 const tell_row& row) {
  rows_.put(to_tell_key(tenant, id), encode(row));
}

void consumer_store::erase_to_tell(std::string_view tenant,
                                   std::string_view id) {
  rows_.erase(to_tell_key(tenant, id));
}

void consumer_store::each_waiting_stream(const stream_visitor& visit) {
  const auto from = kind_prefix(kind::waiting_stream);
  rows_.scan(from, prefix_end(from), [&](std::string_view key, auto) {
    key_reader in(key);
    auto tenant = in.text();
    const auto consumer = in.text();
    auto aggregate = in.text();
    if (consumer == consumer_)
      visit(std::move(tenant), std::move(aggregate));
    return true;
  });
}

void consumer_store::each_untold(const tell_visitor& visit) {
  const auto from = kind_prefix(kind::to_tell);
  rows_.scan(from, prefix_end(from), [&](std::string_view key, auto value) {
    key_reader in(key);
    auto tenant = in.text();
    auto id = in.text();
    auto row = whole("to tell", decode_tell(tenant, id, value));
    visit(std::move(tenant), std::move(id), std::move(row));
    return true;
  });
}

bool consumer_store::take_clean_stop() {
  auto key = clean_stop_key(consumer_);
  const auto mark = rows_.get(key);
  rows_.put(std::move(key), running_mark());
  return !mark || *mark != running_mark();
}

void consumer_store::mark_clean_stop() {
  rows_.put(clean_stop_key(consumer_), std::string("\x01\0", 2));
}

} // namespace parcelflow::storage
