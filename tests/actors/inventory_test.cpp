// The inventory owner alone: stock, reservations and their deadlines. Order
// owner, payment and committer say what the test says.
#include "tests/actors/lone_inventory.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::failure;
using domain::stock;
using test::lone_inventory;
using test::taken;
using state = domain::reservation_state;

namespace {

failure why(const reserve_answer& of) {
  REQUIRE_FALSE(of.reserved.ok());
  return of.reserved.why().code;
}

} // namespace

TEST_CASE("it takes events when it is durably marked as running, not before") {
  lone_inventory f(false);
  CHECK(f.bus.sinks.empty());
  CHECK(f.recovered == 0);
  f.commit();
  CHECK(f.bus.sinks.contains(std::string(domain::inventory_consumer)));
  CHECK(f.recovered == 1);
}

TEST_CASE("stock is answered after its round, and never below what is held") {
  lone_inventory f;
  const auto a = f.set("tn-a", 10);
  const auto b = f.set("tn-b", 3);
  CHECK_FALSE(a->has_value());
  f.commit();
  CHECK(***a == stock{10, 0});
  CHECK(b->has_value());
  f.held_by("tn-a", "k", 4);
  const auto refused = f.set("tn-a", 3);
  REQUIRE(refused->has_value());
  CHECK((*refused)->why().code == failure::stock_below_reserved);
  CHECK(f.held.empty());
  f.set("tn-b", 2);
  f.set("tn-a", 4);
  f.commit_all();
  CHECK(f.stock("tn-a") == stock{4, 4});
  CHECK(f.stock("tn-b") == stock{2, 0});
}

TEST_CASE("a reservation is all or nothing, and answered after its round") {
  lone_inventory f;
  f.stocked();
  f.set("tn-a", 1, "sku-2");
  f.commit();
  auto some = f.ask("tn-a", "some");
  some.lines = {{"sku-1", 1}, {"sku-2", 2}};
  auto none = f.ask("tn-a", "none");
  none.lines = {{"sku-9", 1}};
  f.reserve({f.ask("tn-a", "k", 2), some, none, f.ask("tn-b", "k", 3)});
  CHECK(f.order.reserved.empty());
  CHECK(f.stock("tn-a") == stock{10, 0});
  f.commit();
  const auto answers = taken(f.order.reserved);
  REQUIRE(answers.size() == 4);
  CHECK(f.state(*answers[0].reserved) == state::held);
  CHECK(why(answers[1]) == failure::out_of_stock);
  CHECK(why(answers[2]) == failure::unknown_sku);
  CHECK(f.state(*answers[3].reserved) == state::held);
  CHECK(f.stock("tn-a") == stock{10, 2});
  CHECK(f.stock("tn-a", "sku-2") == stock{1, 0});
  CHECK(f.stock("tn-b") == stock{10, 3});
}

TEST_CASE("a refusal that rests on staged stock waits for that stock's round") {
  lone_inventory f;
  f.stocked();
  f.reserve({f.ask("tn-a", "all", 10)});
  f.reserve({f.ask("tn-a", "one"), f.ask("tn-b", "one")});
  CHECK(f.order.reserved.empty());
  f.commit();
  f.commit_all();
  const auto answers = taken(f.order.reserved);
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].reserved.ok());
  CHECK(why(answers[1]) == failure::out_of_stock);
  CHECK(answers[2].reserved.ok());
  CHECK(answers[2].reserved->tenant_id == "tn-b");
}

TEST_CASE("the same request again adopts what is held, another one does not") {
  lone_inventory f;
  f.stocked();
  f.reserve({f.ask("tn-a"), f.ask("tn-a")}); // twice in one batch
  f.commit();
  const auto twice = taken(f.order.reserved);
  REQUIRE(twice.size() == 2);
  const auto first = *twice[0].reserved;
  CHECK(twice[1].reserved->reservation_id == first.reservation_id);
  CHECK(f.held_by("tn-a").reservation_id == first.reservation_id);
  CHECK(f.stock("tn-a") == stock{10, 1});
  CHECK(f.held_by("tn-a", "k", 2).reservation_id != first.reservation_id);
  CHECK(f.stock("tn-a") == stock{10, 3});
  f.held_by("tn-b"); // under the same key
  CHECK(f.stock("tn-b") == stock{10, 1});
}

TEST_CASE("a release gives back once, and voids after its round") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.release({"tn-b", a.reservation_id, {}}); // not its own
  f.release({"tn-a", "rsv-none", {}});
  CHECK(f.held.empty());
  f.release(a);
  f.release(a);
  CHECK(f.payment.voided.empty());
  f.commit_all();
  CHECK(taken(f.payment.voided).size() == 1);
  f.release(a);
  CHECK(f.held.empty());
  CHECK(f.state(a) == state::released);
  CHECK(f.stock("tn-a") == stock{10, 0});
  CHECK(f.state(b) == state::held);
  CHECK(f.stock("tn-b") == stock{10, 1});
}

TEST_CASE("past its deadline a reservation is asked about, and asked again") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.deliver({f.event(b, 1, domain::order_accepted)}); // its order is accepted
  f.commit_all();
  f.pass(f.limits.reservation_deadline_ms - 1);
  CHECK(f.order.resolve.empty());
  f.pass(1);
  auto asked = taken(f.order.resolve);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].tenant_id == "tn-a");
  CHECK(asked[0].reservation_id == a.reservation_id);
  CHECK(asked[0].idempotency_key == "k");
  f.pass(f.limits.resolve_retry_ms); // the order owner is silent
  CHECK(taken(f.order.resolve).size() == 1);
  f.commit_all();
  CHECK(f.state(a) == state::held); // and never released without its word
  f.resolved(a, false);
  f.resolved(a, false); // both questions are answered
  f.commit_all();
  CHECK(f.state(a) == state::released);
  CHECK(f.payment.voided.size() == 1);
  CHECK(f.stock("tn-a") == stock{10, 0});
  f.pass(60'000);
  CHECK(f.order.resolve.empty());
  CHECK(f.state(b) == state::confirmed);
  CHECK(f.stock("tn-b") == stock{10, 1});
}

TEST_CASE("a bound one is kept past its deadline until its event confirms it") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  const auto b = f.held_by("tn-b");
  f.pass(f.limits.reservation_deadline_ms);
  CHECK(taken(f.order.resolve).size() == 2);
  f.resolved(a, true);
  f.resolved(b, false);
  f.commit_all();
  CHECK(f.state(a) == state::held);
  CHECK(f.state(b) == state::released);
  f.deliver({f.event(a, 1, domain::order_accepted)});
  f.commit_all();
  CHECK(f.state(a) == state::confirmed);
  f.resolved(a, false); // an answer of long ago
  CHECK(f.held.empty());
  CHECK(f.state(a) == state::confirmed);
  f.order.resolve.clear();
  f.pass(60'000);
  CHECK(f.order.resolve.empty());
}

TEST_CASE("a retry of a key that is being resolved waits for the answer") {
  lone_inventory f;
  f.stocked();
  const auto a = f.held_by("tn-a");
  f.pass(f.limits.reservation_deadline_ms);
  REQUIRE(f.order.resolve.size() == 1);
  f.reserve({f.ask("tn-a"), f.ask("tn-b"), f.ask("tn-a", "other")});
  f.commit_all();
  auto answers = taken(f.order.reserved);
  REQUIRE(answers.size() == 2); // the others do not wait
  CHECK(answers[0].reserved->tenant_id == "tn-b");
  CHECK(answers[1].reserved->idempotency_key == "other");
  f.resolved(a, false);
  CHECK(f.order.reserved.empty());
  f.commit_all();
  answers = taken(f.order.reserved);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reserved->reservation_id != a.reservation_id);
  CHECK(f.state(a) == state::released);
  CHECK(f.state(*answers[0].reserved) == state::held);
  CHECK(f.stock("tn-a") == stock{10, 2}); // and `other`
}
