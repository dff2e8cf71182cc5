// What befalls a simulated life: each act of a schedule, carried out.
#include "codec/event_json.hpp"
#include "codec/order_json.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/keys.hpp"
#include "support/fault_point.hpp"
#include "tests/simulation/simulation.hpp"

#include <optional>

namespace parcelflow::simulation {
namespace {

using storage::owner;

/// An event that every consumer can read, of no order of ours.
domain::envelope readable(const std::string& event_id,
                          const std::string& tenant,
                          const std::string& aggregate, std::uint64_t sequence,
                          std::string_view type) {
  domain::order of;
  of.order_id = aggregate;
  of.reservation_id = "rsv-" + aggregate;
  of.authorization.id = "aut-" + aggregate;
  of.lines = {{"sku-1", 1, 100}};
  of.currency = "EUR";
  of.total_minor = 100;
  of.steps = {{domain::order_state::accepted, 1, 1, 1'800'000'000'000}};
  domain::envelope made;
  made.event_id = event_id;
  made.event_type = std::string(type);
  made.event_version = 1;
  made.tenant_id = tenant;
  made.aggregate_id = aggregate;
  made.aggregate_sequence = sequence;
  made.occurred_at = "2026-11-30T00:00:00.000Z";
  made.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  made.data = type == domain::order_cancelled
                ? codec::cancelled_data(of, 1'800'000'000'000)
                : codec::accepted_data(of);
  return made;
}

std::uint64_t position_of(const storage::snapshot& rows, owner of,
                          std::string_view consumer, const std::string& tenant,
                          const std::string& aggregate) {
  const auto row =
    rows.get(of, storage::stream_key(tenant, consumer, aggregate));
  const auto stream = row ? domain::decode_stream(*row) : domain::fault{};
  return stream ? stream->position : 0;
}

} // namespace

void simulation::perform(const act& what) {
  auto draw = chance(schedule_.seed).fork(what.number);
  live();
  if (broken_)
    return;
  try {
    ask(what, draw);
  } catch (const storage_died&) {
    // Who reads a store that failed unseen learns it; so does the process.
  }
  if (!broken_)
    work(draw, draw.below(60));
}

void simulation::ask(const act& what, chance& draw) {
  switch (what.kind) {
  case act_kind::place: people_.place(*node_, draw); break;
  case act_kind::repeat: people_.repeat(*node_, draw); break;
  case act_kind::cancel:
    people_.command(*node_, draw, domain::order_command::cancel);
    break;
  case act_kind::complete:
    people_.command(*node_, draw, domain::order_command::complete);
    break;
  case act_kind::pause:
    watch_.stir();
    people_.pause(*node_, draw);
    break;
  case act_kind::replay: people_.replay(*node_, draw); break;
  case act_kind::waive: people_.waive(*node_, draw); break;
  case act_kind::skip: people_.skip(*node_, draw); break;
  case act_kind::resend: people_.resend(*node_, draw); break;
  default: fate(what, draw);
  }
}

void simulation::fate(const act& what, chance& draw) {
  switch (what.kind) {
  case act_kind::foreign:
    for (auto count = draw.between(1, 3); count > 0; --count)
      foreign_event(draw);
    return;
  case act_kind::poison:
    hit("poison");
    poisoned_ = !poisoned_;
    return;
  case act_kind::wire: return change_wire(draw);
  case act_kind::pass:
    return pass(draw, static_cast<support::unix_ms>(
                        draw.percent(70) ? draw.between(1, 2000)
                                         : draw.between(2000, 60'000)));
  case act_kind::wall: {
    constexpr support::unix_ms year = 365LL * 24 * 3600 * 1000;
    const bool ahead = draw.percent(50);
    hit(ahead ? "clock set ahead" : "clock set back");
    clock_.set(clock_.now() + (ahead ? year : -year));
    return;
  }
  case act_kind::flush: hit("flush"); return node_->flush();
  case act_kind::rest: return rest(draw);
  case act_kind::crash: return arm_crash(draw);
  case act_kind::disk_fails: return break_disk(draw);
  case act_kind::slow_sync:
    hit("slow sync");
    return node_->plan_slow_sync(
      static_cast<support::unix_ms>(draw.between(100, 60'000)));
  default: return;
  }
}

void simulation::arm_crash(chance& draw) {
  crash_plan plan;
  plan.mode = static_cast<crash_mode>(draw.below(3));
  hit("crash mode " + std::string(to_string(plan.mode)));
  if (draw.percent(30))
    nested_ = draw.between(1, 3);
  const auto how = draw.below(100);
  if (how >= 88)
    return crash_in_replay(draw);
  if (how < 15)
    return node_->crash_now(plan.mode, draw);
  if (how < 55) {
    plan.at_change = draw.between(1, 30);
  } else if (how < 75) {
    plan.at_step = draw.between(1, 120);
  } else {
    const auto& points = support::fault_point_names();
    plan.at_point = std::string(points[draw.below(points.size())]);
    plan.passage = draw.between(1, 3);
    plan.mode = crash_mode::process;
  }
  node_->plan_crash(plan, draw.fork(7));
}

/// A crash at a step of a replay, if there is something to replay.
void simulation::crash_in_replay(chance& draw) {
  static const std::vector<std::string> points = {
    "replay.before_start", "replay.after_start",   "replay.after_attempt",
    "replay.after_sent",   "replay.before_result", "replay.after_result"};
  people_.plan_all(*node_);
  work(draw, 300);
  if (broken_)
    return;
  crash_plan plan;
  plan.at_point = draw.pick(points);
  plan.passage = draw.between(1, 2);
  node_->plan_crash(plan, draw.fork(7));
  people_.execute_all(*node_);
}

void simulation::break_disk(chance& draw) {
  disk_fault fault;
  fault.at_change = draw.between(1, 20);
  fault.no_space = draw.percent(30);
  fault.unsynced_lost = draw.percent(50);
  node_->plan_fault(fault);
}

void simulation::change_wire(chance& draw) {
  if (draw.percent(25))
    return broker_.set_mood({});
  broker_mood mood;
  const auto maybe = [&](std::uint64_t up_to) {
    return draw.percent(50) ? draw.between(1, up_to) : 0;
  };
  mood.lose_reply = maybe(40);
  mood.unreachable = maybe(40);
  mood.part = maybe(40);
  mood.refuse = draw.percent(35) ? draw.between(5, 40) : 0;
  mood.duplicate = maybe(50);
  mood.reorder = maybe(60);
  mood.deliveries_cut = draw.percent(10);
  mood.settles_cut = draw.percent(10);
  mood.replies_cut = draw.percent(10);
  broker_.set_mood(mood);
}

void simulation::emit(domain::event_ptr event) {
  if (schedule_.how.simulated_broker)
    return broker_.inject(std::move(event));
  std::vector<bus::offered> batch;
  batch.push_back({std::move(event), 0});
  node_->it().bus().publish(domain::order_topic, std::move(batch), [](auto) {});
}

/// A stream of a stranger, perhaps with a hole, an unknown version or a lie;
/// or a fork of one of ours that every consumer has used already.
void simulation::foreign_event(chance& draw) {
  ++foreign_;
  const auto& tenant = draw.pick(people::tenants());
  const auto id = "evt-x" + std::to_string(foreign_);
  const auto confirmed = ledger_.confirmed_orders();
  if (draw.percent(40) && !confirmed.empty()) {
    const auto& order = draw.pick(confirmed);
    const auto rows = node_->it().store().read();
    for (const auto& [of, consumer] :
         {std::pair(owner::inventory, domain::inventory_consumer),
          std::pair(owner::fulfillment, domain::fulfillment_consumer),
          std::pair(owner::notification, domain::notification_consumer)})
      if (position_of(rows, of, consumer, order.first, order.second) < 1)
        return;
    auto fork =
      readable(id, order.first, order.second, 1, domain::order_accepted);
    if (draw.percent(50))
      fork.event_id = domain::own_event_id(order.second, 1);
    hit("fork");
    return emit(codec::make_event(std::move(fork)));
  }
  const auto aggregate = "for-" + std::to_string(draw.between(1, 2));
  auto event = readable(id, tenant, aggregate, draw.between(1, 3),
                        draw.percent(70) ? domain::order_accepted
                                         : domain::order_cancelled);
  if (draw.percent(20)) {
    event.event_version = outer_broker::unknown_version;
    hit("unknown version");
  }
  hit(event.aggregate_sequence > 1 ? "gap" : "foreign event");
  emit(codec::make_event(std::move(event)));
}

} // namespace parcelflow::simulation
