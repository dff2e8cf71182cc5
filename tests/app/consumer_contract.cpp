#include "tests/app/consumer_contract.hpp"

namespace parcelflow::test {
namespace {

using domain::dead_letter_cause;
using domain::dead_letter_state;
using domain::via;
using domain::wait_cause;

/// A world with what the claims below need to say it shortly.
struct bench {
  const consumer_traits& of;
  std::vector<std::string> rounds; ///< each as it was written
  world w{{}, [this](app::seams& with) {
            with.on_round = [this](std::string_view bytes) {
              rounds.emplace_back(bytes);
            };
          }};

  explicit bench(const consumer_traits& traits) : of(traits) {}

  domain::stream_row stream(const std::string& tenant = "tn-a",
                            const std::string& aggregate = "o-1") {
    return w.stream(of.rows, of.name, tenant, aggregate);
  }
  domain::envelope first(const std::string& event_id) {
    return of.first(event_id, "tn-a", "o-1");
  }
  domain::envelope later(const std::string& event_id, std::uint64_t sequence) {
    return of.later(event_id, "tn-a", "o-1", sequence);
  }
  domain::dead_letter letter() { return letter_of(w, of.name); }
  std::uint64_t verdicts(const std::string& verdict) {
    return w.verdicts(std::string(of.name), verdict);
  }
  void deliver(domain::envelope event) {
    bus::delivery one;
    one.event = codec::make_event(std::move(event));
    w.deliver(of.owner(*w.it), of.name, std::move(one));
  }
  /// The positive control: an order of another tenant goes its whole way, and
  /// this consumer has its part of it, without a moment passing.
  std::string serves_an_order() {
    w.stock("tn-b", "sku-1", 1000);
    auto order = w.accepted("tn-b", "control");
    CHECK(stream("tn-b", order).position == 1);
    CHECK(w.it->store()
            .read()
            .get(of.rows, of.effect_key(w, "tn-b", order))
            .has_value());
    return order;
  }
  /// Another stream of the same tenant, and the same name of another tenant.
  void only_this_stream_waits() {
    w.publish({of.first("e-other-1", "tn-a", "o-other"),
               of.first("e-other-2", "tn-c", "o-1")});
    CHECK(stream("tn-a", "o-other").position == 1);
    CHECK(stream("tn-c", "o-1").position == 1);
    serves_an_order();
    CHECK(unsettled(w) == 0);
  }
};

void duplicates_write_nothing(bench b) {
  b.w.publish({b.first("e-1")});
  REQUIRE(b.stream().position == 1);
  const auto before = b.w.written_bytes();
  for (int i = 0; i < 1000; ++i)
    b.deliver(b.first("e-1"));
  CHECK(b.w.written_bytes() == before);
  CHECK(b.verdicts("duplicate") == 1000);
  b.serves_an_order();
  CHECK(b.w.written_bytes() > before); // the measure does measure
  b.w.check_invariants();
}

void a_gap_is_quarantined(bench b) {
  b.w.publish({b.later("e-3", 3)});
  const auto letter = b.letter();
  CHECK(letter.cause == dead_letter_cause::sequence_gap);
  CHECK(letter.expected_sequence == 1);
  CHECK(letter.observed_sequence == 3);
  CHECK(letter.state() == dead_letter_state::open);
  CHECK(letter.tenant_id == "tn-a");
  CHECK(b.stream().position == 0);
  CHECK(b.stream().waiting->cause == wait_cause::gap);
  CHECK(room_of(b.w, b.of.rows, b.of.name, "tn-a", "o-1", 3)->mode
        == storage::room_mode::quarantined);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void behind_a_gap_has_no_record(bench b) {
  for (const std::uint64_t sequence : {3, 2, 4})
    b.w.publish({b.later("e-" + std::to_string(sequence), sequence)});
  CHECK(b.letter().observed_sequence == 3); // the only one
  CHECK(b.verdicts("waiting") == 2);
  CHECK(b.stream().waiting->rows == 3);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void a_late_fill_drains(bench b) {
  b.w.publish({b.later("e-3", 3)});
  b.w.publish({b.later("e-2", 2)});
  b.w.publish({b.first("e-1")});
  const auto row = b.stream();
  CHECK(row.position == 3);
  CHECK_FALSE(row.waiting.has_value());
  REQUIRE(row.recent.size() == 3);
  CHECK(row.recent[0].door == via::delivery);
  CHECK(row.recent[1].door == via::drain);
  CHECK(row.recent[2].door == via::drain);
  CHECK(b.letter().state() == dead_letter_state::resolved);
  CHECK_FALSE(room_of(b.w, b.of.rows, b.of.name, "tn-a", "o-1", 3));
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void the_wrong_order_drains_by_itself(bench b) {
  b.w.publish({b.later("e-2", 2), b.first("e-1")});
  CHECK(b.stream().position == 2);
  CHECK_FALSE(b.stream().waiting.has_value());
  CHECK(b.letter().state() == dead_letter_state::resolved);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void a_fork_by_id_is_set_aside(bench b) {
  b.w.publish({b.first("e-1")});
  b.w.publish({b.first("e-other")});
  const auto letter = b.letter();
  CHECK(letter.cause == dead_letter_cause::sequence_fork);
  CHECK(letter.event_id == "e-other");
  CHECK(letter.known_event_id == "e-1");
  CHECK(letter.digest != letter.known_digest);
  CHECK(letter.known_digest == b.stream().recent[0].digest);
  CHECK_FALSE(b.stream().waiting.has_value());
  b.w.publish({b.later("e-2", 2)});
  CHECK(b.stream().position == 2);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void a_fork_by_bytes_is_set_aside(bench b) {
  b.w.publish({b.first("e-1")});
  const auto before = b.stream();
  auto changed = b.first("e-1");
  changed.occurred_at = "2026-11-30T00:00:01.000Z";
  b.w.publish({changed});
  const auto letter = b.letter();
  CHECK(letter.cause == dead_letter_cause::sequence_fork);
  CHECK(letter.known_event_id == "e-1");
  CHECK(letter.digest != letter.known_digest);
  CHECK(b.stream() == before);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void a_rival_of_one_that_waits_is_a_fork(bench b) {
  b.w.publish({b.later("e-2", 2)});
  b.w.publish({b.later("e-2b", 2)});
  CHECK(letters_of(b.w, b.of.name).size() == 2);
  CHECK(b.stream().waiting->rows == 1);
  b.w.publish({b.first("e-1")});
  REQUIRE(b.stream().recent.size() == 2);
  CHECK(b.stream().recent[1].event_id == "e-2");
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void what_is_unsupported_waits(bench b) {
  auto newer = b.first("e-1");
  newer.event_version = 99;
  b.w.publish({newer});
  b.w.publish({b.later("e-2", 2)});
  const auto letter = b.letter();
  CHECK(letter.cause == dead_letter_cause::unsupported_version);
  CHECK(letter.event_version == 99);
  CHECK(b.stream().waiting->cause == wait_cause::unsupported);
  CHECK(b.stream().waiting->rows == 2);
  b.w.pass(600'000, 10'000);
  CHECK(b.stream().position == 0); // no time heals it
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void what_is_invalid_is_set_aside(bench b) {
  b.w.deliver_text(b.of.owner(*b.w.it), b.of.name, "{\"not\": \"an event\"}");
  const auto letter = b.letter();
  CHECK(letter.cause == dead_letter_cause::invalid_envelope);
  CHECK(b.verdicts("invalid") == 1);
  const auto kept = b.w.it->store().read().get(
    b.of.rows, storage::aside_key(letter.tenant_id, letter.dead_letter_id));
  REQUIRE(kept.has_value());
  CHECK(storage::decode_room(*kept)->bytes == "{\"not\": \"an event\"}");
  b.w.publish({b.first("e-1")}); // no stream of anybody stands still
  CHECK(b.stream().position == 1);
  b.only_this_stream_waits();
  b.w.check_invariants();
}

void one_batch_holds_it_all(bench b) {
  const auto order = b.serves_an_order();
  const auto key = storage::stream_key("tn-b", b.of.name, order);
  const auto effect = b.of.effect_key(b.w, "tn-b", order);
  const auto row = b.stream("tn-b", order);
  REQUIRE(row.recent.size() == 1); // the inbox entry stands in the row
  CHECK(row.recent[0].mark == domain::inbox_mark::applied);
  const auto stored = [&](const std::string& of) {
    return b.w.it->store().read().get(b.of.rows, of);
  };
  const auto effect_row = stored(effect);
  std::size_t found = 0;
  for (const auto& round : b.rounds)
    if (round.find(key) != std::string::npos) {
      ++found;
      // Not only the key: the very bytes that are stored now.
      CHECK(round.find(*stored(key)) != std::string::npos);
      CHECK(round.find(*effect_row) != std::string::npos);
    }
  CHECK(found == 1);
  b.w.restart();
  CHECK(b.stream("tn-b", order) == row);
  CHECK(stored(effect) == effect_row);
  b.w.check_invariants();
}

} // namespace

void consumer_contract(const consumer_traits& of) {
  SUBCASE("a duplicate writes nothing, a thousand times") {
    duplicates_write_nothing(bench(of));
  }
  SUBCASE("a gap is recorded with both sequences, and its stream waits") {
    a_gap_is_quarantined(bench(of));
  }
  SUBCASE("what waits behind a gap has no record of its own") {
    behind_a_gap_has_no_record(bench(of));
  }
  SUBCASE("a late fill drains in sequence and closes the record") {
    a_late_fill_drains(bench(of));
  }
  SUBCASE("the next two in the wrong order in one batch drain by themselves") {
    the_wrong_order_drains_by_itself(bench(of));
  }
  SUBCASE("a fork by id is set aside with both ids, and the stream goes on") {
    a_fork_by_id_is_set_aside(bench(of));
  }
  SUBCASE("a fork by bytes under one id is set aside too") {
    a_fork_by_bytes_is_set_aside(bench(of));
  }
  SUBCASE("a rival of one that waits is a fork, not a second to wait") {
    a_rival_of_one_that_waits_is_a_fork(bench(of));
  }
  SUBCASE("an unsupported version waits for a responder") {
    what_is_unsupported_waits(bench(of));
  }
  SUBCASE("what does not parse is set aside, and no stream waits") {
    what_is_invalid_is_set_aside(bench(of));
  }
  SUBCASE("position, inbox and effect are one batch, and survive a restart") {
    one_batch_holds_it_all(bench(of));
  }
}

} // namespace parcelflow::test
