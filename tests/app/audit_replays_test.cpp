// Damage to replays and to what responders did, each named (I8). A replay and
// a log that fit everything else are put in first, and are clean.
#include "codec/log_chain.hpp"
#include "domain/replay.hpp"
#include "tests/app/audit_bench.hpp"

using namespace parcelflow;
using namespace parcelflow::test::damage;
using domain::item_state;

namespace {

const std::string replay_id = "rpl-1";

/// A finished replay of the record that was resolved before: its event had its
/// effect already.
class replay_bench : public bench {
public:
  replay_bench() : late(letter("late")) {
    edit_letter([](auto& of) { of.replay_ids.push_back(replay_id); });
    domain::replay of;
    of.tenant_id = t;
    of.replay_id = replay_id;
    of.state = domain::replay_state::finished;
    of.started_at = 1;
    of.ended_at = 2;
    of.total = 1;
    of.counts.add(item_state::existed_before);
    put(owner::dead_letter, replay, encode(of));
    domain::replay_item one;
    one.dead_letter_id = late.dead_letter_id;
    one.consumer = late.consumer;
    one.aggregate_id = late.aggregate_id;
    one.sequence = late.observed_sequence;
    one.event_id = late.event_id;
    one.digest = late.digest;
    one.state = item_state::existed_before;
    put(owner::dead_letter, item, encode(one));
    domain::sha256_digest previous{};
    for (std::uint64_t n = 1; n <= 3; ++n) {
      domain::log_entry entry;
      entry.position = n;
      entry.actor = "somebody";
      entry.verb = "execute";
      entry.previous = previous;
      entry.digest = codec::chain_digest(entry);
      previous = entry.digest;
      put(owner::dead_letter, storage::operator_log_key(n), encode(entry));
    }
    expect({});
  }

  void edit_letter(const auto& change) {
    edit(
      owner::dead_letter, letter_key(late),
      [&](auto bytes) {
        return domain::decode_dead_letter(t, late.dead_letter_id, bytes);
      },
      change);
  }
  void edit_replay(const auto& change) {
    edit(
      owner::dead_letter, replay,
      [](auto bytes) { return domain::decode_replay(t, replay_id, bytes); },
      change);
  }
  void edit_item(const auto& change) {
    edit(owner::dead_letter, item, domain::decode_replay_item, change);
  }

  domain::dead_letter late;
  const std::string replay = storage::replay_key(t, replay_id);
  const std::string item = storage::replay_item_key(t, replay_id, 1);
};

} // namespace

TEST_CASE("a replay keeps its events, and its records name it") {
  replay_bench b;
  const expected replay{audit_rule::replay_identity, owner::dead_letter,
                        b.replay};
  const expected item{audit_rule::replay_identity, owner::dead_letter, b.item};
  const expected record{audit_rule::replay_identity, owner::dead_letter,
                        letter_key(b.late)};
  SUBCASE("the replay is gone") {
    b.erase(owner::dead_letter, b.replay);
    b.expect({item, record});
  }
  SUBCASE("an item is gone") {
    b.erase(owner::dead_letter, b.item);
    b.expect({replay, replay});
  }
  SUBCASE("it counts otherwise") {
    b.edit_replay([](auto& of) {
      of.counts = {};
      of.counts.add(item_state::refused);
    });
    b.expect({replay});
  }
  SUBCASE("it is over without an outcome") {
    b.edit_item([](auto& one) { one.state = item_state::sent; });
    b.edit_replay([](auto& of) { of.counts = {}; });
    b.expect({replay});
  }
  SUBCASE("an item is of another event") {
    b.edit_item([](auto& one) { one.digest[0] ^= 1U; });
    b.expect({item});
  }
  SUBCASE("an item is of no record") {
    b.edit_item([](auto& one) { one.dead_letter_id = "dl-none"; });
    b.expect({item});
  }
}

TEST_CASE("an item of a replay is true of record and inbox") {
  replay_bench b;
  const expected replay{audit_rule::replay_identity, owner::dead_letter,
                        b.replay};
  const expected item{audit_rule::replay_identity, owner::dead_letter, b.item};
  const expected record{audit_rule::replay_identity, owner::dead_letter,
                        letter_key(b.late)};
  SUBCASE("the record does not know of it") {
    b.edit_letter([](auto& of) { of.replay_ids.clear(); });
    b.edit_stream(owner::fulfillment, fulfillment, "late",
                  [](auto& row) { row.recent.back().replay_id = replay_id; });
    b.edit_item([](auto& one) { one.state = item_state::created_now; });
    b.edit_replay([](auto& of) {
      of.counts = {};
      of.counts.add(item_state::created_now);
    });
    b.expect({record});
  }
  SUBCASE("it says that it applied what another door applied") {
    b.edit_item([](auto& one) { one.state = item_state::created_now; });
    b.edit_replay([](auto& of) {
      of.counts = {};
      of.counts.add(item_state::created_now);
    });
    b.expect({item});
  }
  SUBCASE("an inbox entry names a replay that does not exist") {
    b.edit_stream(owner::fulfillment, fulfillment, "late", [](auto& row) {
      row.recent.back().door = domain::via::replay;
      row.recent.back().replay_id = "rpl-none";
    });
    b.expect({{audit_rule::replay_identity, owner::fulfillment,
               bench::stream(fulfillment, "late")}});
  }
  SUBCASE("a record is held by a replay that is over") {
    const auto key = storage::open_replay_key(t, b.late.dead_letter_id);
    b.put(owner::dead_letter, key, std::string("\x01\0", 2) + replay_id);
    b.expect({{audit_rule::replay_identity, owner::dead_letter, key}});
  }
}

TEST_CASE("the operator log is one chain") {
  replay_bench b;
  const auto entry = [](std::uint64_t n) {
    return expected{audit_rule::books, owner::dead_letter,
                    storage::operator_log_key(n)};
  };
  const auto edit = [&](std::uint64_t n, const auto& change) {
    b.edit(
      owner::dead_letter, storage::operator_log_key(n),
      [n](auto bytes) { return domain::decode_log_entry(n, bytes); }, change);
  };
  SUBCASE("an entry was changed") {
    edit(2, [](auto& of) { of.actor = "nobody"; });
    b.expect({entry(2)});
  }
  SUBCASE("an entry was changed, and its digest with it") {
    edit(2, [](auto& of) {
      of.actor = "nobody";
      of.digest = codec::chain_digest(of);
    });
    b.expect({entry(3)});
  }
  SUBCASE("an entry was removed") {
    b.erase(owner::dead_letter, storage::operator_log_key(2));
    b.expect({entry(3)});
  }
}

TEST_CASE("a stream that was handed over goes on where it ended") {
  bench b;
  const auto from = bench::stream(fulfillment, "long");
  const auto to = bench::stream("fulfillment-v2", "long");
  domain::stream_row taken;
  b.edit_stream(owner::fulfillment, fulfillment, "long", [&](auto& row) {
    row.forward_to = "fulfillment-v2";
    taken.effect = std::exchange(row.effect, {});
  });
  taken.position = 5;
  taken.start_mark = 5;
  taken.came_from = fulfillment;
  SUBCASE("whole") {
    b.put(owner::fulfillment, to, encode(taken));
    b.expect({});
  }
  SUBCASE("and its effect stayed behind") {
    b.put(owner::fulfillment, to, encode(taken));
    b.edit_stream(owner::fulfillment, fulfillment, "long",
                  [&](auto& row) { row.effect = taken.effect; });
    b.expect({{audit_rule::one_effect, owner::fulfillment, from}});
  }
  SUBCASE("to nobody") {
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, from}});
  }
  SUBCASE("at another position") {
    taken.start_mark = 4;
    b.put(owner::fulfillment, to, encode(taken));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, from},
              {audit_rule::consumer_atom, owner::fulfillment, to},
              {audit_rule::consumer_atom, owner::fulfillment,
               storage::inbox_entry_key(t, "fulfillment-v2", "long", 5)}});
  }
  SUBCASE("from somebody else") {
    taken.came_from = "fulfillment-v0";
    b.put(owner::fulfillment, to, encode(taken));
    b.expect({{audit_rule::consumer_atom, owner::fulfillment, from},
              {audit_rule::consumer_atom, owner::fulfillment, to}});
  }
}
