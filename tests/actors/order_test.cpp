// The order owner alone, taking orders: inventory, payment, relay and committer
// say what the test says, when it says so. Two tenants use the same key
// throughout.
#include "storage/outbox.hpp"
#include "tests/actors/lone_order.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::failure;
using test::accepted;
using test::lone_order;
using test::taken;
using test::why;
using kind = place_answer::kind;

TEST_CASE("an order is reserved, paid and durable before anyone hears of it") {
  lone_order f;
  const auto a = f.place("tn-a");
  const auto b = f.place("tn-b");
  auto asked = taken(f.inventory.reserve);
  REQUIRE(asked.size() == 2);
  CHECK(f.payment.authorize.empty());
  f.reserved(asked[1]); // answers come in another order
  f.reserved(asked[0]);
  auto payments = taken(f.payment.authorize);
  REQUIRE(payments.size() == 2);
  CHECK(payments[0].payment.reservation_id == "rsv-tn-b");
  CHECK(payments[1].payment.reservation_id == "rsv-tn-a");
  CHECK(f.held.empty());
  f.granted(payments[1]);
  f.granted(payments[0]);
  CHECK_FALSE(a->has_value());
  CHECK_FALSE(b->has_value());
  CHECK(f.relay.fresh.empty());
  CHECK_FALSE(f.has_key("tn-a"));
  f.commit_all();
  REQUIRE(accepted(a));
  REQUIRE(accepted(b));
  CHECK((*a)->order_id != (*b)->order_id);
  CHECK((*a)->order->authorization.id == "aut-rsv-tn-a");
  REQUIRE(f.relay.fresh.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& fresh = f.relay.fresh[i];
    CHECK(fresh.position == i + 1); // in the order of their grants
    CHECK(fresh.event->envelope.tenant_id == (i == 0 ? "tn-a" : "tn-b"));
    const auto row =
      f.stored(storage::owner::order, storage::outbox_key(0, i + 1));
    REQUIRE(row.has_value());
    CHECK(storage::decode_outbox(*row)->bytes == fresh.event->bytes);
  }
}

TEST_CASE("the same key again joins what is under way, and meets its answer") {
  lone_order f;
  const auto first = f.place("tn-a");
  const auto joined = f.place("tn-a");
  const auto other = f.place("tn-a", "k", 2); // another order, same key
  CHECK(why(other) == failure::idempotency_key_reused);
  REQUIRE(f.inventory.reserve.size() == 1);
  f.reserved(taken(f.inventory.reserve)[0]);
  f.granted(taken(f.payment.authorize)[0]);
  const auto late = f.place("tn-a"); // staged, not durable
  CHECK_FALSE(late->has_value());
  f.commit();
  for (const auto& one : {first, joined, late}) {
    REQUIRE(accepted(one));
    CHECK((*one)->order_id == (*first)->order_id);
  }
  const auto again = f.place("tn-a");
  REQUIRE(accepted(again, true));
  CHECK((*again)->order_id == (*first)->order_id);
  CHECK(why(f.place("tn-a", "k", 2)) == failure::idempotency_key_reused);
  CHECK(f.inventory.reserve.empty());
  CHECK(f.relay.fresh.size() == 1);
  const auto b = f.stage("tn-b"); // the key is tn-a's alone
  f.commit();
  CHECK(accepted(b));
  CHECK((*b)->order_id != (*first)->order_id);
}

TEST_CASE("an answer that wrote nothing waits for what its owner had staged") {
  lone_order f;
  const auto first = f.serves("k");
  const auto staged = f.stage("tn-a");
  const auto again = f.place("tn-b");
  const auto refused = f.place("tn-b", "k", 2);
  const auto unknown =
    f.command("tn-b", "ord-none", domain::order_command::cancel);
  CHECK_FALSE(staged->has_value());
  CHECK_FALSE(again->has_value());
  CHECK_FALSE(refused->has_value());
  CHECK_FALSE(unknown->has_value());
  f.commit();
  CHECK(accepted(staged));
  REQUIRE(accepted(again, true));
  CHECK((*again)->order_id == first);
  CHECK(why(refused) == failure::idempotency_key_reused);
  REQUIRE(unknown->has_value());
  CHECK((*unknown)->why().code == failure::not_found);
}

TEST_CASE("a refusal before anything is asked for has no side effect") {
  order_limits limits;
  limits.inflight_orders_max = 1;
  lone_order f(limits);
  *f.disk_ok = false;
  CHECK(why(f.place("tn-a")) == failure::disk_full);
  *f.disk_ok = true;
  const auto b = f.place("tn-b"); // the one that fits
  CHECK(why(f.place("tn-a")) == failure::overloaded);
  const auto drained = f.on->ask(f.subject, drain_atom::value);
  f.run();
  CHECK(why(f.place("tn-a", "other")) == failure::draining);
  REQUIRE(f.inventory.reserve.size() == 1); // tn-b's
  CHECK(f.inventory.reserve[0].tenant_id == "tn-b");
  f.reserved(taken(f.inventory.reserve)[0]);
  f.granted(taken(f.payment.authorize)[0]);
  CHECK_FALSE(drained->has_value()); // it finishes what it began
  f.commit();
  CHECK(accepted(b));
  CHECK(*drained == true);
  CHECK_FALSE(f.has_key("tn-a"));
  CHECK(f.inventory.release.empty());
}

TEST_CASE("what inventory or payment refuses leaves the key free") {
  lone_order f;
  const auto sold_out = f.place("tn-a");
  f.reserved({taken(f.inventory.reserve)[0].attempt,
              domain::fault{failure::out_of_stock, "none left"}});
  CHECK(why(sold_out) == failure::out_of_stock);
  CHECK(f.inventory.release.empty()); // there is nothing to give back
  CHECK(f.payment.authorize.empty());

  const auto declined = f.place("tn-a");
  f.reserved(taken(f.inventory.reserve)[0]);
  f.granted({taken(f.payment.authorize)[0].attempt,
             domain::fault{failure::payment_declined, "no"}});
  CHECK(why(declined) == failure::payment_declined);
  auto released = taken(f.inventory.release);
  REQUIRE(released.size() == 1);
  CHECK(released[0].tenant_id == "tn-a");
  CHECK(released[0].reservation_id == "rsv-tn-a");
  CHECK(f.held.empty()); // no row was staged by either
  f.serves("k");
  const auto at_last = f.stage("tn-a");
  f.commit();
  CHECK(accepted(at_last));
}

TEST_CASE("an event that no bus takes is refused and its stock given back") {
  order_limits limits;
  limits.payload_bytes_max = 2000;
  lone_order f(limits);
  auto big = std::make_shared<place_order>();
  big->request.tenant_id = "tn-a";
  big->request.idempotency_key = "k";
  big->request.lines = {{"sku-1", 1, 1250}};
  big->request.currency = "EUR";
  big->request.customer_reference = std::string(2000, 'x');
  std::optional<place_answer> heard;
  big->answer = [&](place_answer answer) { heard = std::move(answer); };
  caf::anon_send(f.subject, place_atom::value, place_ptr(std::move(big)));
  f.run();
  f.reserved(taken(f.inventory.reserve)[0]);
  f.granted(taken(f.payment.authorize)[0]);
  REQUIRE(heard.has_value());
  CHECK(heard->why.code == failure::payload_too_large);
  CHECK(f.inventory.release.size() == 1);
  f.serves();
  CHECK_FALSE(f.has_key("tn-a"));
}

TEST_CASE(
  "inventory is silent: the deadline refuses, a late answer goes back") {
  lone_order f;
  const auto a = f.place("tn-a");
  const auto asked = taken(f.inventory.reserve)[0];
  f.pass(f.limits.accept_deadline_ms);
  CHECK_FALSE(a->has_value());
  f.pass(50);
  CHECK(why(a) == failure::deadline_exceeded);
  CHECK(f.inventory.release.empty()); // it knows of none
  f.reserved(asked);
  auto released = taken(f.inventory.release);
  REQUIRE(released.size() == 1);
  CHECK(released[0].reservation_id == "rsv-tn-a");
  CHECK(f.payment.authorize.empty());
  f.serves();
  // A retry of the key is under way and adopts what came late for the first.
  const auto retry = f.place("tn-a");
  f.reserved({asked.attempt, lone_order::reservation_of(asked)});
  CHECK(f.inventory.release.empty());
  f.reserved(taken(f.inventory.reserve)[0]);
  f.granted(taken(f.payment.authorize)[0]);
  f.commit();
  CHECK(accepted(retry));
}

TEST_CASE("payment is silent: its own deadline refuses, a late grant is none") {
  lone_order f;
  const auto a = f.place("tn-a");
  f.reserved(taken(f.inventory.reserve)[0]);
  const auto asked = taken(f.payment.authorize)[0];
  f.pass(f.limits.payment_deadline_ms);
  CHECK_FALSE(a->has_value());
  f.pass(50);
  CHECK(why(a) == failure::deadline_exceeded);
  CHECK(taken(f.inventory.release).size() == 1);
  f.granted(asked);
  CHECK(f.held.empty());
  CHECK_FALSE(f.has_key("tn-a"));
  f.serves();
}

TEST_CASE("an answer that comes twice makes no second order") {
  lone_order f;
  const auto a = f.place("tn-a");
  const auto reserved = taken(f.inventory.reserve)[0];
  f.reserved(reserved);
  f.reserved(reserved);
  REQUIRE(f.payment.authorize.size() == 1);
  const auto payment = taken(f.payment.authorize)[0];
  f.granted(payment);
  f.granted(payment);
  f.reserved(reserved); // also when it is staged already
  f.granted(payment);
  CHECK(f.payment.authorize.empty());
  f.commit_all();
  CHECK(accepted(a));
  f.reserved(reserved); // and when it is durable: inventory says it again
  f.granted(payment);
  f.commit_all();
  CHECK(f.inventory.release.empty()); // the order keeps what it holds
  CHECK(taken(f.relay.fresh).size() == 1);
  f.serves();
  CHECK_FALSE(f.stored(storage::owner::order, storage::outbox_key(0, 3)));
}

TEST_CASE(
  "the committer is late: pending, in progress, then the first answer") {
  lone_order f;
  const auto a = f.stage("tn-a");
  f.pass(f.limits.accept_deadline_ms + 50);
  REQUIRE(a->has_value());
  CHECK((*a)->what == kind::pending); // there is no refusal after staging
  const auto id = (*a)->order_id;
  CHECK(why(f.place("tn-a")) == failure::request_in_progress);
  CHECK(f.relay.fresh.empty());
  CHECK(f.inventory.release.empty());
  f.commit();
  REQUIRE(f.relay.fresh.size() == 1);
  CHECK(taken(f.relay.fresh)[0].event->envelope.aggregate_id == id);
  const auto again = f.place("tn-a");
  REQUIRE(accepted(again, true));
  CHECK((*again)->order_id == id);
  f.serves();
}

TEST_CASE("what inventory resolves is bound, or is never staged any more") {
  lone_order f;
  f.serves("k");
  const reservation_ref a{"tn-a", "rsv-tn-a", "k"};
  CHECK_FALSE(f.resolve(a).at(0).bound); // nobody knows of it
  const auto refused = f.place("tn-a");
  f.reserved(taken(f.inventory.reserve)[0]);
  CHECK_FALSE(f.resolve(a).at(0).bound); // from here on it is given up
  f.granted(taken(f.payment.authorize)[0]);
  CHECK(why(refused) == failure::deadline_exceeded);
  CHECK(taken(f.inventory.release).size() == 1);

  const auto staged = f.stage("tn-a");
  CHECK(f.resolve(a).empty()); // said after the round of what is staged
  f.commit();
  auto answers = taken(f.inventory.resolved);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].bound);
  CHECK(accepted(staged));
  CHECK(f.resolve(a).at(0).bound);
  CHECK_FALSE(f.resolve({"tn-a", "rsv-older", "k"}).at(0).bound);
  CHECK_FALSE(f.resolve({"tn-b", "rsv-tn-a", "k"}).at(0).bound);
  CHECK(f.resolve({"tn-b", "rsv-tn-b", "k"}).at(0).bound);
}
