// Streams that wait, and the tenants they belong to.
#include "codec/event_json.hpp"
#include "storage/consumer_homes.hpp"
#include "storage/letter_list.hpp"
#include "storage/ops_view.hpp"
#include "storage/page_walk.hpp"

#include <algorithm>

namespace parcelflow::storage {

using domain::waiting_stream;

namespace {

constexpr std::size_t room_rows_max = 64;
constexpr std::size_t replays_max = 200;

/// What waits in the room of a stream, as far as it is shown.
void add_room(row_reader& in, owner of, std::string_view tenant,
              waiting_stream& into) {
  const auto from = key_writer(kind::waiting_room)
                      .text(tenant)
                      .text(into.consumer)
                      .text(into.aggregate_id)
                      .take();
  std::size_t looked_at = 0;
  in.rows().scan(of, from, prefix_end(from),
                 [&](std::string_view key, std::string_view value) {
                   const auto room = in.whole(decode_room(value));
                   if (!room)
                     return false;
                   key_reader parts(key);
                   for (int i = 0; i < 3; ++i)
                     parts.text();
                   const auto sequence = parts.number();
                   if (looked_at == 0)
                     into.first_waiting = sequence;
                   if (sequence == into.position + 1) {
                     into.next_attempt_at = room->next_at;
                     if (const auto head = codec::decode_event(room->bytes)) {
                       into.head_type = (*head)->envelope.event_type;
                       into.head_version = (*head)->envelope.event_version;
                     }
                   }
                   // Of a gap it is with whichever event showed the hole.
                   into.dead_letter_id = room->dead_letter_id;
                   return into.dead_letter_id.empty()
                          && ++looked_at < room_rows_max;
                 });
}

std::optional<waiting_stream> stream_of(row_reader& in, owner of,
                                        std::string_view tenant,
                                        std::string_view consumer,
                                        std::string_view aggregate) {
  const auto row = in.stream(of, tenant, consumer, aggregate);
  if (!row.waiting)
    return std::nullopt;
  waiting_stream shown;
  shown.consumer = consumer;
  shown.aggregate_id = aggregate;
  shown.position = row.position;
  shown.cause = row.waiting->cause;
  shown.since = row.waiting->since;
  shown.rows = row.waiting->rows;
  add_room(in, of, tenant, shown);
  return shown;
}

/// The place of a stream in the list: family, consumer, aggregate.
struct list_place {
  std::size_t family = 0;
  std::string consumer;
  std::string aggregate;
};

std::string to_text(const list_place& of) {
  return std::to_string(of.family) + ' ' + of.consumer + ' ' + of.aggregate;
}

std::optional<list_place> place_in(std::string_view text) {
  const auto first = text.find(' ');
  const auto second = text.find(' ', first + 1);
  if (first != 1 || second == std::string_view::npos)
    return std::nullopt;
  const auto family = static_cast<std::size_t>(text[0] - '0');
  if (family >= consumer_families.size())
    return std::nullopt;
  return list_place{family, std::string(text.substr(2, second - 2)),
                    std::string(text.substr(second + 1))};
}

/// Visits the index of waiting streams of a tenant in one family.
template <class Visit>
void each_waiting(row_reader& in, owner of, std::string_view tenant,
                  std::string_view consumer, const std::string& from,
                  const Visit& visit) {
  auto prefix = key_writer(kind::waiting_stream).text(tenant);
  if (!consumer.empty())
    prefix.text(consumer);
  const auto all = prefix.take();
  in.rows().scan(of, std::max(all, from), prefix_end(all),
                 [&](std::string_view key, std::string_view) {
                   key_reader parts(key);
                   parts.text();
                   const auto name = parts.text();
                   return visit(name, parts.text());
                 });
}

std::uint64_t open_letters(row_reader& in, const std::string& tenant) {
  domain::dead_letter_filter open;
  open.state = domain::dead_letter_state::open;
  return letters_of(in, tenant, open, {{}, 1}).total;
}

std::uint64_t running_replays(row_reader& in, const std::string& tenant) {
  std::uint64_t running = 0;
  std::size_t looked_at = 0;
  const auto all = key_writer(kind::replay).text(tenant).take();
  in.rows().scan_back(owner::dead_letter, all, prefix_end(all),
                      [&](std::string_view key, std::string_view value) {
                        key_reader parts(key);
                        parts.text();
                        const auto one = in.whole(
                          domain::decode_replay(tenant, parts.text(), value));
                        if (one && one->ended_at == 0)
                          running += 1;
                        return one && ++looked_at < replays_max;
                      });
  return running;
}

void add_waiting(row_reader& in, const std::string& tenant,
                 domain::tenant_status& into) {
  for (const auto of : consumer_families)
    each_waiting(in, of, tenant, {}, {},
                 [&](const std::string& consumer, const std::string& id) {
                   into.streams_waiting += 1;
                   if (into.streams_waiting > ops_view::streams_aged_max)
                     return true;
                   const auto row = in.stream(of, tenant, consumer, id);
                   auto& oldest = into.oldest_waiting_since;
                   if (row.waiting
                       && (oldest == 0 || row.waiting->since < oldest))
                     oldest = row.waiting->since;
                   return !in.failed();
                 });
}

} // namespace

domain::outcome<domain::page<waiting_stream>>
ops_view::streams(std::string_view tenant, std::string_view consumer,
                  const page_request& page) const {
  row_reader in(*rows_);
  domain::page<waiting_stream> shown;
  const auto begin = place_in(page.after);
  if (!page.after.empty() && !begin)
    return {domain::failure::invalid_request, "no page begins there"};
  list_place last;
  for (std::size_t i = begin ? begin->family : 0;
       i < consumer_families.size() && shown.next.empty(); ++i) {
    const auto of = consumer_families[i];
    std::string from;
    if (begin && begin->family == i)
      from =
        waiting_stream_key(tenant, begin->consumer, begin->aggregate) + '\0';
    each_waiting(in, of, tenant, consumer, from,
                 [&](const std::string& name, const std::string& id) {
                   if (shown.items.size() >= page.limit) {
                     shown.next = to_text(last);
                     return false;
                   }
                   if (auto one = stream_of(in, of, tenant, name, id))
                     shown.items.push_back(*std::move(one));
                   last = {i, name, id};
                   return !in.failed();
                 });
  }
  return answer(in, std::move(shown));
}

domain::outcome<domain::page<domain::tenant_status>>
ops_view::tenants(const std::vector<std::string>& names) const {
  row_reader in(*rows_);
  domain::page<domain::tenant_status> shown;
  for (const auto& name : names) {
    domain::tenant_status one;
    one.tenant_id = name;
    one.dead_letters_open = open_letters(in, name);
    one.replays_running = running_replays(in, name);
    add_waiting(in, name, one);
    shown.items.push_back(std::move(one));
  }
  return answer(in, std::move(shown));
}

} // namespace parcelflow::storage
