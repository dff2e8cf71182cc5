#include "actors/replay_book.hpp"

#include "domain/dead_letter.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <algorithm>

namespace parcelflow::actors {

using domain::failure;
using domain::item_state;
using domain::replay_state;
namespace log = support::log;

replay_book::replay_book(storage::family& rows, const support::clock& clock,
                         support::metrics& metrics, replay_limits limits,
                         replay_ports ports)
  : rows_(rows), clock_(clock), limits_(limits), ports_(std::move(ports)) {
  for (auto i = static_cast<int>(item_state::created_now);
       i <= static_cast<int>(item_state::cancelled); ++i) {
    const auto state = static_cast<item_state>(i);
    items_total_[state] =
      metrics.counter("parcelflow_replay_items_total",
                      "Items of replays, by what became of them",
                      {{"outcome", std::string(to_string(state))}});
  }
  running_now_ =
    metrics.gauge("parcelflow_replays_running", "Replays under way");
  left_now_ = metrics.gauge("parcelflow_replay_items_left",
                            "Items that replays under way have yet to do");
  load_running();
}

// --- rows --------------------------------------------------------------------

std::string replay_book::holder(const std::string& tenant,
                                const std::string& dead_letter_id) const {
  constexpr std::size_t head = 2; // record version, key id
  const auto row = rows_.get(storage::open_replay_key(tenant, dead_letter_id));
  return row && row->size() > head ? row->substr(head) : std::string();
}

std::optional<domain::replay> replay_book::load(const replay_name& name) const {
  const auto bytes = rows_.get(storage::replay_key(name.first, name.second));
  if (!bytes)
    return std::nullopt;
  auto of = domain::decode_replay(name.first, name.second, *bytes);
  if (!of)
    storage::corrupt_row("replay", of.why());
  return *std::move(of);
}

void replay_book::save(const running& of) {
  rows_.put(storage::replay_key(of.record.tenant_id, of.record.replay_id),
            domain::encode(of.record));
}

void replay_book::save_item(const running& of, std::size_t number) {
  rows_.put(
    storage::replay_item_key(of.record.tenant_id, of.record.replay_id, number),
    domain::encode(of.items[number]));
}

void replay_book::load_running() {
  const auto all = storage::key_writer(storage::kind::replay).take();
  rows_.scan(all, storage::prefix_end(all), [&](auto key, auto value) {
    storage::key_reader in(key);
    const auto tenant = in.text();
    const auto id = in.text();
    auto record = domain::decode_replay(tenant, id, value);
    if (!record)
      storage::corrupt_row("replay", record.why());
    if (record->state == replay_state::running
        || record->state == replay_state::cancelling)
      running_[{tenant, id}].record = *std::move(record);
    return true;
  });
  for (auto& [name, of] : running_) {
    const auto from = storage::replay_item_key(name.first, name.second, 0);
    const auto upper =
      storage::prefix_end(std::string_view(from).substr(0, from.size() - 8));
    rows_.scan(from, upper, [&, &of = of](auto, auto value) {
      auto item = domain::decode_replay_item(value);
      if (!item)
        storage::corrupt_row("replay item", item.why());
      of.items.push_back(*std::move(item));
      return true;
    });
    PF_ASSERT(of.items.size() == of.record.total);
    arrange(of);
  }
}

/// Items into lanes: a stream is one, what was set aside stands alone.
void replay_book::arrange(running& of) {
  of.lane_of.assign(of.items.size(), 0);
  for (std::size_t i = 0; i < of.items.size(); ++i) {
    const auto& item = of.items[i];
    const bool in_order = !domain::stands_aside(item.cause);
    const bool goes_on = in_order && i > 0 && of.lanes.back().in_order
                         && of.items[i - 1].consumer == item.consumer
                         && of.items[i - 1].aggregate_id == item.aggregate_id;
    if (!goes_on)
      of.lanes.push_back({{}, in_order});
    of.lane_of[i] = of.lanes.size() - 1;
    if (!is_final(item.state))
      of.lanes.back().waiting.push_back(i);
  }
  for (std::size_t i = 0; i < of.lanes.size(); ++i)
    if (!of.lanes[i].waiting.empty())
      of.ready.push_back(i);
}

// --- execute and cancel
// --------------------------------------------------------

/// The one replay that holds every record of the plan, if there is such a one.
std::optional<std::string>
replay_book::held_by_one(const domain::replay_plan& plan) const {
  std::string one;
  for (const auto& item : plan.items) {
    const auto by = holder(plan.tenant_id, item.dead_letter_id);
    if (by.empty() || (!one.empty() && by != one))
      return std::nullopt;
    one = by;
  }
  return one;
}

void replay_book::execute(const execute_request& what) {
  const auto answer = [&](domain::outcome<replay_ticket> given) {
    rows_.when_durable(
      [to = what.answer, given = std::move(given)] { to(given); });
  };
  const auto id =
    "rpl-" + what.plan_id.substr(std::min<std::size_t>(4, what.plan_id.size()));
  if (load({what.who.tenant_id, id}))
    return answer(replay_ticket{id, true});
  if (!what.plan)
    return answer({failure::not_found, "there is no such plan"});
  const auto& plan = *what.plan;
  if (plan.items.empty())
    return answer({failure::illegal_transition,
                   "the plan has no item: there is nothing to replay"});
  if (const auto by = held_by_one(plan))
    return answer(replay_ticket{*by, true});
  if (running_.size() >= limits_.replays_max)
    return answer(
      {failure::overloaded, "as many replays as may be are under way: "
                              + std::to_string(limits_.replays_max)});
  auto& of = running_[{plan.tenant_id, id}];
  of = take_over(what);
  of.record.replay_id = id;
  ports_.note({0,
               0,
               what.who.actor,
               plan.tenant_id,
               "execute",
               id,
               what.who.reason,
               true,
               1,
               {},
               {}});
  stage_all(of);
  arrange(of);
  support::fault_point("replay.before_start");
  rows_.when_durable(
    [this, name = replay_name{plan.tenant_id, id}, to = what.answer] {
      support::fault_point("replay.after_start");
      to(replay_ticket{name.second, false});
      pump();
    });
}

replay_book::running replay_book::take_over(const execute_request& what) const {
  const auto& plan = *what.plan;
  running of;
  auto& record = of.record;
  record.tenant_id = plan.tenant_id;
  record.plan_id = plan.plan_id;
  record.plan_digest = plan.digest;
  record.filter_text = plan.filter_text;
  record.actor = what.who.actor;
  record.reason = what.who.reason;
  record.rate_per_s = what.rate_per_s;
  record.started_at = clock_.now();
  record.total = plan.items.size();
  of.items = plan.items;
  for (auto& item : of.items)
    if (const auto by = holder(plan.tenant_id, item.dead_letter_id);
        !by.empty()) {
      item.state = item_state::refused;
      item.reason = "it is in " + by;
      item.at = record.started_at;
      record.counts.add(item.state);
    }
  return of;
}

void replay_book::stage_all(const running& of) {
  const auto& record = of.record;
  save(of);
  for (std::size_t i = 0; i < of.items.size(); ++i) {
    save_item(of, i);
    if (!is_final(of.items[i].state))
      rows_.put(
        storage::open_replay_key(record.tenant_id, of.items[i].dead_letter_id),
        std::string("\x01\0", 2) + record.replay_id);
  }
  log::info("replay", "started",
            {{"tenant", record.tenant_id},
             {"replay", record.replay_id},
             {"actor", record.actor},
             {"items", record.total}});
}

void replay_book::cancel(const cancel_request& what) {
  const replay_name name{what.who.tenant_id, what.replay_id};
  const auto answer = [&](domain::outcome<domain::replay> given) {
    rows_.when_durable(
      [to = what.answer, given = std::move(given)] { to(given); });
  };
  const auto at = running_.find(name);
  if (at == running_.end()) {
    auto ended = load(name);
    if (!ended)
      return answer({failure::not_found, "there is no such replay"});
    if (ended->state == replay_state::cancelled)
      return answer(*std::move(ended)); // asked for again
    return answer({failure::illegal_transition,
                   "the replay has ended: it cannot be cancelled"});
  }
  auto& of = at->second;
  if (of.record.state == replay_state::running) {
    ports_.note({0,
                 0,
                 what.who.actor,
                 name.first,
                 "cancel",
                 name.second,
                 what.who.reason,
                 true,
                 1,
                 {},
                 {}});
    of.record.state = replay_state::cancelling;
    of.record.cancelled_by = what.who.actor;
    for (const auto lane : std::exchange(of.ready, {}))
      end_lane(of, lane, item_state::cancelled, "the replay was cancelled");
    save(of);
  }
  answer(of.record);
  if (finish(of))
    running_.erase(at);
}

} // namespace parcelflow::actors
