// Cancel and complete (R6): events like any other, legal from accepted only,
// with effects at all three consumers; racing, exactly one wins.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using domain::failure;
using domain::order_command;
using domain::order_state;
using test::crash;
using test::serves;
using test::world;

namespace {

domain::reservation_state reservation_of(world& w, const std::string& tenant,
                                         const std::string& id) {
  const auto row = w.it->store().read().get(
    storage::owner::inventory,
    storage::reservation_key(tenant, w.order(tenant, id)->reservation_id));
  REQUIRE(row.has_value());
  return domain::decode_reservation(*row)->state;
}

} // namespace

TEST_CASE("a cancel closes the job, frees the stock, voids and tells once") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k");
  const auto b = w.accepted("tn-b", "k");
  const auto cancelled = w.command("tn-a", a, order_command::cancel);
  REQUIRE(cancelled.ok());
  CHECK(w.order("tn-a", a)->state() == order_state::cancelled);
  CHECK(w.order("tn-a", a)->authorization.voided_at > 0);
  CHECK(w.job("tn-a", a)->state == domain::job_state::cancelled);
  CHECK(reservation_of(w, "tn-a", a) == domain::reservation_state::released);
  CHECK(w.stock_of("tn-a", "sku-1") == domain::stock{10, 0});
  REQUIRE(w.sends("tn-a", a).size() == 2);
  CHECK(w.sends("tn-a", a)[1].template_name == "order_cancelled");
  const auto before = w.written_bytes();
  const auto again = w.command("tn-a", a, order_command::cancel);
  REQUIRE(again.ok());
  CHECK(again->repeated);
  CHECK(w.written_bytes() == before);
  // Another tenant's order of the same key is untouched.
  CHECK(w.job("tn-b", b)->state == domain::job_state::started);
  CHECK(w.stock_of("tn-b", "sku-1") == domain::stock{10, 1});
  w.check_invariants();
}

TEST_CASE("a completion closes the job, takes the stock and tells nobody") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k");
  REQUIRE(w.command("tn-a", a, order_command::complete).ok());
  CHECK(w.job("tn-a", a)->state == domain::job_state::completed);
  CHECK(reservation_of(w, "tn-a", a) == domain::reservation_state::consumed);
  CHECK(w.stock_of("tn-a", "sku-1") == domain::stock{9, 0});
  CHECK(w.sends("tn-a", a).size() == 1);
  CHECK(w.notification("tn-a", a).position == 2);
  CHECK(w.order("tn-a", a)->authorization.voided_at == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("what is not legal names the state and writes nothing") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k");
  REQUIRE(w.command("tn-a", a, order_command::cancel).ok());
  const auto before = w.written_bytes();
  const auto refused = w.command("tn-a", a, order_command::complete);
  CHECK(refused.why().code == failure::illegal_transition);
  CHECK(refused.why().detail.find("cancelled") != std::string::npos);
  CHECK(w.written_bytes() == before);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("another tenant's order looks exactly like a missing one") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k");
  const auto foreign = w.command("tn-b", a, order_command::cancel);
  const auto missing =
    w.command("tn-b", "ord-01ARZ3NDEKTSV4RRFFQ69G5FAV", order_command::cancel);
  CHECK(foreign.why() == missing.why());
  CHECK(foreign.why().code == failure::not_found);
  CHECK(w.order("tn-a", a)->state() == order_state::accepted);
  CHECK(w.command("tn-a", a, order_command::cancel).ok());
  w.check_invariants();
}

TEST_CASE("cancel and complete race a thousand times, and one wins each") {
  world w;
  w.stock("tn-a", "sku-1", 5000);
  w.stock("tn-b", "sku-1", 10);
  constexpr int races = 1000;
  std::vector<world::answer_slot> placed;
  placed.reserve(races);
  for (int i = 0; i < races; ++i)
    placed.push_back(w.send(world::request("tn-a", std::to_string(i))));
  w.run();
  struct race {
    int won = 0;
    int lost = 0;
  };
  std::vector<race> results(races);
  for (int i = 0; i < races; ++i) {
    const auto& id = (*placed[i])->order_id;
    const auto count = [&results, i](auto answer) {
      if (answer)
        results[i].won += 1;
      else if (answer.why().code == failure::illegal_transition)
        results[i].lost += 1;
    };
    const auto first =
      i % 2 == 0 ? order_command::cancel : order_command::complete;
    const auto second =
      i % 2 == 0 ? order_command::complete : order_command::cancel;
    w.it->gateway().command({"tn-a", id, first, {}, {}}, count);
    w.it->gateway().command({"tn-a", id, second, {}, {}}, count);
    if (i % 3 == 0)
      w.run(); // in one round, and over several
  }
  w.run();
  std::int64_t completed = 0;
  for (int i = 0; i < races; ++i) {
    REQUIRE(results[i].won == 1);
    REQUIRE(results[i].lost == 1);
    const auto order = w.order("tn-a", (*placed[i])->order_id);
    REQUIRE(order->steps.size() == 2);
    completed += order->state() == order_state::completed ? 1 : 0;
  }
  CHECK(w.stock_of("tn-a", "sku-1") == domain::stock{5000 - completed, 0});
  CHECK(w.dead_letters().empty());
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a crash on the way of a cancel loses none of its effects") {
  for (const std::string point :
       {"order.after_commit", "relay.before_publish", "relay.before_receipt",
        "consumer.before_commit", "consumer.after_commit",
        "consumer.after_settle"})
    for (const std::uint64_t passage : {1, 2}) {
      INFO(point, " passage ", passage);
      world w;
      w.stock("tn-a", "sku-1", 10);
      const auto a = w.accepted("tn-a", "k");
      {
        crash at(w, point,
                 std::string_view(point).starts_with("consumer") ? passage : 1);
        REQUIRE(w.command("tn-a", a, order_command::cancel).ok());
        at.restart();
      }
      CHECK(w.order("tn-a", a)->state() == order_state::cancelled);
      CHECK(w.job("tn-a", a)->state == domain::job_state::cancelled);
      CHECK(w.sends("tn-a", a).size() == 2);
      CHECK(w.stock_of("tn-a", "sku-1") == domain::stock{10, 0});
      serves(w, "tn-b", "control");
      w.check_invariants();
    }
}
