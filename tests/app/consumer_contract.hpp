// What every consumer must keep, whatever its effect is: the verdict table
// (R11) through the whole engine, as a foreign producer can provoke it. A new
// consumer is its traits and this:
//
//   TEST_CASE("fulfillment-v1 keeps the consumers' contract") {
//     test::consumer_contract({.name = …, .rows = …, .owner = …, …});
//   }
//
// Thread rule: one thread, virtual time. Errors: fail the test.
#pragma once

#include "tests/support/scenario.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace parcelflow::test {

struct consumer_traits {
  std::string_view name;
  storage::owner rows; ///< the family of its owner
  std::function<actors::consumer_actor(app::runtime&)> owner;
  /// The row in which its effect on an accepted order shows.
  std::function<std::string(world&, const std::string& tenant,
                            const std::string& order_id)>
    effect_key;
  /// Legal events of a stream: its first, and any later one.
  std::function<domain::envelope(const std::string& event_id,
                                 const std::string& tenant,
                                 const std::string& aggregate)>
    first =
      [](const auto& event_id, const auto& tenant, const auto& aggregate) {
        return accepted_event(event_id, tenant, aggregate);
      };
  std::function<domain::envelope(
    const std::string& event_id, const std::string& tenant,
    const std::string& aggregate, std::uint64_t sequence)>
    later = cancelled_event;
};

/// Declares subcases: call it as the whole of a TEST_CASE.
void consumer_contract(const consumer_traits& of);

} // namespace parcelflow::test
