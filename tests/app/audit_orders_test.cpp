// Damage to orders, keys, events, stock and reservations, each named (I1, I4,
// I9, I13).
#include "tests/app/audit_bench.hpp"

using namespace parcelflow;
using namespace parcelflow::test::damage;

TEST_CASE("the copy is clean before anything is done to it") {
  bench b;
  b.expect({});
}

TEST_CASE("orders, keys and events: all or none") {
  bench b;
  const auto plain = b.order(bench::a().plain);
  const auto position = plain.steps.front().outbox_position;
  const auto key = storage::idempotency_key(t, plain.idempotency_key);
  SUBCASE("an event is gone") {
    b.erase(owner::order, bench::outbox(position));
    // The order misses it; the next row stands behind a hole.
    b.expect(
      {{audit_rule::intake_atom, owner::order, bench::outbox(position)},
       {audit_rule::intake_atom, owner::order, bench::outbox(position + 1)}});
  }
  SUBCASE("an event is another one") {
    const auto other =
      b.order(bench::a().cancelled).steps.front().outbox_position;
    b.put(owner::order, bench::outbox(position),
          b.get(owner::order, bench::outbox(other)));
    b.expect(
      {{audit_rule::intake_atom, owner::order, bench::outbox(position)},
       {audit_rule::intake_atom, owner::order, bench::outbox(position)}});
  }
  SUBCASE("an event of nobody") {
    const auto last =
      b.read().last(owner::order, bench::outbox(0), storage::outbox_key(1, 0));
    storage::key_reader in(last->first);
    in.byte();
    const auto next = bench::outbox(in.number() + 1);
    const auto event =
      codec::make_event(test::accepted_event("evt-none", t, "ord-none"));
    b.put(owner::order, next,
          encode(storage::outbox_row{t, event->digest, event->bytes}));
    b.expect({{audit_rule::intake_atom, owner::order, next}});
  }
  SUBCASE("a key names another order") {
    b.edit(owner::order, key, storage::decode_key,
           [&](auto& row) { row.order_id = bench::a().cancelled; });
    b.expect({{audit_rule::intake_atom, owner::order, key},
              {audit_rule::intake_atom, owner::order,
               bench::order_key(plain.order_id)},
              // and so nobody has its reservation
              {audit_rule::stock, owner::inventory,
               storage::reservation_key(t, plain.reservation_id)}});
  }
}

TEST_CASE("an event's own name finds that event and no other") {
  bench b;
  const auto plain = b.order(bench::a().plain);
  const auto position = plain.steps.front().outbox_position;
  const auto named = storage::named_event_key(t, "evt-x");
  SUBCASE("a name that no event has") {
    b.put(owner::order, named,
          storage::encode(domain::event_place{plain.order_id, 1}));
    b.expect({{audit_rule::intake_atom, owner::order, named}});
  }
  SUBCASE("a name of nobody's event") {
    b.put(owner::order, named,
          storage::encode(domain::event_place{"ord-none", 1}));
    b.expect({{audit_rule::intake_atom, owner::order, named}});
  }
  SUBCASE("an event is not found by its name") {
    auto other = plain;
    other.steps.front().event_id = "evt-x";
    b.put(owner::order, bench::order_key(plain.order_id),
          domain::encode(other));
    b.expect(
      {{audit_rule::intake_atom, owner::order,
        bench::order_key(plain.order_id)},
       {audit_rule::intake_atom, owner::order, bench::outbox(position)}});
  }
}

TEST_CASE("an order stands with its key or not at all") {
  bench b;
  const auto plain = b.order(bench::a().plain);
  const auto position = plain.steps.front().outbox_position;
  const auto key = storage::idempotency_key(t, plain.idempotency_key);
  SUBCASE("a key has another fingerprint") {
    b.edit(owner::order, key, storage::decode_key,
           [](auto& row) { row.fingerprint[0] ^= 1U; });
    b.expect({{audit_rule::intake_atom, owner::order, key}});
  }
  SUBCASE("an order without its key") {
    b.erase(owner::order, key);
    b.expect({{audit_rule::intake_atom, owner::order,
               bench::order_key(plain.order_id)},
              {audit_rule::stock, owner::inventory,
               storage::reservation_key(t, plain.reservation_id)}});
  }
  SUBCASE("an order is gone") {
    b.erase(owner::order, bench::order_key(plain.order_id));
    b.expect({{audit_rule::intake_atom, owner::order, key},
              {audit_rule::intake_atom, owner::order, bench::outbox(position)},
              {audit_rule::stock, owner::inventory,
               storage::reservation_key(t, plain.reservation_id)}});
  }
  SUBCASE("an order has a step too many") {
    b.edit_order(plain.order_id, [](auto& of) {
      of.steps.push_back({domain::order_state::completed, 2, 4711, 1});
    });
    b.expect({{audit_rule::intake_atom, owner::order, bench::outbox(4711)}});
  }
}

TEST_CASE("an event never changes, and is its tenant's") {
  bench b;
  const auto position = b.order(bench::a().plain).steps.front().outbox_position;
  const auto key = bench::outbox(position);
  SUBCASE("its digest") {
    b.edit(owner::order, key, storage::decode_outbox,
           [](auto& row) { row.digest[3] ^= 1U; });
    b.expect({{audit_rule::accounting, owner::order, key}});
  }
  SUBCASE("the tenant beside it") {
    b.edit(owner::order, key, storage::decode_outbox,
           [](auto& row) { row.tenant_id = "tn-c"; });
    b.expect({{audit_rule::tenancy, owner::order, key}});
  }
  SUBCASE("what a consumer took for it") {
    b.edit_stream(owner::notification, notification, bench::a().plain,
                  [](auto& row) { row.recent[0].digest[0] ^= 1U; });
    b.expect({{audit_rule::accounting, owner::notification,
               bench::stream(notification, bench::a().plain)}});
  }
  SUBCASE("which event a consumer took for it") {
    b.edit_stream(owner::notification, notification, bench::a().plain,
                  [](auto& row) { row.recent[0].event_id.back() = '7'; });
    b.expect({{audit_rule::accounting, owner::notification,
               bench::stream(notification, bench::a().plain)},
              {audit_rule::consumer_atom, owner::notification,
               bench::stream(notification, bench::a().plain)}});
  }
}

TEST_CASE("reserved is what live reservations hold") {
  bench b;
  const auto plain = b.order(bench::a().plain);
  const auto stock = storage::stock_key(t, "sku-1");
  const auto reservation = storage::reservation_key(t, plain.reservation_id);
  const auto edit_reservation = [&](const std::string& id, const auto& change) {
    b.edit(owner::inventory, storage::reservation_key(t, id),
           domain::decode_reservation, change);
  };
  SUBCASE("the sum is wrong") {
    b.edit(owner::inventory, stock, domain::decode_stock,
           [](auto& of) { of.reserved += 1; });
    b.expect({{audit_rule::stock, owner::inventory, stock}});
  }
  SUBCASE("more is reserved than there is") {
    b.edit(owner::inventory, stock, domain::decode_stock,
           [](auto& of) { of.on_hand = 0; });
    b.expect({{audit_rule::stock, owner::inventory, stock}});
  }
  SUBCASE("an open order without its reservation") {
    b.erase(owner::inventory, reservation);
    b.expect(
      {{audit_rule::stock, owner::inventory, stock},
       {audit_rule::stock, owner::order, bench::order_key(plain.order_id)}});
  }
  SUBCASE("a live reservation of nobody") {
    const auto key = storage::reservation_key(t, "rsv-none");
    domain::reservation none;
    none.state = domain::reservation_state::confirmed;
    none.idempotency_key = "nobody";
    b.put(owner::inventory, key, encode(none));
    b.expect({{audit_rule::stock, owner::inventory, key}});
  }
  SUBCASE("a closed order keeps its stock") {
    const auto cancelled = b.order(bench::a().cancelled);
    edit_reservation(cancelled.reservation_id, [](auto& of) {
      of.state = domain::reservation_state::confirmed;
    });
    b.expect({{audit_rule::stock, owner::inventory, stock},
              {audit_rule::stock, owner::inventory,
               storage::reservation_key(t, cancelled.reservation_id)}});
  }
}

TEST_CASE("a reservation is its order's, and ends with it") {
  bench b;
  const auto plain = b.order(bench::a().plain);
  const auto stock = storage::stock_key(t, "sku-1");
  const auto reservation = storage::reservation_key(t, plain.reservation_id);
  const auto edit_reservation = [&](const std::string& id, const auto& change) {
    b.edit(owner::inventory, storage::reservation_key(t, id),
           domain::decode_reservation, change);
  };
  SUBCASE("a reservation of other lines") {
    edit_reservation(plain.reservation_id,
                     [](auto& of) { of.lines.front().quantity += 1; });
    b.expect({{audit_rule::stock, owner::inventory, stock},
              {audit_rule::stock, owner::inventory, reservation}});
  }
  SUBCASE("a held one outlives its deadline") {
    const auto prefix = storage::key_writer(kind::reservation).text(t).take();
    std::string held;
    b.read().scan(owner::inventory, prefix, storage::prefix_end(prefix),
                  [&](auto key, auto value) {
                    const auto of = domain::decode_reservation(value);
                    if (of->idempotency_key == "silent")
                      held = key;
                    return held.empty();
                  });
    REQUIRE_FALSE(held.empty());
    b.edit(owner::inventory, held, domain::decode_reservation,
           [](auto& of) { of.deadline = 1; });
    b.expect({{audit_rule::stock, owner::inventory, held}});
    // Of a directory that is closed nobody could have released it.
    b.expect({}, audit_mode::stopped);
    SUBCASE("and is in no list") {
      b.edit(owner::inventory, held, domain::decode_reservation, [](auto& of) {
        of.deadline = lab().now;
        of.chunk = 4711;
      });
      b.expect({{audit_rule::stock, owner::inventory, held}});
    }
  }
}
