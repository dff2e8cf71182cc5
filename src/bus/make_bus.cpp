#include "bus/make_bus.hpp"

#include "bus/memory_bus.hpp"
#include "support/assert.hpp"

namespace parcelflow::bus {

using domain::failure;
using domain::outcome;

namespace {

domain::status allowed(const bus_options& options) {
  if (options.adapter != "log" && options.adapter != "memory")
    return {failure::config_invalid, "bus.adapter is \"" + options.adapter
                                       + "\"; it is one of log, memory"};
  if (!options.production)
    return domain::done();
  if (options.adapter == "memory")
    return {failure::config_invalid,
            "bus.adapter = memory loses events with the process: production "
            "takes bus.adapter = log"};
  if (options.faults.any())
    return {failure::config_invalid,
            "bus.fault_* are switched on: production takes 0 for each"};
  return domain::done();
}

domain::status durable_enough(const std::string& adapter, durability has,
                              durability minimum) {
  if (has >= minimum)
    return domain::done();
  const std::string level(to_string(has));
  return {
    failure::config_invalid,
    "bus.adapter = " + adapter + " acknowledges at " + level
      + ", below bus.minimum_durability = " + std::string(to_string(minimum))
      + ": take bus.adapter = log or set bus.minimum_durability = " + level};
}

made_bus make_adapter(bus_options& options, std::optional<host_side>& host) {
  if (options.adapter == "memory") {
    memory_bus_options memory;
    memory.payload_max = options.payload_max;
    return {std::make_unique<memory_bus>(memory), nullptr};
  }
  PF_ASSERT(host.has_value());
  options.log.payload_max = options.payload_max;
  auto log = std::make_unique<log_bus>(
    std::move(host->rows), std::move(options.log), std::move(host->wake));
  auto* const hosted_part = log.get();
  return {std::move(log), hosted_part};
}

} // namespace

domain::status check_bus(const bus_options& options) {
  if (auto checked = allowed(options); !checked)
    return checked;
  auto has = durability::memory;
  if (options.adapter == "log")
    has = options.log.synced ? durability::fsync : durability::page_cache;
  return durable_enough(options.adapter, has, options.minimum_durability);
}

outcome<made_bus> make_bus(bus_options options, std::optional<host_side> host) {
  if (auto checked = allowed(options); !checked)
    return checked.why();
  auto made = make_adapter(options, host);
  const auto traits = made.bus->traits();
  if (auto checked = durable_enough(traits.name, traits.durability,
                                    options.minimum_durability);
      !checked)
    return checked.why();
  if (options.faults.any())
    made.bus =
      std::make_unique<faulty_bus>(std::move(made.bus), options.faults);
  return made;
}

} // namespace parcelflow::bus
