// The relay's books (R7, R8, R9): what is refused holds its stream only, what
// cannot be reached holds nothing, a crash publishes twice, and every event's
// receipt is found.
#include "storage/outbox.hpp"
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"
#include "tests/support/scripted_bus.hpp"

using namespace parcelflow;
using domain::order_command;
using test::bus_script;
using test::crash;
using test::serves;
using test::unsettled;
using test::world;

namespace {

/// Who has a receipt of an outbox position: a single one is looked up first,
/// then the run that covers it.
std::optional<storage::receipt_run> receipt_of(world& w,
                                               std::uint64_t position) {
  const auto at = w.it->store().read();
  auto found =
    at.first(storage::owner::relay,
             storage::receipt_single_key(storage::the_lane, position, 0),
             storage::receipt_single_key(storage::the_lane, position + 1, 0));
  if (!found)
    found = at.first(storage::owner::relay,
                     storage::receipt_run_key(storage::the_lane, position),
                     storage::receipt_run_key(storage::the_lane + 1, 0));
  if (!found)
    return std::nullopt;
  auto run = storage::decode_receipt_run(found->second);
  REQUIRE(run.ok());
  if (run->first_position > position)
    return std::nullopt;
  return *run;
}

std::uint64_t last_position(world& w, const std::string& tenant,
                            const std::string& id) {
  return w.order(tenant, id)->steps.back().outbox_position;
}

void every_receipt_is_found(world& w, std::uint64_t last) {
  for (std::uint64_t position = 1; position <= last; ++position) {
    INFO("position ", position);
    const auto receipt = receipt_of(w, position);
    REQUIRE(receipt.has_value());
    CHECK(receipt->published_at > 0);
    CHECK(receipt->attempts >= 1);
    CHECK_FALSE(receipt->broker_ids.empty());
  }
}

domain::fault refused() {
  return {domain::failure::bus_refused, "not this one"};
}
domain::fault unreachable() {
  return {domain::failure::bus_unreachable, "nobody there"};
}

} // namespace

TEST_CASE("a refused event holds its own stream, which then goes on in order") {
  bus_script script;
  std::string victim;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (one.event->envelope.aggregate_id == victim)
      return refused();
    return std::nullopt;
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  victim = w.accepted("tn-a", "k1"); // accepted by the bus already
  const auto completed = w.command("tn-a", victim, order_command::complete);
  REQUIRE(completed.ok()); // its event is refused
  CHECK(w.fulfillment("tn-a", victim).position == 1);
  const auto other = w.accepted("tn-a", "k2"); // same tenant
  CHECK(w.sends("tn-a", other).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
  const auto id = victim;
  victim.clear(); // the bus takes it now
  w.pass(1000);
  CHECK(w.fulfillment("tn-a", id).position == 2);
  CHECK(w.job("tn-a", id)->state == domain::job_state::completed);
  CHECK(w.dead_letters().empty());
  every_receipt_is_found(w, 4);
  CHECK(unsettled(w) == 0);
  w.check_invariants();
}

TEST_CASE(
  "what the cursor passed while a stream was held follows in sequence") {
  bus_script script;
  bool refuse = true;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (refuse && one.event->envelope.tenant_id == "tn-a")
      return refused();
    return std::nullopt;
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.place(world::request("tn-a", "k1")).order_id;
  REQUIRE(w.command("tn-a", a, order_command::cancel).ok());
  serves(w, "tn-b", "1"); // the cursor passes both
  w.restart();            // and the books come back
  serves(w, "tn-b", "2");
  CHECK(w.fulfillment("tn-a", a).position == 0);
  for (const auto& [event, passed] : script.offers) // never the second first
    CHECK(event != domain::own_event_id(a, 2));
  refuse = false;
  w.pass(1000);
  const auto row = w.fulfillment("tn-a", a);
  CHECK(row.position == 2);
  CHECK(w.dead_letters().empty()); // so no gap was ever seen
  CHECK(w.sends("tn-a", a).size() == 2);
  every_receipt_is_found(w, 4);
  w.check_invariants();
  const auto next = w.accepted("tn-a", "k2"); // nothing is held any more
  CHECK(w.job("tn-a", next).has_value());
}

TEST_CASE("publishing that keeps being refused ends as a dead letter") {
  bus_script script;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (one.event->envelope.tenant_id == "tn-a")
      return refused();
    return std::nullopt;
  };
  world w([](app::config& with) { with.relay.publish_attempts_max = 3; },
          script.inject());
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.place(world::request("tn-a", "k1")).order_id;
  w.pass(60'000, 500);
  const auto letter = test::letter_of(w, domain::publish_consumer);
  CHECK(letter.cause == domain::dead_letter_cause::publish_refused);
  CHECK(letter.tenant_id == "tn-a");
  CHECK(letter.event_id == domain::own_event_id(a, 1));
  CHECK(letter.attempts.size() == 3);
  const auto offers = script.offers.size();
  w.restart();
  w.pass(600'000, 5000);
  CHECK(script.offers.size() == offers); // a responder's turn
  CHECK(w.dead_letters().size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("one refused event of a batch that is taken whole stops nobody") {
  bus_script script;
  script.whole = true;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (one.event->envelope.tenant_id == "tn-a")
      return refused();
    return std::nullopt;
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 100);
  w.stock("tn-b", "sku-1", 100);
  // All in one batch, the refused one neither first nor last.
  std::vector<world::answer_slot> slots;
  slots.reserve(9);
  for (int i = 0; i < 9; ++i)
    slots.push_back(w.send(
      world::request(i == 4 ? "tn-a" : "tn-b", "k" + std::to_string(i))));
  w.run();
  w.pass(2000);
  for (int i = 0; i < 9; ++i) {
    REQUIRE((*slots[i])->what == actors::place_answer::kind::accepted);
    const auto& id = (*slots[i])->order_id;
    if (i != 4)
      CHECK(w.sends("tn-b", id).size() == 1);
    else
      CHECK(w.sends("tn-a", id).empty());
  }
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("an earlier event of a refused one's stream is not left behind") {
  bus_script script;
  script.whole = true;
  std::string victim;
  bool down = false;
  script.judge = [&](const bus::offered& one) -> std::optional<domain::fault> {
    if (down)
      return unreachable();
    if (one.event->envelope.event_id == domain::own_event_id(victim, 2))
      return refused();
    return std::nullopt;
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 10);
  down = true; // so that both events of the stream come into one batch
  victim = w.place(world::request("tn-a", "k1")).order_id;
  REQUIRE(w.command("tn-a", victim, order_command::complete).ok());
  down = false;
  w.pass(2000);
  CHECK(w.fulfillment("tn-a", victim).position == 1);
  CHECK(w.fulfillment("tn-a", victim).waiting.has_value() == false);
  serves(w, "tn-b", "control");
  victim.clear();
  w.pass(60'000, 500);
  const auto all = w.dead_letters();
  CHECK(all.empty());
  w.check_invariants();
}

TEST_CASE("an unreachable bus holds nothing, and everything follows") {
  bus_script script;
  bool down = true;
  script.judge = [&](const bus::offered&) -> std::optional<domain::fault> {
    if (down)
      return unreachable();
    return std::nullopt;
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 100);
  w.stock("tn-b", "sku-1", 100);
  std::vector<std::pair<std::string, std::string>> placed;
  for (int i = 0; i < 20; ++i) { // intake goes on
    const std::string tenant = i % 2 == 0 ? "tn-a" : "tn-b";
    const auto answer = w.place(world::request(tenant, std::to_string(i)));
    REQUIRE(answer.what == actors::place_answer::kind::accepted);
    placed.emplace_back(tenant, answer.order_id);
  }
  w.pass(300'000, 1000);
  const auto from = storage::key_writer(storage::kind::held_stream).take();
  CHECK_FALSE(w.it->store()
                .read()
                .first(storage::owner::relay, from, storage::prefix_end(from))
                .has_value());
  const auto tries = script.offers.size();
  w.pass(60'000, 1000);
  // Five minutes in, it asks at most twice a minute or so, not in a storm.
  CHECK(script.offers.size() - tries <= 3 * 20);
  down = false;
  w.pass(40'000, 1000);
  for (const auto& [tenant, id] : placed)
    CHECK(w.sends(tenant, id).size() == 1);
  CHECK(w.dead_letters().empty());
  every_receipt_is_found(w, 20);
  CHECK(receipt_of(w, 1)->attempts > 1);
  w.check_invariants();
}

TEST_CASE(
  "a crash between publish and receipt publishes twice, for one effect") {
  for (const std::string point :
       {"relay.before_publish", "relay.after_publish", "relay.before_receipt",
        "relay.after_receipt", "order.after_commit"}) {
    INFO(point);
    bus_script script;
    world w({}, script.inject());
    w.stock("tn-a", "sku-1", 10);
    serves(w, "tn-b", "before");
    std::string id;
    {
      crash at(w, point);
      id = w.place(world::request("tn-a", "k1")).order_id;
      at.restart();
    }
    const auto again = w.place(world::request("tn-a", "k1"));
    CHECK(again.order_id == id);
    CHECK(again.repeated);
    CHECK(w.sends("tn-a", id).size() == 1);
    CHECK(w.fulfillment("tn-a", id).position == 1);
    CHECK(w.dead_letters().empty());
    every_receipt_is_found(w, last_position(w, "tn-a", id));
    serves(w, "tn-b", "control");
    CHECK(unsettled(w) == 0);
    w.check_invariants();
  }
}
