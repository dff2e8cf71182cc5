#include "storage/forecast.hpp"

#include "codec/event_json.hpp"
#include "domain/dead_letter.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <utility>

namespace parcelflow::storage {

using domain::verdict;

namespace {

/// One consumer's stream as of the snapshot, moved on as the walk goes.
class stream_walk final : public domain::stream_facts {
public:
  stream_walk(const snapshot& at, owner of, std::string consumer,
              std::string_view tenant, std::string_view aggregate)
    : at_(at), of_(of), consumer_(std::move(consumer)), tenant_(tenant),
      aggregate_(aggregate) {
    load();
  }

  [[nodiscard]] const domain::stream_row& row() const noexcept { return row_; }
  [[nodiscard]] const std::string& consumer() const noexcept {
    return consumer_;
  }
  /// The stream was redirected: its other consumer's row instead.
  void follow(std::string consumer) {
    consumer_ = std::move(consumer);
    load();
  }
  std::optional<room_row> room(std::uint64_t sequence) {
    return read<room_row>(
      waiting_room_key(tenant_, consumer_, aggregate_, sequence), decode_room);
  }
  std::optional<room_row> aside(std::string_view id) {
    return read<room_row>(aside_key(tenant_, id), decode_room);
  }
  void step() { row_.position += 1; }
  [[nodiscard]] const domain::status& read_all() const noexcept {
    return read_all_;
  }
  /// True: events out of the room are not their own rivals.
  void judge_inside(bool inside) { inside_ = inside; }

  std::optional<domain::inbox_entry>
  older_entry(std::uint64_t sequence) override {
    auto entry = read<domain::inbox_entry>(
      inbox_entry_key(tenant_, consumer_, aggregate_, sequence),
      domain::decode_inbox_entry);
    if (!entry && !row_.came_from.empty())
      entry = read<domain::inbox_entry>(
        inbox_entry_key(tenant_, row_.came_from, aggregate_, sequence),
        domain::decode_inbox_entry);
    return entry;
  }
  std::optional<domain::event_place>
  place_of(std::string_view event_id) override {
    return read<domain::event_place>(
      foreign_event_key(tenant_, consumer_, event_id), decode_place);
  }
  std::optional<domain::parked_identity>
  parked_at(std::uint64_t sequence) override {
    if (inside_)
      return std::nullopt;
    const auto found = room(sequence);
    if (!found)
      return std::nullopt;
    return domain::parked_identity{found->event_id, found->digest};
  }

private:
  template <class Row, class Decode>
  std::optional<Row> read(const std::string& key, Decode decode) {
    const auto bytes = at_.get(of_, key);
    if (!bytes)
      return std::nullopt;
    auto found = decode(std::string_view(*bytes));
    if (found)
      return *std::move(found);
    read_all_ = found.why();
    return std::nullopt;
  }
  void load() {
    row_ = read<domain::stream_row>(stream_key(tenant_, consumer_, aggregate_),
                                    domain::decode_stream)
             .value_or(domain::stream_row{});
  }

  const snapshot& at_;
  owner of_;
  std::string consumer_;
  std::string tenant_;
  std::string aggregate_;
  domain::stream_row row_;
  bool inside_ = false;
  domain::status read_all_ = domain::done();
};

void say(domain::replay_item& item, verdict what, std::string why) {
  item.predicted = what;
  item.prediction = std::move(why);
}

std::string waits_for(std::uint64_t position) {
  return "the stream waits for sequence " + std::to_string(position + 1);
}

/// Of an event that can be read and is judged as it stands now.
void say_judged(domain::replay_item& item, stream_walk& walk,
                const domain::event& event,
                const std::vector<domain::event_kind>& supported) {
  const auto judged = domain::judge(event, walk.row(), supported, walk);
  say(item, judged.what, judged.reason);
  if (judged.what == verdict::duplicate)
    item.prediction = "its effect exists";
  if (judged.what == verdict::gap || judged.what == verdict::waiting)
    item.prediction = waits_for(walk.row().position);
}

/// What waits behind drains by itself once the walk has come to it.
void drain_up_to(stream_walk& walk, std::uint64_t sequence,
                 const std::vector<domain::event_kind>& supported) {
  while (walk.row().position + 1 < sequence) {
    const auto room = walk.room(walk.row().position + 1);
    if (!room || room->mode != room_mode::behind)
      return;
    const auto event = codec::decode_event(room->bytes);
    if (!event
        || domain::judge(**event, walk.row(), supported, walk).what
             != verdict::applied)
      return;
    walk.step();
  }
}

void predict_used(domain::replay_item& item, stream_walk& walk) {
  const auto& recent = walk.row().recent;
  const auto inlined =
    std::find_if(recent.begin(), recent.end(), [&](const auto& one) {
      return one.sequence == item.sequence;
    });
  const auto entry = inlined != recent.end() ? std::optional(*inlined)
                                             : walk.older_entry(item.sequence);
  if (!entry)
    return say(item, verdict::stale, "its inbox entry is gone");
  if (entry->mark == domain::inbox_mark::skipped)
    return say(item, verdict::skipped, "its sequence was skipped");
  if (entry->event_id != item.event_id || entry->digest != item.digest)
    return say(item, verdict::fork, "another event stands at its sequence");
  say(item, verdict::duplicate,
      "its effect exists, via " + std::string(to_string(entry->door)));
}

void predict_parked(domain::replay_item& item, stream_walk& walk,
                    const std::vector<domain::event_kind>& supported) {
  if (item.sequence <= walk.row().position)
    return predict_used(item, walk);
  walk.judge_inside(true);
  drain_up_to(walk, item.sequence, supported);
  const auto room = walk.room(item.sequence);
  if (!room || room->dead_letter_id != item.dead_letter_id)
    return say(item, verdict::invalid, "nothing of it is kept: it was waived");
  if (walk.row().position + 1 != item.sequence)
    return say(item, verdict::waiting, waits_for(walk.row().position));
  const auto event = codec::decode_event(room->bytes);
  if (!event)
    return say(item, verdict::invalid, event.why().detail);
  say_judged(item, walk, **event, supported);
  if (item.predicted == verdict::applied)
    walk.step();
}

void predict_aside(domain::replay_item& item, const snapshot& at,
                   const stream_walk& from, owner of, std::string_view tenant,
                   const std::vector<domain::event_kind>& supported) {
  stream_walk none(at, of, from.consumer(), tenant, item.aggregate_id);
  const auto kept = none.aside(item.dead_letter_id);
  if (!kept)
    return predict_used(item, none);
  const auto event = codec::decode_event(kept->bytes);
  if (!event)
    return say(item, verdict::invalid, event.why().detail);
  const auto& about = (*event)->envelope;
  if (about.tenant_id != tenant)
    return say(item, verdict::invalid, "its envelope names another tenant");
  stream_walk walk(at, of, from.consumer(), tenant, about.aggregate_id);
  say_judged(item, walk, **event, supported);
}

} // namespace

domain::status forecast::predict(std::string_view tenant,
                                 std::span<domain::replay_item> items) {
  if (items.empty())
    return domain::done();
  const auto& first = items.front();
  auto place = places_(first.consumer);
  if (!place) {
    for (auto& item : items)
      if (item.consumer == domain::publish_consumer)
        say(item, verdict::applied, "it will be offered to the bus again");
      else
        say(item, verdict::invalid,
            "no compatible consumer: " + item.consumer + " is not here");
    return domain::done();
  }
  stream_walk walk(at_, place->of, first.consumer, tenant, first.aggregate_id);
  if (const auto to = walk.row().forward_to; !to.empty()) {
    walk.follow(to);
    place = places_(to).value_or(*place);
  }
  for (auto& item : items)
    if (domain::stands_aside(item.cause))
      predict_aside(item, at_, walk, place->of, tenant, place->supported);
    else
      predict_parked(item, walk, place->supported);
  return walk.read_all();
}

} // namespace parcelflow::storage
