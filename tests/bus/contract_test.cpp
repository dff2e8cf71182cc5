#include "bus/faulty_bus.hpp"
#include "bus/memory_bus.hpp"
#include "tests/bus/contract.hpp"
#include "tests/bus/log_host.hpp"

#include <doctest/doctest.h>

namespace {

using namespace parcelflow;

struct memory_harness final : test::bus_harness {
  bus::memory_bus adapter;
  bus::event_bus& bus() override { return adapter; }
  void run() override {}
};

struct log_harness final : test::bus_harness {
  test::log_host host;
  explicit log_harness(bus::log_bus_options options = {})
    : host(std::move(options)) {}
  bus::event_bus& bus() override { return host.bus(); }
  void run() override { host.run(); }
  void reopen() override { host.reopen(); }
};

/// The decorator with every fault off must be invisible.
struct faultless_harness final : test::bus_harness {
  test::log_host host;
  std::unique_ptr<bus::faulty_bus> adapter;
  faultless_harness() { wrap(); }
  ~faultless_harness() override { adapter.reset(); }
  void wrap() {
    adapter =
      std::make_unique<bus::faulty_bus>(host.give_away(), bus::bus_faults{});
  }
  bus::event_bus& bus() override { return *adapter; }
  void run() override { host.run(); }
  void reopen() override {
    adapter.reset();
    host.reopen();
    wrap();
  }
};

} // namespace

TEST_CASE("the memory bus keeps the port's contract") {
  test::bus_contract([] { return std::make_unique<memory_harness>(); });
}

TEST_CASE("the log bus keeps the port's contract") {
  test::bus_contract([] { return std::make_unique<log_harness>(); });
}

TEST_CASE("the log bus keeps the port's contract without any cache") {
  test::bus_contract([] {
    bus::log_bus_options options;
    options.cache_bytes_max = 0;
    options.delivery_events_max = 3;
    options.read_bytes_max = 1;
    return std::make_unique<log_harness>(options);
  });
}

TEST_CASE("a faulty bus without faults keeps the port's contract") {
  test::bus_contract([] { return std::make_unique<faultless_harness>(); });
}
