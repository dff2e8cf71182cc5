// What responders do to the relay: replay what the bus refused for good, pause
// and resume publishing.
#include "actors/relay.hpp"
#include "domain/order.hpp"
#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::item_state;

void relay_state::answer(const stream_op& what, stream_result result) {
  writer_->rows().when_durable(
    [to = what.answer, result = std::move(result)] { to(result); });
}

void relay_state::operate(const stream_op_ptr& what) {
  stream_result result;
  const stream_id stream(what->tenant_id, what->aggregate_id);
  const auto at = held_.find(stream);
  const bool under_way =
    std::any_of(extras_.begin(), extras_.end(), [&](const auto& extra) {
      const auto& about = extra.second.event.event->envelope;
      return extra.second.held && about.tenant_id == stream.first
             && about.aggregate_id == stream.second;
    });
  if (what->what != stream_op::verb::replay) {
    what->answer({domain::failure::illegal_transition,
                  "what was never published can only be replayed"});
  } else if (at == held_.end()
             || at->second.dead_letter_id != what->dead_letter_id) {
    result.state = item_state::existed_before;
    result.reason = "the bus accepted the event";
    answer(*what, std::move(result));
  } else if (pauses_->relay() || under_way) {
    result.reason = under_way ? "the event is being offered already"
                              : "the relay is paused: resume it first";
    answer(*what, std::move(result));
  } else {
    offer_held(stream, what);
  }
  after();
}

/// Answers whoever replays, and closes the record with the same batch that
/// keeps the receipt. True: the stream goes on to its next event.
bool relay_state::settle_replay(const extra_offer& of,
                                storage::held_stream& held,
                                const bus::publish_result& result) {
  const auto& what = *of.replay;
  stream_result said;
  said.door = domain::via::replay;
  if (result) {
    said.state = item_state::created_now;
    storage::tell_row row;
    row.closed = domain::dead_letter_step{
      domain::dead_letter_state::resolved, "system",
      "the bus accepted it, " + what.replay_id, with_->clock->now()};
    writer_->rows().put(storage::key_writer(storage::kind::publish_to_tell)
                          .text(what.tenant_id)
                          .text(what.dead_letter_id)
                          .take(),
                        storage::encode(row));
    tell(what.tenant_id, what.dead_letter_id, std::move(row));
  } else {
    said.reason = result.why().detail;
    domain::add_attempt(held.attempts, {with_->clock->now(), said.reason});
    writer_->rows().put(
      storage::held_stream_key(what.tenant_id, what.aggregate_id),
      storage::encode(held));
  }
  answer(what, std::move(said));
  return result.ok();
}

void relay_state::obey(domain::pause_set_ptr pauses) {
  pauses_ = std::move(pauses);
  pump();
  after();
}

} // namespace parcelflow::actors
