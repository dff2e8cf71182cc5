// The host of an embedded adapter alone: a tick is a step, what the step staged
// goes into a round, and a drain waits for the adapter and for that round.
#include "actors/bus_host.hpp"
#include "tests/actors/neighbours.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::actors;

namespace {

/// An adapter that stages one row a step, and closes when the test says so.
struct staging_adapter final : bus::event_bus, bus::hosted {
  explicit staging_adapter(storage::family of) : family(std::move(of)) {}

  bus::adapter_traits traits() const override { return {}; }
  void publish(std::string_view, std::vector<bus::offered>,
               bus::publish_done) override {}
  domain::status subscribe(bus::subscription, bus::delivery_sink) override {
    return std::monostate{};
  }
  void settle(std::string_view, std::string_view,
              std::vector<bus::settled>) override {}
  void close(std::function<void()> then) override { closed = std::move(then); }

  void step() override {
    ++steps;
    if (stages) {
      family.put("row-" + std::to_string(steps), "x");
      family.when_durable([this] { ++continued; });
    }
    if (finishes && closed)
      std::exchange(closed, {})();
  }
  storage::family& rows() override { return family; }
  bus::bus_counters counters() const override { return {}; }

  storage::family family;
  std::function<void()> closed;
  bool stages = true;
  bool finishes = false;
  int steps = 0;
  int continued = 0;
};

struct fixture {
  test::temp_directory place;
  std::unique_ptr<storage::store> store =
    test::open_or_throw(test::options_for(place.path()));
  staging_adapter adapter{store->take(storage::owner::bus)};
  test::stage on;
  test::held_rounds held;
  bus_actor subject;

  explicit fixture(bool shared) {
    commit_way way{store.get(), {}};
    if (shared)
      way.committer = on.spawn(test::holding_committer, &held);
    subject = on.spawn(bus_host, bus_dependencies{way, &adapter, &adapter});
  }
  void tick() {
    caf::anon_send(subject, tick_atom::value);
    on.run();
  }
  void commit() {
    test::commit_held(*store, held);
    on.run();
  }
  bool stored(const std::string& key) {
    return store->read().get(storage::owner::bus, key).has_value();
  }
};

} // namespace

TEST_CASE("a tick is a step, and its row is continued once it is durable") {
  fixture f(true);
  f.tick();
  CHECK(f.adapter.steps == 1);
  CHECK(f.adapter.continued == 0);
  CHECK_FALSE(f.stored("row-1"));
  f.commit();
  CHECK(f.stored("row-1"));
  CHECK(f.adapter.continued == 1);
}

TEST_CASE("without a committer the host writes for itself") {
  fixture f(false);
  f.tick();
  f.tick();
  CHECK(f.adapter.steps == 2);
  CHECK(f.stored("row-2"));
  CHECK(f.adapter.continued == 2);
}

TEST_CASE("a drain waits for the adapter to close, and for its last round") {
  fixture f(true);
  const auto drained = f.on.ask(f.subject, drain_atom::value);
  f.on.run();
  REQUIRE(f.adapter.closed);
  CHECK_FALSE(drained->has_value());
  f.adapter.finishes = true;
  f.tick(); // closes, and stages a last row
  CHECK_FALSE(drained->has_value());
  f.commit();
  CHECK(f.stored("row-1"));
  CHECK(*drained == true);
}

TEST_CASE("a drain is answered with both ways to commit") {
  for (const bool shared : {true, false}) {
    CAPTURE(shared);
    fixture f(shared);
    const auto drained = f.on.ask(f.subject, drain_atom::value);
    f.on.run();
    f.adapter.finishes = true;
    f.tick();
    f.commit(); // nothing to do where the host wrote for itself
    CHECK(*drained == true);
  }
}
