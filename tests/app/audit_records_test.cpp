// Damage to dead letters and books, and rows that do not parse, each named (I7,
// I11).
#include "storage/letter_counts.hpp"
#include "support/record.hpp"
#include "tests/app/audit_bench.hpp"

using namespace parcelflow;
using namespace parcelflow::test::damage;

namespace {

/// Records that were taken out or closed by hand are counted otherwise.
const expected counts{audit_rule::books, owner::dead_letter,
                      storage::letter_counts_key(t)};

std::string time_key(const domain::dead_letter& of) {
  return storage::letter_time_key(t, of.first_seen, of.dead_letter_id);
}

} // namespace

TEST_CASE("what is quarantined has its evidence, and the reverse") {
  bench b;
  const auto gap = b.letter("gap");
  const auto fork = b.letter("forked");
  const auto room = storage::waiting_room_key(t, fulfillment, "gap", 2);
  const auto payload = storage::payload_key(t, gap.dead_letter_id);
  SUBCASE("no record of what waits") {
    b.erase(owner::dead_letter, letter_key(gap));
    b.expect({{audit_rule::quarantine_atom, owner::fulfillment, room},
              {audit_rule::quarantine_atom, owner::dead_letter, payload},
              {audit_rule::quarantine_atom, owner::dead_letter,
               storage::dead_letter_order_key(t, "gap", gap.dead_letter_id)},
              {audit_rule::quarantine_atom, owner::dead_letter, time_key(gap)},
              counts});
  }
  SUBCASE("no record of what lies aside") {
    b.erase(owner::dead_letter, letter_key(fork));
    b.expect(
      {{audit_rule::quarantine_atom, owner::fulfillment,
        storage::aside_key(t, fork.dead_letter_id)},
       {audit_rule::quarantine_atom, owner::dead_letter,
        storage::payload_key(t, fork.dead_letter_id)},
       {audit_rule::quarantine_atom, owner::dead_letter,
        storage::dead_letter_order_key(t, "forked", fork.dead_letter_id)},
       {audit_rule::quarantine_atom, owner::dead_letter, time_key(fork)},
       counts});
  }
  SUBCASE("a payload is gone") {
    b.erase(owner::dead_letter, payload);
    b.expect({{audit_rule::quarantine_atom, owner::dead_letter, payload}});
  }
  SUBCASE("a payload was altered") {
    auto bytes = b.get(owner::dead_letter, payload);
    bytes.back() ^= 1;
    b.put(owner::dead_letter, payload, bytes);
    b.expect({{audit_rule::quarantine_atom, owner::dead_letter, payload}});
  }
  SUBCASE("a payload of nobody") {
    const auto key = storage::payload_key(t, "dl-none");
    b.put(owner::dead_letter, key, std::string("\x01\0x", 3));
    b.expect({{audit_rule::quarantine_atom, owner::dead_letter, key}});
  }
  SUBCASE("not in the index by order") {
    const auto key =
      storage::dead_letter_order_key(t, "gap", gap.dead_letter_id);
    b.erase(owner::dead_letter, key);
    b.expect({{audit_rule::quarantine_atom, owner::dead_letter, key}});
  }
  SUBCASE("not in the index by time") {
    b.erase(owner::dead_letter, time_key(gap));
    b.expect({{audit_rule::books, owner::dead_letter, time_key(gap)}});
  }
  SUBCASE("in the index at another time") {
    auto moved = gap;
    moved.first_seen += 1;
    b.put(owner::dead_letter, time_key(moved), std::string("\x01\0", 2));
    b.expect({{audit_rule::books, owner::dead_letter, time_key(moved)}});
  }
}

TEST_CASE("a record says what became of its event") {
  bench b;
  const auto gap = b.letter("gap");
  const auto fork = b.letter("forked");
  const auto edit_letter = [&](const domain::dead_letter& of,
                               const auto& change) {
    b.edit(
      owner::dead_letter, letter_key(of),
      [&](auto bytes) {
        return domain::decode_dead_letter(t, of.dead_letter_id, bytes);
      },
      change);
  };
  SUBCASE("an index entry of nobody") {
    const auto key = storage::dead_letter_order_key(t, "gap", "dl-none");
    b.put(owner::dead_letter, key, std::string("\x01\0", 2));
    b.expect({{audit_rule::quarantine_atom, owner::dead_letter, key}});
  }
  SUBCASE("an open record whose event is nowhere") {
    b.erase(owner::fulfillment, storage::aside_key(t, fork.dead_letter_id));
    b.expect(
      {{audit_rule::quarantine_atom, owner::dead_letter, letter_key(fork)}});
  }
  SUBCASE("a resolved record whose event still waits") {
    edit_letter(gap, [](auto& of) {
      of.steps.push_back({domain::dead_letter_state::resolved, "x", "y", 1});
    });
    b.expect(
      {{audit_rule::quarantine_atom, owner::dead_letter, letter_key(gap)},
       {audit_rule::quarantine_atom, owner::dead_letter, letter_key(gap)},
       counts});
  }
  SUBCASE("a resolved record whose event was never applied") {
    const auto late = b.letter("late");
    REQUIRE(late.state() == domain::dead_letter_state::resolved);
    edit_letter(late, [](auto& of) { of.observed_sequence = 9; });
    b.expect(
      {{audit_rule::quarantine_atom, owner::dead_letter, letter_key(late)}});
  }
  SUBCASE("a record of another event") {
    edit_letter(gap, [](auto& of) { of.event_id = "e-other"; });
    b.expect(
      {{audit_rule::quarantine_atom, owner::dead_letter, letter_key(gap)},
       {audit_rule::quarantine_atom, owner::dead_letter, letter_key(gap)}});
  }
}

TEST_CASE("the relay's books fit the outbox") {
  bench b;
  const auto last_run =
    b.read().last(owner::relay, storage::receipt_run_key(storage::the_lane, 0),
                  storage::receipt_run_key(storage::the_lane + 1, 0));
  REQUIRE(last_run.has_value());
  const auto held = storage::held_stream_key(t, bench::a().refused);
  SUBCASE("a receipt overlaps") {
    b.edit(owner::relay, last_run->first, storage::decode_receipt_run,
           [](auto& run) {
             run.first_position -= 1;
             run.broker_ids.emplace_back("again");
           });
    b.expect({{audit_rule::books, owner::relay, last_run->first}});
  }
  SUBCASE("a receipt has fewer ids than positions") {
    b.edit(owner::relay, last_run->first, storage::decode_receipt_run,
           [](auto& run) { run.broker_ids.clear(); });
    b.expect({{audit_rule::books, owner::relay, last_run->first}});
  }
  SUBCASE("the cursor stands beyond the outbox") {
    const auto cursor = storage::relay_cursor_key(storage::the_lane);
    b.put(owner::relay, cursor, std::string("\x01\0", 2) + bench::outbox(4711));
    b.expect({{audit_rule::books, owner::relay, cursor}});
  }
  SUBCASE("the cursor passed an event that has no receipt") {
    const auto position =
      b.order(bench::a().plain).steps.front().outbox_position;
    const auto run = b.read().first(
      owner::relay, storage::receipt_run_key(storage::the_lane, position),
      storage::receipt_run_key(storage::the_lane + 1, 0));
    REQUIRE(run.has_value());
    const auto decoded = *storage::decode_receipt_run(run->second);
    REQUIRE(decoded.broker_ids.size() == 1);
    b.erase(owner::relay, run->first);
    b.expect({{audit_rule::books, owner::order, bench::outbox(position)}});
  }
  SUBCASE("a held stream is let go") {
    const auto position =
      b.order(bench::a().refused).steps.front().outbox_position;
    const auto of = *storage::decode_held_stream(b.get(owner::relay, held));
    b.erase(owner::relay, held);
    b.expect({{audit_rule::books, owner::order, bench::outbox(position)},
              {audit_rule::quarantine_atom, owner::dead_letter,
               storage::dead_letter_key(t, of.dead_letter_id)}});
  }
}

TEST_CASE("held streams and the topic log fit the outbox") {
  bench b;
  const auto held = storage::held_stream_key(t, bench::a().refused);
  SUBCASE("a held stream names another position") {
    b.edit(owner::relay, held, storage::decode_held_stream,
           [](auto& of) { of.first_position = 1; });
    b.expect({{audit_rule::books, owner::relay, held}});
  }
  SUBCASE("a topic cursor stands beyond the log") {
    const auto key =
      storage::topic_cursor_key(domain::order_topic, fulfillment);
    b.put(owner::bus, key, support::record_writer(1).u64(4711).take());
    b.expect({{audit_rule::books, owner::bus, key}});
  }
  SUBCASE("the topic log has a hole") {
    const auto prefix =
      storage::key_writer(kind::topic_log).text(domain::order_topic).take();
    std::vector<std::string> keys;
    b.read().scan(owner::bus, prefix, storage::prefix_end(prefix),
                  [&](auto key, auto) {
                    keys.emplace_back(key);
                    return keys.size() < 3;
                  });
    REQUIRE(keys.size() == 3);
    b.erase(owner::bus, keys[1]);
    b.expect({{audit_rule::books, owner::bus, keys[2]}});
  }
}

TEST_CASE("every row has a known kind and parses") {
  bench b;
  SUBCASE("a value of another version") {
    const auto key = bench::stream(fulfillment, "long");
    auto bytes = b.get(owner::fulfillment, key);
    bytes[0] = '\x7F';
    b.put(owner::fulfillment, key, bytes);
    const auto report = b.audit(lab().now, audit_mode::running);
    REQUIRE_FALSE(report.findings.empty());
    CHECK(std::ranges::any_of(report.findings, [&](const auto& one) {
      return one.rule == audit_rule::whole_rows
             && one.row == storage::name_of(owner::fulfillment, key);
    }));
  }
  SUBCASE("a value that is cut short, of every kind") {
    for (const auto of :
         {owner::order, owner::inventory, owner::relay, owner::fulfillment,
          owner::notification, owner::dead_letter, owner::bus})
      for (const auto what : storage::kinds_of(of)) {
        const auto prefix = storage::key_writer(what).take();
        auto row = b.read().first(of, prefix, storage::prefix_end(prefix));
        if (!row || what == kind::waiting_stream
            || what == kind::dead_letter_order || what == kind::letter_time)
          continue; // indexes hold nothing
        CAPTURE(storage::to_string(what));
        b.put(of, row->first, row->second.substr(0, 1));
        const auto report = b.audit(lab().now, audit_mode::running);
        CHECK(std::ranges::any_of(report.findings, [&](const auto& one) {
          auto name = one.row;
          auto due = storage::name_of(of, row->first);
          return one.rule == audit_rule::whole_rows && name == due;
        }));
        b.put(of, row->first, row->second);
      }
    b.expect({});
  }
  SUBCASE("an unknown kind") {
    const std::string key("\x7Fwho", 4);
    b.put(owner::order, key, "x");
    b.expect({{audit_rule::whole_rows, owner::order, key}});
  }
  SUBCASE("a kind in a family that has none of it") {
    const auto key = storage::stock_key(t, "sku-1");
    b.put(owner::relay, key, "x");
    b.expect({{audit_rule::whole_rows, owner::relay, key}});
  }
  SUBCASE("a key that does not parse") {
    const std::string key("\x10\x01no end", 8);
    b.put(owner::order, key, "x");
    b.expect({{audit_rule::whole_rows, owner::order, key}});
  }
}

TEST_CASE("records are counted as they are") {
  bench b;
  SUBCASE("the counts are gone") {
    b.erase(owner::dead_letter, counts.key);
    b.expect({counts});
  }
  SUBCASE("they say otherwise") {
    b.put(owner::dead_letter, counts.key, encode(storage::letter_counts{}));
    b.expect({counts});
  }
}
