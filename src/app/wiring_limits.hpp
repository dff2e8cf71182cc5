// From the configuration to each actor's own limits; one function an actor.
// Thread rule: pure functions.
#pragma once

#include "actors/auditor.hpp"
#include "actors/committer.hpp"
#include "actors/consumer.hpp"
#include "actors/inventory.hpp"
#include "actors/order.hpp"
#include "actors/planner.hpp"
#include "actors/relay.hpp"
#include "actors/replay_book.hpp"
#include "app/config.hpp"
#include "bus/make_bus.hpp"
#include "storage/store.hpp"

namespace parcelflow::app {

[[nodiscard]] storage::store_options store_options_of(const config& of);
[[nodiscard]] bus::bus_options bus_options_of(const config& of);
[[nodiscard]] actors::committer_limits committer_limits_of(const config& of);
[[nodiscard]] actors::order_limits order_limits_of(const config& of);
[[nodiscard]] actors::inventory_limits inventory_limits_of(const config& of);
[[nodiscard]] actors::auditor_limits auditor_limits_of(const config& of);
[[nodiscard]] actors::relay_limits relay_limits_of(const config& of);
[[nodiscard]] actors::consumer_limits consumer_limits_of(const config& of);
[[nodiscard]] actors::replay_limits replay_limits_of(const config& of);
[[nodiscard]] actors::planner_limits planner_limits_of(const config& of);

} // namespace parcelflow::app
