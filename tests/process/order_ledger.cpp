#include "tests/process/order_ledger.hpp"

#include "support/clock.hpp"
#include "tests/support/closed_store.hpp"
#include "tests/support/invariants.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace parcelflow::test {

using nlohmann::json;

// The events, in the order of the outbox: a1 accepted, b1 accepted, a2
// accepted, b2 accepted, b2 cancelled, a1 completed. A bus that drops the
// fourth leaves b2 with a gap.
order_ledger::order_ledger(daemon_process& of) : daemon_(of) {
  for (const auto* tenant : {"tn-a", "tn-b"}) {
    tokens_[tenant] = daemon_.token(tenant);
    stock(tenant);
  }
  place("tn-a", "a1");
  place("tn-b", "b1");
  place("tn-a", "a1"); // again: the same order
  place("tn-a", "a2");
  place("tn-b", "b2");
  place("tn-b", "refused", "tok_decline", 402);
  close("tn-b", "b2", "cancel");
  close("tn-a", "a1", "complete");
  close("tn-b", "b2", "cancel"); // again: the same answer
}

void order_ledger::stock(const std::string& tenant) {
  intents_.push_back({tenant, "",
                      [this, tenant] {
                        return daemon_.ask("PUT", "/v1/inventory/sku-1",
                                           tokens_[tenant],
                                           R"({"onHand":1000000})");
                      },
                      200});
}

void order_ledger::place(const std::string& tenant, const std::string& name,
                         const std::string& payment, int must) {
  const json order = {
    {"currency", "EUR"},
    {"paymentToken", payment},
    {"lines", {{{"sku", "sku-1"}, {"quantity", 2}, {"unitPriceMinor", 1250}}}}};
  intents_.push_back({tenant, name,
                      [this, tenant, name, body = order.dump()] {
                        return daemon_.ask(
                          "POST", "/v1/orders", tokens_[tenant], body,
                          {"Idempotency-Key: \"" + name + "\""});
                      },
                      must});
}

void order_ledger::close(const std::string& tenant, const std::string& name,
                         const std::string& verb) {
  closed_[{tenant, name}] = verb;
  intents_.push_back(
    {tenant, name,
     [this, tenant, name, verb] {
       return daemon_.ask(
         "POST", "/v1/orders/" + orders_.at({tenant, name}) + "/" + verb,
         tokens_[tenant]);
     },
     200});
}

bool order_ledger::run() {
  for (auto& one : intents_) {
    if (one.acknowledged)
      continue;
    const auto answer = one.ask();
    if (answer.status == 0)
      return false;
    REQUIRE_MESSAGE(answer.status == one.must, answer.body);
    note(one, answer);
    one.acknowledged = true;
  }
  return true;
}

void order_ledger::note(const intent& of, const http_answer& answer) {
  if (answer.status != 201)
    return;
  const auto id = json::parse(answer.body).at("orderId").get<std::string>();
  const auto known = orders_.emplace(std::pair(of.tenant, of.name), id).first;
  CHECK_MESSAGE(known->second == id, "one key gave two orders");
}

void order_ledger::one_more() {
  const auto number = std::to_string(intents_.size());
  place("tn-b", "more-" + number);
  place("tn-b", "refused-" + number, "tok_decline", 402);
}

http_answer order_ledger::get(const std::string& tenant,
                              const std::string& target) {
  return daemon_.ask("GET", target, tokens_.at(tenant));
}

std::uint64_t order_ledger::events_of(
  const std::pair<std::string, std::string>& order) const {
  return closed_.contains(order) ? 2 : 1;
}

bool order_ledger::at_rest() {
  for (const auto& [of, id] : orders_) {
    const auto answer = get(of.first, "/v1/orders/" + id + "/evidence");
    if (answer.status != 200)
      return false;
    const auto evidence = json::parse(answer.body);
    const auto& consumers = evidence.at("consumers");
    REQUIRE(consumers.size() == 3);
    for (const auto& one : consumers)
      if (one.at("streamPosition") != events_of(of))
        return false;
  }
  return true;
}

void order_ledger::audit() const {
  const closed_store found(daemon_.directory());
  test::at_rest when;
  when.now = support::system_clock().now();
  for (const auto& one : violations(found.read(), when))
    FAIL_CHECK(one);

  std::set<std::pair<std::string, std::string>> arrived;
  for (const auto& order : found.orders()) {
    const std::pair key(order.tenant_id, order.idempotency_key);
    const auto known = orders_.find(key);
    REQUIRE_MESSAGE(known != orders_.end(), "unexpected: " << order.order_id);
    CHECK(known->second == order.order_id);
    CHECK_MESSAGE(arrived.insert(key).second, "duplicated: " << key.second);
    CHECK(order.steps.size() == events_of(key));
    CHECK(found.job(order.tenant_id, order.order_id).has_value());
    const auto sends = found.sends(order.tenant_id, order.order_id);
    const auto closed = closed_.find(key);
    const bool cancelled =
      closed != closed_.end() && closed->second == "cancel";
    REQUIRE(sends.size() == (cancelled ? 2 : 1));
    CHECK(sends.front().template_name == domain::confirmation_template);
    if (cancelled)
      CHECK(sends.back().template_name == domain::cancellation_template);
  }
  CHECK_MESSAGE(arrived.size() == orders_.size(), "lost an order");
  CHECK(found.jobs().size() == orders_.size());
  for (const auto& letter : found.dead_letters())
    CHECK_MESSAGE(letter.state() == domain::dead_letter_state::resolved,
                  letter.event_id << " still waits");
}

} // namespace parcelflow::test
