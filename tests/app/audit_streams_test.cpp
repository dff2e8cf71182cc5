// Damage to streams, inboxes, effects and waiting rooms, each named (I5, I6,
// I9).
#include "tests/app/audit_bench.hpp"

using namespace parcelflow;
using namespace parcelflow::test::damage;

TEST_CASE("one effect an order") {
  bench b;
  const auto job = [&](const auto& change) {
    b.edit_stream(owner::fulfillment, fulfillment, bench::a().plain,
                  [&](auto& row) {
                    auto of = domain::decode_job(row.effect);
                    REQUIRE(of.ok());
                    change(**of);
                    row.effect = domain::encode(**of);
                  });
    b.expect({{audit_rule::one_effect, owner::fulfillment,
               bench::stream(fulfillment, bench::a().plain)}});
  };
  const auto sends = [&](const std::string& order, const auto& change) {
    b.edit_stream(owner::notification, notification, order, [&](auto& row) {
      auto of = domain::decode_sends(row.effect);
      REQUIRE(of.ok());
      change(*of);
      row.effect = domain::encode(*of);
    });
  };
  const auto sent = bench::stream(notification, bench::a().cancelled);
  SUBCASE("a second job") {
    job([](auto& of) { of.fulfillment_id += "-2"; });
  }
  SUBCASE("a job that is further than its order") {
    job([](auto& of) {
      of.state = domain::job_state::completed;
      of.closed_at = 1;
    });
  }
  SUBCASE("a confirmation twice") {
    sends(bench::a().cancelled, [](auto& of) { of.back() = of.front(); });
    // The same twice, and so one too few of the other.
    b.expect({{audit_rule::one_effect, owner::notification, sent},
              {audit_rule::one_effect, owner::notification, sent}});
  }
  SUBCASE("a send of another order") {
    sends(bench::a().cancelled,
          [](auto& of) { of.back().notification_id = "ntf-x"; });
    b.expect({{audit_rule::one_effect, owner::notification, sent}});
  }
  SUBCASE("a send that no event made") {
    const auto at = bench::stream(notification, bench::a().refused);
    domain::stream_row row;
    row.effect = domain::encode(std::vector<domain::notification_send>{
      {"order_confirmation",
       "ntf-" + bench::a().refused + "-order_confirmation", 1}});
    b.put(owner::notification, at, encode(row));
    b.expect({{audit_rule::one_effect, owner::notification, at}});
  }
}

TEST_CASE("an effect is its own order's, and made by an event") {
  bench b;
  SUBCASE("a job lost") {
    b.edit_stream(owner::fulfillment, fulfillment, bench::a().plain,
                  [](auto& row) { row.effect.clear(); });
    b.expect({{audit_rule::one_effect, owner::fulfillment,
               bench::stream(fulfillment, bench::a().plain)}});
  }
  SUBCASE("a reservation of another order") {
    b.edit_stream(owner::inventory, inventory, bench::a().plain,
                  [](auto& row) { row.effect = "rsv-other"; });
    b.expect({{audit_rule::one_effect, owner::inventory,
               bench::stream(inventory, bench::a().plain)}});
  }
}

TEST_CASE("position and inbox belong together") {
  bench b;
  const auto long_row = bench::stream(fulfillment, "long");
  const auto entry = [](std::uint64_t sequence) {
    return storage::inbox_entry_key(t, fulfillment, "long", sequence);
  };
  SUBCASE("an older entry is gone") {
    b.erase(owner::fulfillment, entry(2));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, entry(2)},
              {audit_rule::consumer_atom, owner::fulfillment,
               storage::foreign_event_key(t, fulfillment, "e-long-2")}});
  }
  SUBCASE("an entry stands twice") {
    b.edit_stream(owner::fulfillment, fulfillment, "long", [](auto& row) {
      row.recent.insert(row.recent.begin(), row.recent.front());
    });
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, long_row}});
  }
  SUBCASE("an entry stands inside and outside") {
    const auto row =
      *domain::decode_stream(b.get(owner::fulfillment, long_row));
    b.put(owner::fulfillment, entry(5), encode(row.recent.back()));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, entry(5)}});
  }
  SUBCASE("the position ran ahead") {
    b.edit_stream(owner::fulfillment, fulfillment, "long",
                  [](auto& row) { row.position = 6; });
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, long_row}});
  }
  SUBCASE("a whole stream is gone") {
    b.erase(owner::fulfillment, long_row);
    std::vector<expected> all;
    for (std::uint64_t n = 1; n <= 3; ++n)
      all.push_back({audit_rule::consumer_atom, owner::fulfillment, entry(n)});
    for (std::uint64_t n = 1; n <= 5; ++n)
      all.push_back({audit_rule::consumer_atom, owner::fulfillment,
                     storage::foreign_event_key(
                       t, fulfillment, "e-long-" + std::to_string(n))});
    b.expect(all);
  }
}

TEST_CASE("a foreign id and a skip have their rows") {
  bench b;
  const auto long_row = bench::stream(fulfillment, "long");
  SUBCASE("a foreign id is not in its index") {
    const auto key = storage::foreign_event_key(t, fulfillment, "e-long-1");
    b.erase(owner::fulfillment, key);
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, key}});
  }
  SUBCASE("a foreign id is said to be elsewhere") {
    const auto key = storage::foreign_event_key(t, fulfillment, "e-long-1");
    b.put(owner::fulfillment, key,
          storage::encode(domain::event_place{"late", 1}));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, key},
              {audit_rule::consumer_atom, owner::fulfillment, key}});
  }
  SUBCASE("a skip names nobody") {
    b.edit_stream(owner::fulfillment, fulfillment, "long", [](auto& row) {
      row.recent.back().mark = domain::inbox_mark::skipped;
      row.recent.back().note.clear();
    });
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, long_row},
              {audit_rule::consumer_atom, owner::fulfillment,
               storage::skip_key(t, fulfillment, "long", 5)}});
  }
}

TEST_CASE("a waiting stream has its mark, its index and its room") {
  bench b;
  const auto gap = bench::stream(fulfillment, "gap");
  const auto room = [](std::uint64_t sequence) {
    return storage::waiting_room_key(t, fulfillment, "gap", sequence);
  };
  const auto index = storage::waiting_stream_key(t, fulfillment, "gap");
  SUBCASE("no mark") {
    b.edit_stream(owner::fulfillment, fulfillment, "gap",
                  [](auto& row) { row.waiting.reset(); });
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, room(2)},
              {audit_rule::consumer_atom, owner::fulfillment, room(3)},
              {audit_rule::consumer_atom, owner::fulfillment, index}});
  }
  SUBCASE("a mark that counts otherwise") {
    b.edit_stream(owner::fulfillment, fulfillment, "gap",
                  [](auto& row) { row.waiting->rows = 7; });
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, gap}});
  }
  SUBCASE("an event is gone from the room") {
    b.erase(owner::fulfillment, room(3));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, gap}});
  }
  SUBCASE("not in the index") {
    b.erase(owner::fulfillment, index);
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, index}});
  }
  SUBCASE("in the index without waiting") {
    const auto key = storage::waiting_stream_key(t, fulfillment, "long");
    b.put(owner::fulfillment, key, std::string("\x01\0", 2));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, key}});
  }
  SUBCASE("an event waits that is not the one of its row") {
    const auto other =
      codec::make_event(test::cancelled_event("e-gap-3", t, "gap", 4));
    b.edit(owner::fulfillment, room(3), storage::decode_room,
           [&](auto& row) { row.bytes = other->bytes; });
    b.expect({{audit_rule::quarantine_atom, owner::fulfillment, room(3)}});
  }
  SUBCASE("an event of another tenant waits") {
    const auto other =
      codec::make_event(test::cancelled_event("e-gap-3", "tn-c", "gap", 3));
    b.edit(owner::fulfillment, room(3), storage::decode_room, [&](auto& row) {
      row.bytes = other->bytes;
      row.digest = other->digest;
    });
    b.expect({{audit_rule::tenancy, owner::fulfillment, room(3)}});
  }
}
