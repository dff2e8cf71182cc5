#include "tests/simulation/people.hpp"

#include "codec/order_json.hpp"
#include "domain/dead_letter.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <utility>

namespace parcelflow::simulation {
namespace {

using actors::place_answer;
using storage::kind;
using storage::owner;

constexpr std::pair<owner, std::string_view> consumers[] = {
  {owner::inventory, domain::inventory_consumer},
  {owner::fulfillment, domain::fulfillment_consumer},
  {owner::notification, domain::notification_consumer}};

actors::ops_caller responder(const std::string& tenant) {
  return {"tok-sim", tenant, "simulated"};
}

domain::order_request request_of(const client_name& key, const order_body& what,
                                 const std::string& token) {
  domain::order_request of;
  of.tenant_id = key.first;
  of.idempotency_key = key.second;
  of.lines = {{what.sku, what.quantity, 1250}};
  of.currency = "EUR";
  of.payment_token = token;
  of.total_minor = what.quantity * 1250;
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.fingerprint = codec::fingerprint_of(of);
  return of;
}

std::string draw_token(chance& draw) {
  const auto what = draw.below(100);
  if (what < 80)
    return "tok_ok";
  if (what < 88)
    return "tok_decline";
  return what < 97 ? "tok_delay_" + std::to_string(draw.between(1, 3000))
                   : "tok_silent";
}

order_body draw_body(chance& draw) {
  const auto what = draw.below(100);
  return {what < 80   ? "sku-1"
          : what < 97 ? "sku-2"
                      : "sku-none",
          static_cast<std::int64_t>(draw.between(1, 3))};
}

/// Every record of a tenant, as it is durable now.
template <class Visit>
void each_letter(node& at, const std::string& tenant, Visit visit) {
  const auto from = storage::key_writer(kind::dead_letter).text(tenant).take();
  at.it().store().read().scan(
    owner::dead_letter, from, storage::prefix_end(from),
    [&](auto key, auto value) {
      storage::key_reader in(key);
      in.text();
      const auto id = in.text();
      if (auto letter = domain::decode_dead_letter(tenant, id, value))
        visit(*letter);
      return true;
    });
}

} // namespace

bool is_foreign(std::string_view aggregate) {
  return aggregate.starts_with("for-");
}

const std::vector<std::string>& people::tenants() {
  static const std::vector<std::string> all = {"tn-a", "tn-b", "tn-c"};
  return all;
}

std::int64_t people::shelf(std::string_view sku) {
  return sku == "sku-1" ? 10'000 : 6;
}

// --- clients ----------------------------------------------------------------

void people::stock(node& at) {
  for (const auto& tenant : tenants()) {
    for (const std::string sku : {"sku-1", "sku-2"})
      at.it().gateway().set_stock(tenant, sku, shelf(sku), [](auto) {});
  }
}

void people::send(node& at, const client_name& key, const order_body& what,
                  const std::string& token) {
  ledger_.asked(key, what);
  at.it().gateway().place(request_of(key, what, token),
                          [this, &at, key, what](place_answer answer) {
                            if (at.over())
                              return;
                            if (answer.what == place_answer::kind::accepted)
                              ledger_.confirmed(key, what, answer.order_id);
                            else if (answer.what == place_answer::kind::refused)
                              ledger_.refused(key, what);
                          });
}

void people::place(node& at, chance& draw) {
  for (auto count = draw.between(1, 4); count > 0; --count) {
    // Tenants choose alike: each counts for itself.
    const auto& tenant = draw.pick(tenants());
    const auto before =
      std::count_if(keys_.begin(), keys_.end(),
                    [&](const auto& one) { return one.first == tenant; });
    const client_name key(tenant, "k" + std::to_string(before + 1));
    keys_.push_back(key);
    send(at, key, draw_body(draw), draw_token(draw));
  }
}

void people::repeat(node& at, chance& draw) {
  if (keys_.empty())
    return place(at, draw);
  const auto& key = draw.pick(keys_);
  const auto& tried = ledger_.orders().at(key).bodies;
  const auto body = draw.percent(25) ? draw_body(draw) : tried.begin()->first;
  ++counted_[tried.contains(body) ? "asked again" : "asked with another body"];
  send(at, key, body, draw.percent(85) ? "tok_ok" : draw_token(draw));
  if (draw.percent(30)) { // a client that did not wait
    ++counted_["asked twice at once"];
    send(at, key, draw.percent(25) ? draw_body(draw) : body, "tok_ok");
  }
}

void people::command(node& at, chance& draw, domain::order_command what) {
  const auto confirmed = ledger_.confirmed_orders();
  if (confirmed.empty())
    return;
  const auto order = draw.pick(confirmed);
  ++ledger_.command(order, what).asked;
  at.it().gateway().command({order.first, order.second, what, {}, {}},
                            [this, &at, order, what](const auto& answer) {
                              if (!at.over() && answer.ok())
                                ledger_.command(order, what).confirmed = true;
                            });
}

// --- responders -------------------------------------------------------------

void people::plan_of(node& at, const std::string& tenant) {
  domain::dead_letter_filter filter;
  filter.state = domain::dead_letter_state::open;
  at.it().desk().plan(responder(tenant), filter,
                      [this, &at, tenant](const auto& answer) {
                        if (!at.over() && answer.ok())
                          plans_.push_back({tenant, (*answer)->plan_id});
                      });
}

void people::plan(node& at, chance& draw) {
  plan_of(at, draw.pick(tenants()));
}

void people::execute(node& at, const plan_name& plan) {
  at.it().desk().execute(responder(plan.tenant), plan.id, 0,
                         [this, &at, tenant = plan.tenant](const auto& answer) {
                           if (!at.over() && answer.ok() && answer->repeated)
                             ++counted_["executed again"];
                           if (!at.over() && answer.ok())
                             ledger_.replay_begun({tenant, answer->replay_id});
                         });
}

void people::replay(node& at, chance& draw) {
  if (plans_.empty() || draw.percent(40))
    return plan(at, draw);
  execute(at, draw.pick(plans_));
}

void people::waive_letter(node& at, const client_name& letter) {
  at.it().desk().waive(responder(letter.first), letter.second,
                       [this, &at, letter](const auto& answer) {
                         if (!at.over() && answer.ok())
                           ledger_.waived(letter);
                       });
}

void people::waive(node& at, chance& draw) {
  const auto& tenant = draw.pick(tenants());
  std::vector<std::string> open;
  each_letter(at, tenant, [&](const domain::dead_letter& one) {
    if (one.state() == domain::dead_letter_state::open)
      open.push_back(one.dead_letter_id);
  });
  if (!open.empty())
    waive_letter(at, {tenant, draw.pick(open)});
}

std::vector<people::waiting_stream> people::waiting(node& at) {
  std::vector<waiting_stream> found;
  const auto rows = at.it().store().read();
  for (const auto& [of, consumer] : consumers) {
    const auto from = storage::key_writer(kind::waiting_stream).take();
    rows.scan(of, from, storage::prefix_end(from), [&](auto key, auto) {
      storage::key_reader in(key);
      waiting_stream one;
      one.tenant = in.text();
      one.consumer = in.text();
      one.aggregate = in.text();
      const auto row = rows.get(
        of, storage::stream_key(one.tenant, one.consumer, one.aggregate));
      if (const auto stream =
            row ? domain::decode_stream(*row) : domain::fault{})
        one.position = stream->position;
      found.push_back(std::move(one));
      return true;
    });
  }
  return found;
}

std::vector<std::string> people::what_waits(node& at) {
  std::vector<std::string> found;
  const auto rows = at.it().store().read();
  for (const auto& one : waiting(at)) {
    found.push_back(one.tenant + " " + one.consumer + " " + one.aggregate
                    + " at " + std::to_string(one.position));
    for (const auto& [of, consumer] : consumers) {
      if (consumer != one.consumer)
        continue;
      const auto row = rows.get(
        of, storage::waiting_room_key(one.tenant, one.consumer, one.aggregate,
                                      one.position + 1));
      if (const auto room = row ? storage::decode_room(*row) : domain::fault{})
        found.back() +=
          ", head " + room->event_id + " mode "
          + std::to_string(static_cast<int>(room->mode)) + " after "
          + std::to_string(room->attempts.size()) + " attempts, due at "
          + std::to_string(room->next_at)
          + (room->attempts.empty() ? "" : " " + room->attempts.back().cause);
    }
  }
  for (const auto& tenant : tenants())
    each_letter(at, tenant, [&](const domain::dead_letter& one) {
      if (one.state() == domain::dead_letter_state::open
          || one.state() == domain::dead_letter_state::replaying)
        found.push_back(tenant + " " + one.consumer + " " + one.event_id + " "
                        + std::string(to_string(one.cause)) + " "
                        + std::string(to_string(one.state())) + " "
                        + one.reason);
    });
  const auto held = storage::key_writer(kind::held_stream).take();
  rows.scan(owner::relay, held, storage::prefix_end(held), [&](auto key, auto) {
    storage::key_reader in(key);
    const auto tenant = in.text();
    found.push_back("held at the relay: " + tenant + " " + in.text());
    return true;
  });
  return found;
}

void people::skip_head(node& at, const waiting_stream& of) {
  at.it().desk().skip(responder(of.tenant), {of.consumer, of.aggregate},
                      of.position + 1, [](const auto&) {});
}

/// Streams of our own orders are skipped too, now and then: what is missing
/// then is a responder's decision.
void people::skip(node& at, chance& draw) {
  const auto all = waiting(at);
  if (all.empty())
    return;
  const auto& one = draw.pick(all);
  if (is_foreign(one.aggregate)
      || (one.consumer != domain::inventory_consumer && draw.percent(20)))
    skip_head(at, one);
}

void people::resend(node& at, chance& draw) {
  const auto confirmed = ledger_.confirmed_orders();
  if (confirmed.empty())
    return;
  const auto& order = draw.pick(confirmed);
  const auto consumer = consumers[draw.below(3)].second;
  at.it().desk().resend(responder(order.first),
                        {std::string(consumer), order.second}, 1, 0,
                        [](const auto&) {});
}

void people::pause(node& at, chance& draw) {
  if (!paused_.empty() && draw.percent(50))
    return resume_all(at);
  const auto& tenant = draw.pick(tenants());
  domain::pause_target target;
  target.scope = static_cast<domain::pause_scope>(draw.between(1, 4));
  if (target.scope == domain::pause_scope::consumer)
    target.consumer = consumers[draw.below(3)].second;
  if (target.scope == domain::pause_scope::tenant
      || target.scope == domain::pause_scope::stream)
    target.tenant_id = tenant;
  if (target.scope == domain::pause_scope::stream) {
    const auto confirmed = ledger_.confirmed_orders();
    if (confirmed.empty())
      return;
    const auto& order = draw.pick(confirmed);
    target.tenant_id = order.first;
    target.aggregate_id = order.second;
  }
  paused_.emplace_back(tenant, target);
  at.it().desk().pause(responder(tenant), target, [](const auto&) {});
}

void people::resume_all(node& at) {
  // All that ever were: a crash may have undone a resume that was asked for.
  for (const auto& [tenant, target] : paused_)
    at.it().desk().resume(responder(tenant), target, [](const auto&) {});
}

void people::plan_all(node& at) {
  plans_.clear();
  for (const auto& tenant : tenants())
    plan_of(at, tenant);
}

void people::execute_all(node& at) {
  for (const auto& plan : plans_)
    execute(at, plan);
}

void people::give_up(node& at) {
  for (const auto& tenant : tenants())
    each_letter(at, tenant, [&](const domain::dead_letter& one) {
      if (one.state() == domain::dead_letter_state::open
          && domain::stands_aside(one.cause))
        waive_letter(at, {tenant, one.dead_letter_id});
    });
  for (const auto& one : waiting(at))
    if (is_foreign(one.aggregate))
      skip_head(at, one);
}

} // namespace parcelflow::simulation
