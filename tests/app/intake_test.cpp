// Taking orders (R1 to R4): keys, deadlines, refusals that leave nothing, and
// reservations over crashes.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using kind = actors::place_answer::kind;
using domain::failure;
using test::crash;
using test::serves;
using test::world;

namespace {

std::size_t rows_of(world& w, storage::owner of, storage::kind what) {
  std::size_t count = 0;
  const auto from = storage::key_writer(what).take();
  w.it->store().read().scan(of, from, storage::prefix_end(from),
                            [&](auto, auto) {
                              ++count;
                              return true;
                            });
  return count;
}

std::size_t orders(world& w) {
  return rows_of(w, storage::owner::order, storage::kind::order);
}
std::size_t reservations(world& w) {
  return rows_of(w, storage::owner::inventory, storage::kind::reservation);
}
std::int64_t reserved(world& w, const std::string& tenant) {
  return w.stock_of(tenant, "sku-1")->reserved;
}

world::answer_slot send(world& w, const std::string& key,
                        const std::string& token, std::int64_t quantity = 1) {
  return w.send(world::request("tn-a", key, quantity, token));
}

} // namespace

TEST_CASE("the same key with the same order has the first answer") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  const auto first = w.place(world::request("tn-a", "k"));
  const auto again = w.place(world::request("tn-a", "k"));
  CHECK(again.what == kind::accepted);
  CHECK(again.order_id == first.order_id);
  CHECK(again.repeated);
  CHECK_FALSE(first.repeated);
  // The key of another tenant is another key.
  CHECK(w.accepted("tn-b", "k") != first.order_id);
  CHECK(reserved(w, "tn-a") == 1);
  CHECK(orders(w) == 2);
  w.check_invariants();
}

TEST_CASE("the same key with another order is refused, in flight and after") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto first = send(w, "k", "tok_ok");
  const auto other = send(w, "k", "tok_ok", 2);
  w.run();
  CHECK((*first)->what == kind::accepted);
  CHECK((*other)->why.code == failure::idempotency_key_reused);
  const auto later = w.place(world::request("tn-a", "k", 3));
  CHECK(later.why.code == failure::idempotency_key_reused);
  CHECK(orders(w) == 1);
  CHECK(reserved(w, "tn-a") == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a hundred at once under one key are one order with one answer") {
  world w;
  w.stock("tn-a", "sku-1", 200);
  std::vector<world::answer_slot> slots(100);
  for (auto& slot : slots)
    slot = send(w, "k", "tok_delay_300");
  w.pass(400);
  REQUIRE(slots[0]->has_value());
  for (const auto& slot : slots) {
    REQUIRE(slot->has_value());
    CHECK((*slot)->what == kind::accepted);
    CHECK((*slot)->order_id == (*slots[0])->order_id);
  }
  CHECK(orders(w) == 1);
  CHECK(reserved(w, "tn-a") == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("past the deadline an unstaged order is refused and gives back") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto silent = send(w, "k", "tok_silent");
  w.run();
  CHECK(reserved(w, "tn-a") == 1);
  serves(w, "tn-b", "meanwhile");
  w.pass(w.settings.order.accept_deadline_ms.count() + 100);
  REQUIRE(silent->has_value());
  CHECK((*silent)->what == kind::refused);
  CHECK((*silent)->why.code == failure::deadline_exceeded);
  CHECK(reserved(w, "tn-a") == 0);
  CHECK(orders(w) == 1); // the control's
  // The key is free: another order may use it.
  const auto other = w.place(world::request("tn-a", "k", 2));
  CHECK(other.what == kind::accepted);
  w.check_invariants();
}

TEST_CASE("an authorization that comes after the deadline makes no order") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto ms = w.settings.order.accept_deadline_ms.count();
  const auto late = send(w, "k", "tok_delay_" + std::to_string(ms + 500));
  w.pass(ms + 1000);
  CHECK((*late)->why.code == failure::deadline_exceeded);
  CHECK(orders(w) == 0);
  CHECK(reserved(w, "tn-a") == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a declined payment gives its stock back at once") {
  world w;
  w.stock("tn-a", "sku-1", 1);
  const auto declined = w.place(world::request("tn-a", "k", 1, "tok_decline"));
  CHECK(declined.why.code == failure::payment_declined);
  CHECK(reserved(w, "tn-a") == 0);
  CHECK(w.accepted("tn-a", "k2").size() > 4); // the one piece is free again
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a refusal for want of stock leaves nothing at all") {
  world w;
  w.stock("tn-a", "sku-1", 1);
  const auto before = w.written_bytes();
  const auto out = w.place(world::request("tn-a", "k", 2));
  CHECK(out.why.code == failure::out_of_stock);
  const auto unknown =
    w.place(world::request("tn-a", "k", 1, "tok_ok", "sku-none"));
  CHECK(unknown.why.code == failure::unknown_sku);
  // Another tenant's sku does not exist for this one.
  w.stock("tn-b", "sku-b", 5);
  const auto foreign =
    w.place(world::request("tn-a", "k", 1, "tok_ok", "sku-b"));
  CHECK(foreign.why.code == failure::unknown_sku);
  CHECK(foreign.why.detail.size() == unknown.why.detail.size() - 3);
  CHECK(orders(w) == 0);
  CHECK(reservations(w) == 0);
  CHECK(before > 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("beyond the limit of orders in flight the door says so") {
  world w([](app::config& with) { with.order.inflight_orders_max = 2; });
  w.stock("tn-a", "sku-1", 10);
  const auto one = send(w, "k1", "tok_delay_100");
  const auto two = send(w, "k2", "tok_delay_100");
  const auto three = send(w, "k3", "tok_delay_100");
  w.run();
  CHECK((*three)->why.code == failure::overloaded);
  w.pass(200);
  CHECK((*one)->what == kind::accepted);
  CHECK((*two)->what == kind::accepted);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a reservation of a process that ended is released at its deadline") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  {
    crash at(w, "order.after_reserve");
    w.place(world::request("tn-a", "k"));
    at.restart();
  }
  REQUIRE(orders(w) == 0);
  CHECK(reserved(w, "tn-a") == 1);
  w.check_invariants(); // held, and not overdue
  w.pass(w.settings.inventory.reservation_deadline_ms.count() - 1000, 500);
  CHECK(reserved(w, "tn-a") == 1);
  w.pass(2500);
  CHECK(reserved(w, "tn-a") == 0);
  CHECK(rows_of(w, storage::owner::inventory, storage::kind::held_chunk) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a retry within the deadline adopts the reservation that is held") {
  world w;
  w.stock("tn-a", "sku-1", 1); // there is no second one to reserve
  {
    crash at(w, "order.after_reserve");
    w.place(world::request("tn-a", "k"));
    at.restart();
  }
  w.pass(20'000, 1000);
  const auto id = w.accepted("tn-a", "k");
  CHECK(reservations(w) == 1);
  CHECK(reserved(w, "tn-a") == 1);
  w.pass(60'000, 1000);
  CHECK(reserved(w, "tn-a") == 1); // confirmed: no deadline any more
  CHECK(w.sends("tn-a", id).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("another order under the same key does not adopt, and both settle") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  {
    crash at(w, "order.after_reserve");
    w.place(world::request("tn-a", "k"));
    at.restart();
  }
  const auto other = w.place(world::request("tn-a", "k", 2));
  REQUIRE(other.what == kind::accepted);
  CHECK(reserved(w, "tn-a") == 3);
  w.pass(40'000, 1000);
  CHECK(reserved(w, "tn-a") == 2);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a crash around the commit leaves the whole order or nothing") {
  for (const std::string point : {"order.before_commit", "order.after_commit",
                                  "inventory.after_release"}) {
    INFO(point);
    world w;
    w.stock("tn-a", "sku-1", 10);
    const bool releases = std::string_view(point).starts_with("inventory");
    {
      crash at(w, point);
      w.place(
        world::request("tn-a", "k", 1, releases ? "tok_decline" : "tok_ok"));
      at.restart();
    }
    w.check_invariants();
    CHECK(orders(w) == (std::string_view(point) == "order.after_commit"));
    const auto id = w.accepted("tn-a", "k2");
    CHECK(w.sends("tn-a", id).size() == 1);
    w.pass(40'000, 1000);
    CHECK(reserved(w, "tn-a") == static_cast<std::int64_t>(orders(w)));
    serves(w, "tn-b", "control");
    w.check_invariants();
  }
}
