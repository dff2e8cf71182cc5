// The dead-letter owner alone: one record however often it is told, and no
// answer before that record is durable.
#include "actors/dead_letter.hpp"
#include "storage/keys.hpp"
#include "tests/actors/neighbours.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::actors;

namespace {

told_listener::behavior_type hearing(told_listener::pointer,
                                     std::vector<dead_letter_ref>* told) {
  return {
    [told](told_atom, const dead_letter_ref& of) { told->push_back(of); }};
}

domain::dead_letter sample() {
  domain::dead_letter of;
  of.tenant_id = "tn-a";
  of.dead_letter_id = "dl-1";
  of.consumer = "fulfillment-v1";
  of.cause = domain::dead_letter_cause::sequence_gap;
  of.aggregate_id = "o-1";
  of.steps = {{domain::dead_letter_state::open, "system", "GAP", 10}};
  of.first_seen = 10;
  of.payload = "as received";
  return of;
}

struct fixture {
  test::temp_directory place;
  support::metrics metrics;
  support::manual_clock clock{1000};
  std::vector<dead_letter_ref> told;
  std::unique_ptr<storage::store> store =
    test::open_or_throw(test::options_for(place.path()));
  test::stage on;
  test::held_rounds held;
  told_listener consumer = on.spawn(hearing, &told);
  dead_letter_actor subject;

  explicit fixture(bool shared = true) {
    commit_way way{store.get(), {}};
    if (shared)
      way.committer = on.spawn(test::holding_committer, &held);
    subject = on.spawn(
      dead_letter,
      dead_letter_dependencies{
        store->take(storage::owner::dead_letter), way, {}, &clock, &metrics});
  }
  void tell(storage::tell_row row, std::uint64_t generation) {
    dead_letter_tell what{"tn-a", "dl-1", "fulfillment-v1", generation,
                          std::move(row)};
    caf::anon_send(subject, tell_atom::value,
                   std::make_shared<const dead_letter_tell>(std::move(what)),
                   consumer);
    on.run();
  }
  void commit() {
    test::commit_held(*store, held);
    on.run();
  }
  std::optional<domain::dead_letter> record() {
    const auto row = store->read().get(
      storage::owner::dead_letter, storage::dead_letter_key("tn-a", "dl-1"));
    if (!row)
      return std::nullopt;
    return *domain::decode_dead_letter("tn-a", "dl-1", *row);
  }
};

} // namespace

TEST_CASE("it answers with the generation it was told, once that is durable") {
  fixture f;
  f.tell({sample(), {}}, 7);
  CHECK(f.told.empty());
  CHECK_FALSE(f.record().has_value());
  REQUIRE(f.held.size() == 1);
  f.commit();
  REQUIRE(f.told.size() == 1);
  CHECK(f.told[0].dead_letter_id == "dl-1");
  CHECK(f.told[0].generation == 7);
  CHECK(f.record()->state() == domain::dead_letter_state::open);
  CHECK(
    f.store->read()
      .get(storage::owner::dead_letter, storage::payload_key("tn-a", "dl-1"))
      ->ends_with("as received"));
}

TEST_CASE("told twice, there is one record, and two answers") {
  fixture f;
  f.tell({sample(), {}}, 1);
  f.commit();
  const auto before = f.record();
  f.tell({sample(), {}}, 2); // as after a crash of the consumer
  f.commit();
  CHECK(f.record() == before);
  REQUIRE(f.told.size() == 2);
  CHECK(f.told[1].generation == 2);
}

TEST_CASE("told twice before anything is durable, both answers wait for it") {
  fixture f;
  f.tell({sample(), {}}, 1);
  f.tell({sample(), {}}, 2);
  CHECK(f.told.empty());
  f.commit();
  CHECK(f.told.size() == 2);
  CHECK(f.record()->steps.size() == 1);
}

TEST_CASE("a close is one step, however often it is told") {
  fixture f;
  f.tell({sample(), {}}, 1);
  f.commit();
  const domain::dead_letter_step close{domain::dead_letter_state::resolved,
                                       "system", "drained", 20};
  f.tell({{}, close}, 2);
  CHECK(f.told.size() == 1);
  f.commit();
  f.tell({{}, close}, 3);
  f.commit();
  CHECK(f.told.size() == 3);
  REQUIRE(f.record()->steps.size() == 2);
  CHECK(f.record()->steps[1] == close);
}

TEST_CASE("seen again counts on a record that exists, and on no other") {
  fixture f;
  caf::anon_send(f.subject, again_atom::value,
                 dead_letter_ref{"tn-a", "dl-1", "fulfillment-v1", 0});
  f.on.run();
  CHECK(f.held.empty());
  f.tell({sample(), {}}, 1);
  f.commit();
  f.clock.advance(500);
  caf::anon_send(f.subject, again_atom::value,
                 dead_letter_ref{"tn-a", "dl-1", "fulfillment-v1", 0});
  f.on.run();
  f.commit();
  CHECK(f.record()->seen == 2);
  CHECK(f.record()->first_seen == 10);
  CHECK(f.record()->last_seen == 1500);
}

TEST_CASE("a drain is answered when nothing of it is in a round") {
  fixture f;
  f.tell({sample(), {}}, 1);
  const auto drained = f.on.ask(f.subject, drain_atom::value);
  f.on.run();
  CHECK_FALSE(drained->has_value());
  f.commit();
  CHECK(*drained == true);
}

TEST_CASE("writing for itself, it answers the same, and its drain as well") {
  fixture f(false);
  const auto drained = f.on.ask(f.subject, drain_atom::value);
  f.tell({sample(), {}}, 1);
  CHECK(f.told.size() == 1);
  CHECK(f.record().has_value());
  CHECK(*drained == true);
}
