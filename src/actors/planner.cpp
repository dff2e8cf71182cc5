#include "actors/planner.hpp"

#include "codec/filter_text.hpp"
#include "codec/identity.hpp"
#include "storage/keys.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace parcelflow::actors {

using domain::dead_letter_state;
using domain::failure;
using domain::plan_state;

namespace {

constexpr std::size_t streams_a_slice = 128;

domain::replay_item item_of(const domain::dead_letter& letter) {
  domain::replay_item item;
  item.dead_letter_id = letter.dead_letter_id;
  item.consumer = letter.consumer;
  item.cause = letter.cause;
  item.aggregate_id = letter.aggregate_id;
  item.sequence = letter.observed_sequence;
  item.event_id = letter.event_id;
  item.digest = letter.digest;
  return item;
}

bool same_stream(const domain::replay_item& a, const domain::replay_item& b) {
  return a.consumer == b.consumer && a.aggregate_id == b.aggregate_id;
}

} // namespace

void planner_state::init(planner_actor::pointer self,
                         planner_dependencies with) {
  self_ = self;
  with_.emplace(std::move(with));
}

domain::replay_plan* planner_state::find(const std::string& tenant,
                                         const std::string& plan_id) {
  const auto at = plans_.find(plan_id);
  return at != plans_.end() && at->second.tenant_id == tenant ? &at->second
                                                              : nullptr;
}

void planner_state::expire(support::unix_ms now) {
  for (auto& [id, plan] : plans_)
    if (plan.state == plan_state::ready && plan.expires_at <= now) {
      plan.state = plan_state::expired;
      plan.items.clear();
    }
  while (plans_.size() >= with_->limits.plans_max) {
    std::erase_if(jobs_, [&](const job& one) {
      return one.plan_id == plans_.begin()->first;
    });
    plans_.erase(plans_.begin());
  }
}

void planner_state::plan(const plan_request& what) {
  const auto now = with_->clock->now();
  expire(now);
  domain::replay_plan plan;
  plan.plan_id = "pln-" + with_->ids->next_ulid();
  plan.tenant_id = what.who.tenant_id;
  plan.actor = what.who.actor;
  plan.filter = what.filter;
  if (!plan.filter.state)
    plan.filter.state = dead_letter_state::open;
  plan.filter_text = codec::filter_text(plan.filter);
  plan.created_at = now;
  plan.expires_at = now + with_->limits.life_ms;
  jobs_.push_back({plan.plan_id, with_->store->read(),
                   storage::key_writer(storage::kind::dead_letter)
                     .text(plan.tenant_id)
                     .take(),
                   0});
  if (jobs_.size() == 1)
    self_->send(self_, tick_atom::value);
  what.answer(std::make_shared<const domain::replay_plan>(plan));
  plans_.emplace(plan.plan_id, std::move(plan));
}

void planner_state::show(const show_plan_request& what) {
  expire(with_->clock->now());
  if (const auto* plan = find(what.tenant_id, what.plan_id))
    what.answer(std::make_shared<const domain::replay_plan>(*plan));
  else
    what.answer({failure::not_found, "there is no such plan"});
}

// --- making a plan
// ---------------------------------------------------------------

/// One slice of the oldest job, then the next one's turn.
void planner_state::work() {
  if (jobs_.empty())
    return;
  auto on = std::move(jobs_.front());
  jobs_.pop_front();
  auto& plan = plans_.at(on.plan_id);
  const bool more = on.from.empty() ? predict(on, plan) : collect(on, plan);
  if (more)
    jobs_.push_back(std::move(on));
  if (!jobs_.empty())
    self_->send(self_, tick_atom::value);
}

void planner_state::fail(domain::replay_plan& plan, std::string why) {
  plan.state = plan_state::failed;
  plan.why = std::move(why);
  plan.items.clear();
}

/// True while the plan is not done.
bool planner_state::collect(job& on, domain::replay_plan& plan) {
  const auto prefix =
    storage::key_writer(storage::kind::dead_letter).text(plan.tenant_id).take();
  std::size_t looked_at = 0;
  std::string last;
  domain::status read = domain::done();
  on.at.scan(storage::owner::dead_letter, on.from, storage::prefix_end(prefix),
             [&](std::string_view key, std::string_view value) {
               last = key;
               looked_at += 1;
               storage::key_reader in(key);
               in.text();
               const auto letter =
                 domain::decode_dead_letter(plan.tenant_id, in.text(), value);
               if (!letter)
                 read = letter.why();
               else if (plan.filter.matches(*letter))
                 plan.items.push_back(item_of(*letter));
               return read.ok() && looked_at < with_->limits.slice_rows
                      && plan.items.size() <= with_->limits.items_max;
             });
  plan.looked_at += looked_at;
  if (!read)
    return fail(plan, read.why().detail), false;
  if (plan.items.size() > with_->limits.items_max)
    return fail(plan, "more than " + std::to_string(with_->limits.items_max)
                        + " records match: narrow the filter"),
           false;
  if (looked_at == with_->limits.slice_rows) {
    on.from = last + '\0';
    return true;
  }
  on.from.clear();
  std::sort(plan.items.begin(), plan.items.end(), domain::runs_before);
  return true;
}

/// Stream by stream; ready when every item has its verdict.
bool planner_state::predict(job& on, domain::replay_plan& plan) {
  storage::forecast forecast(on.at, with_->places);
  for (std::size_t i = 0; i < streams_a_slice; ++i) {
    if (on.predicted == plan.items.size()) {
      plan.digest = codec::plan_digest(plan);
      plan.state = plan_state::ready;
      return false;
    }
    const auto begin =
      plan.items.begin() + static_cast<std::ptrdiff_t>(on.predicted);
    const auto end = std::find_if(begin, plan.items.end(), [&](auto& item) {
      return !same_stream(item, *begin);
    });
    if (const auto read =
          forecast.predict(plan.tenant_id, std::span(begin, end));
        !read)
      return fail(plan, read.why().detail), false;
    on.predicted = static_cast<std::size_t>(end - plan.items.begin());
  }
  return true;
}

// --- executing one
// -----------------------------------------------------------------

void planner_state::execute(const execute_request& what) {
  expire(with_->clock->now());
  auto on = what;
  const auto* plan = find(what.who.tenant_id, what.plan_id);
  if (plan != nullptr && plan->state == plan_state::executed)
    return what.answer(replay_ticket{plan->replay_id, true});
  const auto refuse = [&](std::string why) {
    what.answer({failure::illegal_transition, std::move(why)});
  };
  if (plan != nullptr && plan->state == plan_state::planning)
    return refuse("the plan is not ready yet");
  if (plan != nullptr && plan->state == plan_state::failed)
    return refuse("the plan failed: " + plan->why);
  if (plan != nullptr && plan->state == plan_state::expired)
    return refuse("the plan has expired: plan again");
  if (plan != nullptr && plan->state == plan_state::ready)
    on.plan = std::make_shared<const domain::replay_plan>(*plan);
  // A plan that was executed, or is of an earlier process, may have a replay.
  on.answer = [this, to = self_->address(), plan_id = what.plan_id,
               answer = what.answer](domain::outcome<replay_ticket> given) {
    const auto me = caf::actor_cast<planner_actor>(to);
    if (given && me)
      caf::anon_send(
        me, errand_atom::value,
        std::make_shared<const std::function<void()>>(
          [this, plan_id, id = given->replay_id] { executed(plan_id, id); }));
    answer(std::move(given));
  };
  self_->send(with_->dead_letters, execute_atom::value,
              std::make_shared<const execute_request>(std::move(on)));
}

void planner_state::executed(const std::string& plan_id,
                             const std::string& replay_id) {
  const auto at = plans_.find(plan_id);
  if (at == plans_.end())
    return;
  at->second.state = plan_state::executed;
  at->second.replay_id = replay_id;
}

planner_actor::behavior_type
planner(planner_actor::stateful_pointer<planner_state> self,
        planner_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](tick_atom) { state.work(); },
    [](errand_atom, const errand& what) { (*what)(); },
    [&state](plan_atom, const plan_request_ptr& what) { state.plan(*what); },
    [&state](show_atom, const show_plan_ptr& what) { state.show(*what); },
    [&state](execute_atom, const execute_ptr& what) { state.execute(*what); },
  };
}

} // namespace parcelflow::actors
