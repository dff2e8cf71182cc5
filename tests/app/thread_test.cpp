// The way of one order, end to end, and over a restart.
#include "tests/support/world.hpp"

using namespace parcelflow;
using test::world;

TEST_CASE("an accepted order reaches fulfillment and one notification") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k1");
  const auto b = w.accepted("tn-b", "k1");
  REQUIRE(w.job("tn-a", a).has_value());
  CHECK(w.job("tn-a", a)->state == domain::job_state::started);
  REQUIRE(w.sends("tn-a", a).size() == 1);
  CHECK(w.sends("tn-a", a)[0].template_name == "order_confirmation");
  CHECK(w.sends("tn-b", b).size() == 1);
  CHECK(w.stock_of("tn-a", "sku-1")->reserved == 1);
  CHECK(w.dead_letters().empty());
}

TEST_CASE("everything is still there after a restart, and nothing twice") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto a = w.accepted("tn-a", "k1");
  const auto before = w.job("tn-a", a);
  w.restart();
  CHECK(w.job("tn-a", a) == before);
  CHECK(w.sends("tn-a", a).size() == 1);
  const auto again = w.place(world::request("tn-a", "k1"));
  CHECK(again.repeated);
  CHECK(again.order_id == a);
  const auto c = w.accepted("tn-a", "k2");
  CHECK(w.job("tn-a", c).has_value());
}
