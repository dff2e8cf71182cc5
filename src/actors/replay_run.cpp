// Replays under way: sending items, hearing what became of them, ending.
#include "actors/replay_book.hpp"
#include "storage/keys.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::dead_letter_state;
using domain::failure;
using domain::item_state;
using domain::replay_state;
namespace log = support::log;

void replay_book::begin() {
  begun_ = true;
  for (auto& [name, of] : running_) {
    // What was out at the stop is asked for again; its inbox tells.
    std::deque<std::size_t> ready;
    for (const auto lane : std::exchange(of.ready, {})) {
      const auto number = of.lanes[lane].waiting.front();
      if (of.items[number].state != item_state::sent) {
        ready.push_back(lane);
        continue;
      }
      of.lanes[lane].waiting.pop_front();
      of.out += 1;
      ask(of, number);
    }
    of.ready = std::move(ready);
    if (of.record.state == replay_state::cancelling)
      for (const auto lane : std::exchange(of.ready, {}))
        end_lane(of, lane, item_state::cancelled, "the replay was cancelled");
    save(of);
    log::info("replay", "goes on",
              {{"tenant", name.first},
               {"replay", name.second},
               {"left", of.record.total - of.record.counts.sum()}});
  }
  pump();
}

void replay_book::pump() {
  if (!begun_ || stopped_)
    return;
  double left = 0;
  for (auto at = running_.begin(); at != running_.end();) {
    pump(at->second);
    left += static_cast<double>(at->second.record.total
                                - at->second.record.counts.sum());
    at = finish(at->second) ? running_.erase(at) : std::next(at);
  }
  running_now_.set(static_cast<double>(running_.size()));
  left_now_.set(left);
}

void replay_book::pump(running& of) {
  if (of.record.state != replay_state::running)
    return;
  while (!of.ready.empty() && of.out < limits_.window) {
    if (of.record.rate_per_s > 0) {
      const auto now_us = clock_.steady() * 1000;
      if (of.next_at_us > now_us)
        return ports_.wake((of.next_at_us - now_us) / 1000 + 1);
      of.next_at_us =
        std::max(of.next_at_us, now_us) + 1'000'000 / of.record.rate_per_s;
    }
    const auto lane = of.ready.front();
    of.ready.pop_front();
    const auto number = of.lanes[lane].waiting.front();
    of.lanes[lane].waiting.pop_front();
    of.out += 1;
    send(of, number);
  }
}

/// Durably `sent`, then to its consumer.
void replay_book::send(running& of, std::size_t number) {
  auto& item = of.items[number];
  auto letter = ports_.load(of.record.tenant_id, item.dead_letter_id);
  if (!letter || letter->state() == dead_letter_state::waived)
    return settle(of, number,
                  {0, item_state::refused, {}, "it was waived", {}});
  if (!ports_.knows(item.consumer))
    return settle(of, number,
                  {0,
                   item_state::refused,
                   {},
                   "no compatible consumer: " + item.consumer + " is not here",
                   {}});
  item.state = item_state::sent;
  save_item(of, number);
  if (letter->state() == dead_letter_state::open) {
    add_step(*letter, {dead_letter_state::replaying, of.record.actor,
                       of.record.replay_id, clock_.now()});
    add_replay(*letter, of.record.replay_id);
    ports_.save(*letter);
  }
  rows_.when_durable(
    [this, number,
     name = replay_name{of.record.tenant_id, of.record.replay_id}] {
      support::fault_point("replay.after_sent");
      const auto at = running_.find(name);
      if (at != running_.end())
        ask(at->second, number);
    });
}

void replay_book::ask(const running& of, std::size_t number) {
  const auto& item = of.items[number];
  stream_op op;
  op.what = stream_op::verb::replay;
  op.consumer = item.consumer;
  op.tenant_id = of.record.tenant_id;
  op.aggregate_id = item.aggregate_id;
  op.sequence = item.sequence;
  op.dead_letter_id = item.dead_letter_id;
  op.replay_id = of.record.replay_id;
  op.event_id = item.event_id;
  op.digest = item.digest;
  op.actor = of.record.actor;
  op.answer =
    [answered = ports_.answered,
     back = item_result{of.record.tenant_id, of.record.replay_id, number, {}}](
      domain::outcome<stream_result> said) {
      auto mine = back;
      if (said)
        mine.result = *std::move(said);
      else
        mine.result.reason = said.why().detail;
      answered(std::move(mine));
    };
  if (!ports_.knows(op.consumer)) // gone since the last start
    return op.answer({failure::not_found, "no compatible consumer"});
  ports_.operate(std::move(op));
}

void replay_book::result(const item_result& of) {
  const auto at = running_.find({of.tenant_id, of.replay_id});
  if (at == running_.end() || is_final(at->second.items[of.number].state))
    return;
  settle(at->second, of.number, of.result);
  pump();
}

void replay_book::settle(running& of, std::size_t number,
                         const stream_result& result) {
  auto& item = of.items[number];
  const bool was_sent = item.state == item_state::sent;
  item.state = result.state;
  item.door = result.door;
  item.reason = result.reason;
  item.earlier_replay = result.earlier_replay;
  item.at = clock_.now();
  of.record.counts.add(item.state);
  items_total_.at(item.state).add();
  of.out -= 1;
  save_item(of, number);
  settle_letter(of, item, was_sent);
  support::fault_point("replay.before_result");
  const auto lane = of.lane_of[number];
  if (item.state == item_state::refused && of.lanes[lane].in_order)
    end_lane(of, lane, item_state::stopped,
             "its stream stopped at " + item.dead_letter_id);
  else if (of.record.state == replay_state::cancelling)
    end_lane(of, lane, item_state::cancelled, "the replay was cancelled");
  else if (!of.lanes[lane].waiting.empty())
    of.ready.push_back(lane);
  save(of);
  rows_.when_durable([] { support::fault_point("replay.after_result"); });
}

/// The record follows what its consumer said; usually the consumer's own word
/// of it came before.
void replay_book::settle_letter(const running& of,
                                const domain::replay_item& item,
                                bool was_sent) {
  rows_.erase(
    storage::open_replay_key(of.record.tenant_id, item.dead_letter_id));
  auto letter = ports_.load(of.record.tenant_id, item.dead_letter_id);
  if (!letter || !was_sent)
    return;
  const bool used = item.state == item_state::created_now
                    || item.state == item_state::existed_before
                    || item.state == item_state::declined;
  const auto state = letter->state();
  const auto how =
    of.record.replay_id + ": " + std::string(to_string(item.state));
  if (used && state != dead_letter_state::resolved
      && state != dead_letter_state::waived)
    add_step(*letter, {dead_letter_state::resolved, "system", how, item.at});
  else if (!used && state == dead_letter_state::replaying)
    add_step(*letter, {dead_letter_state::open, "system",
                       how + ": " + item.reason, item.at});
  else
    return;
  ports_.save(*letter);
}

void replay_book::end_lane(running& of, std::size_t at, item_state state,
                           const std::string& why) {
  for (const auto number : std::exchange(of.lanes[at].waiting, {})) {
    auto& item = of.items[number];
    item.state = state;
    item.reason = why;
    item.at = clock_.now();
    of.record.counts.add(state);
    items_total_.at(state).add();
    save_item(of, number);
    settle_letter(of, item, false);
  }
}

bool replay_book::finish(running& of) {
  auto& record = of.record;
  if (of.out > 0 || record.counts.sum() < record.total)
    return false;
  record.state = record.state == replay_state::cancelling
                   ? replay_state::cancelled
                   : replay_state::finished;
  record.ended_at = clock_.now();
  save(of);
  ports_.note({0,
               0,
               "system",
               record.tenant_id,
               std::string("replay.") + std::string(to_string(record.state)),
               record.replay_id,
               domain::to_text(record.counts),
               true,
               1,
               {},
               {}});
  log::info("replay", to_string(record.state),
            {{"tenant", record.tenant_id},
             {"replay", record.replay_id},
             {"created_now", record.counts.created_now},
             {"existed_before", record.counts.existed_before},
             {"declined", record.counts.declined},
             {"refused", record.counts.refused},
             {"stopped", record.counts.stopped},
             {"cancelled", record.counts.cancelled}});
  return true;
}

void replay_book::step() {
  pump();
}

} // namespace parcelflow::actors
