#include "bus/make_bus.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;

namespace {

std::string refusal_of(bus::bus_options options) {
  const auto made = bus::make_bus(std::move(options), std::nullopt);
  if (made)
    return "made";
  CHECK(made.why().code == domain::failure::config_invalid);
  return made.why().detail;
}

bool says(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

} // namespace

TEST_CASE("an unknown adapter is refused with the names that exist") {
  bus::bus_options options;
  options.adapter = "kafka";
  CHECK(says(refusal_of(options), "one of log, memory"));
}

TEST_CASE("production takes neither memory nor faults") {
  bus::bus_options options;
  options.production = true;
  options.adapter = "memory";
  options.minimum_durability = bus::durability::memory;
  CHECK(says(refusal_of(options), "bus.adapter = log"));
  options.adapter = "log";
  options.faults.drop = 100;
  CHECK(says(refusal_of(options), "bus.fault_*"));
}

TEST_CASE("an adapter below the minimum durability is refused") {
  bus::bus_options options;
  options.adapter = "memory";
  for (const auto minimum :
       {bus::durability::page_cache, bus::durability::fsync}) {
    options.minimum_durability = minimum;
    CHECK(says(refusal_of(options), "bus.minimum_durability = memory"));
  }
  options.minimum_durability = bus::durability::memory;
  CHECK(refusal_of(options) == "made");
}

TEST_CASE("the log adapter is made hosted, whole, and within its limits") {
  test::temp_directory directory;
  const auto store = test::open_or_throw(test::options_for(directory.path()));
  bus::bus_options options;
  options.production = true;
  options.payload_max = 1000;
  auto made =
    bus::make_bus(std::move(options),
                  bus::host_side{store->take(storage::owner::bus), [] {}});
  REQUIRE(made.ok());
  CHECK(made->bus->traits().name == "log");
  CHECK(made->bus->traits().payload_max == 1000);
  CHECK(made->bus->traits().durability == bus::durability::fsync);
  REQUIRE(made->host != nullptr);
  CHECK(made->host->rows().who() == storage::owner::bus);
  made->bus.reset();
}

TEST_CASE("faults that are switched on wrap the adapter") {
  bus::bus_options options;
  options.adapter = "memory";
  options.minimum_durability = bus::durability::memory;
  options.faults.duplicate = 10;
  const auto made = bus::make_bus(std::move(options), std::nullopt);
  REQUIRE(made.ok());
  CHECK(made->bus->traits().name == "memory+faults");
  CHECK(made->host == nullptr);
}
