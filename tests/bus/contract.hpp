// What every adapter of the port must keep, whatever it is made of. An
// adapter's test is a harness, a constructor and this:
//
//   TEST_CASE("the memory bus keeps the port's contract") {
//     test::bus_contract([] { return std::make_unique<memory_harness>(); });
//   }
//
// What an adapter does not promise in its traits is not asked of it.
#pragma once

#include "bus/event_bus.hpp"

#include <functional>
#include <memory>

namespace parcelflow::test {

/// One adapter at work, and what drives it.
class bus_harness {
public:
  virtual ~bus_harness() = default;
  [[nodiscard]] virtual bus::event_bus& bus() = 0;
  /// Does what the adapter's host does, until it has nothing to do.
  virtual void run() = 0;
  /// Stops without close() and starts again on the same data; asked only of
  /// adapters whose trait redelivers_unsettled holds.
  virtual void reopen() {}
};

using make_harness = std::function<std::unique_ptr<bus_harness>()>;

/// Declares subcases: call it as the whole of a TEST_CASE.
void bus_contract(const make_harness& make);

} // namespace parcelflow::test
