// Redirect (R20): one stream goes to another version of its consumer, with its
// position, its effect and everything that waits, in one batch. Later
// deliveries follow the forward mark; there is one hop.
#include "actors/consumer.hpp"
#include "codec/event_json.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::failure;
namespace log = support::log;

namespace {

constexpr std::size_t rows_max = 10'000; ///< of the room, in one batch

bool takes(const domain::consumer_spec& spec, const domain::event_kind& kind) {
  return std::find(spec.supported.begin(), spec.supported.end(), kind)
         != spec.supported.end();
}

std::string text_of(const domain::event_kind& kind) {
  return kind.type + " v" + std::to_string(kind.version);
}

} // namespace

/// Called on the target: do topics and event kinds fit, is the place free?
domain::status consumer::may_take(const stream_op& what, const consumer& from) {
  const auto refuse = [](std::string why) {
    return domain::status{failure::illegal_transition, std::move(why)};
  };
  if (spec_.takes_over != from.spec_.name)
    return refuse(spec_.name + " takes no streams over from "
                  + from.spec_.name);
  if (spec_.topics != from.spec_.topics)
    return refuse(spec_.name + " takes other topics");
  for (const auto& kind : from.spec_.supported)
    if (!takes(spec_, kind))
      return refuse(spec_.name + " does not take " + text_of(kind));
  const auto mine = store_.stream(what.tenant_id, what.aggregate_id);
  if (mine.position > 0 || mine.waiting)
    return refuse(spec_.name + " has a position in that stream already");
  return domain::done();
}

namespace {

domain::status may_leave(const domain::stream_row& row) {
  if (!row.forward_to.empty())
    return {failure::illegal_transition,
            "the stream was redirected to " + row.forward_to + " before"};
  if (!row.came_from.empty())
    return {failure::illegal_transition, "the stream came from " + row.came_from
                                           + ": it is redirected once"};
  if (row.position == 0 && !row.waiting)
    return {failure::not_found, "there is no such stream"};
  return domain::done();
}

} // namespace

void consumer::redirect(const stream_op& what, consumer& to) {
  const stream_id stream(what.tenant_id, what.aggregate_id);
  const auto refuse = [&](std::string why) {
    answer_when_durable(
      what, domain::fault{failure::illegal_transition, std::move(why)});
  };
  auto row = store_.stream(stream.first, stream.second);
  auto allowed = may_leave(row);
  if (allowed)
    allowed = to.may_take(what, *this);
  if (!allowed)
    return answer_when_durable(what, allowed.why());
  std::vector<std::pair<std::uint64_t, storage::room_row>> room;
  store_.each_in_room(stream.first, stream.second, [&](auto at, auto kept) {
    if (room.size() <= rows_max)
      room.emplace_back(at, std::move(kept));
  });
  if (room.size() > rows_max)
    return refuse("more than " + std::to_string(rows_max)
                  + " events wait in that stream");
  const bool was_waiting = row.waiting.has_value();
  if (trial_ == stream || (was_waiting && room.size() != row.waiting->rows))
    return store_.rows().when_durable(
      [this, what, &to] { redirect(what, to); }); // a row is on its way
  if (!room.empty() && room.front().first == row.position + 1) {
    const auto head = codec::decode_event(room.front().second.bytes);
    if (!head)
      storage::corrupt_row("waiting room", head.why());
    const auto& about = (*head)->envelope;
    const domain::event_kind kind{about.event_type, about.event_version};
    if (!takes(to.spec_, kind))
      return refuse(to.spec_.name + " does not take " + text_of(kind)
                    + ", the stream's next");
  }
  for (const auto& [at, kept] : room) {
    to.store_.put_room(stream.first, stream.second, at, kept);
    store_.erase_room(stream.first, stream.second, at);
  }
  auto moved = row;
  moved.came_from = spec_.name;
  moved.start_mark = row.position;
  row.effect.clear();
  row.waiting.reset();
  row.forward_to = to.spec_.name;
  askings_.erase(stream);
  stream_result result;
  result.position = row.position;
  save(stream, std::move(row), was_waiting);
  to.save(stream, std::move(moved), false);
  to.enqueue_drain(stream);
  log::warning("consumer", "redirected",
               {{"consumer", spec_.name},
                {"to", to.spec_.name},
                {"tenant", stream.first},
                {"aggregate", stream.second},
                {"actor", what.actor}});
  answer_when_durable(what, std::move(result));
}

} // namespace parcelflow::actors
