// Every consumer of the product is its traits and the one contract.
#include "tests/app/consumer_contract.hpp"

using namespace parcelflow;
using test::world;

TEST_CASE("fulfillment-v1 keeps the consumers' contract") {
  test::consumer_contract({
    .name = domain::fulfillment_consumer,
    .rows = storage::owner::fulfillment,
    .owner = [](app::runtime& it) { return it.fulfillment_owner(); },
    .effect_key =
      [](world&, const auto& tenant, const auto& order) {
        return storage::stream_key(tenant, domain::fulfillment_consumer, order);
      },
  });
}

TEST_CASE("notification-v1 keeps the consumers' contract") {
  test::consumer_contract({
    .name = domain::notification_consumer,
    .rows = storage::owner::notification,
    .owner = [](app::runtime& it) { return it.notification_owner(); },
    .effect_key =
      [](world&, const auto& tenant, const auto& order) {
        return storage::stream_key(tenant, domain::notification_consumer,
                                   order);
      },
  });
}

TEST_CASE("inventory-v1 keeps the consumers' contract") {
  test::consumer_contract({
    .name = domain::inventory_consumer,
    .rows = storage::owner::inventory,
    .owner =
      [](app::runtime& it) {
        return actors::consumer_actor(it.inventory_owner());
      },
    .effect_key =
      [](world& w, const auto& tenant, const auto& order) {
        return storage::reservation_key(tenant,
                                        w.order(tenant, order)->reservation_id);
      },
  });
}
