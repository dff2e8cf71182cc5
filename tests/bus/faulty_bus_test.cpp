#include "bus/faulty_bus.hpp"
#include "bus/memory_bus.hpp"
#include "codec/event_json.hpp"
#include "tests/bus/samples.hpp"

#include <doctest/doctest.h>

namespace bus = parcelflow::bus;
namespace test = parcelflow::test;
using parcelflow::domain::failure;

namespace {

constexpr const char* topic = "order.events";
using names = std::vector<std::string>;

/// A faulty memory bus with one consumer that settles nothing.
struct bench {
  bus::faulty_bus on;
  test::recording_sink to;

  explicit bench(bus::bus_faults every)
    : on(std::make_unique<bus::memory_bus>(), every) {
    REQUIRE(on.subscribe({topic, "c", 1000, false}, to.sink()));
  }
  test::recording_done publish(std::uint64_t first, std::uint64_t last) {
    test::recording_done answer;
    on.publish(topic, test::sample_batch("s", first, last), answer.done());
    REQUIRE(answer.calls() == 1);
    REQUIRE(answer.results().size() == last - first + 1);
    return answer;
  }
};

bus::bus_faults only(std::uint64_t bus::bus_faults::*which, std::uint64_t n) {
  bus::bus_faults every;
  every.*which = n;
  return every;
}

} // namespace

TEST_CASE("every n-th event is published twice, with one answer") {
  bench b(only(&bus::bus_faults::duplicate, 3));
  CHECK(b.publish(1, 4).accepted() == 4);
  CHECK(b.publish(5, 6).accepted() == 2);
  CHECK(b.to.names()
        == names{"s/1", "s/2", "s/3", "s/3", "s/4", "s/5", "s/6", "s/6"});
  CHECK(b.on.happened().duplicate == 2);
}

TEST_CASE("answers keep their events when one is published twice") {
  bench b(only(&bus::bus_faults::duplicate, 2));
  const auto results = b.publish(1, 3).results();
  CHECK(*results[0] == "p1");
  CHECK(*results[1] == "p2");
  CHECK(*results[2] == "p4");
}

TEST_CASE("every n-th event is reported accepted and forgotten") {
  bench b(only(&bus::bus_faults::drop, 2));
  CHECK(b.publish(1, 5).accepted() == 5);
  CHECK(b.to.names() == names{"s/1", "s/3", "s/5"});
  CHECK(b.on.happened().drop == 2);
  CHECK(b.publish(6, 6).accepted() == 1);
  CHECK(b.to.count() == 3);
}

TEST_CASE("every n-th event changes places with its neighbour") {
  bench b(only(&bus::bus_faults::reorder, 3));
  const auto results = b.publish(1, 5).results();
  CHECK(b.to.names() == names{"s/1", "s/2", "s/4", "s/3", "s/5"});
  CHECK(*results[2] == "p4");
  CHECK(*results[3] == "p3");
  b.publish(6, 6);
  CHECK(b.on.happened().reorder == 1);
  b.publish(7, 9);
  CHECK(b.to.names().back() == "s/8");
  CHECK(b.to.names()[7] == "s/9");
  CHECK(b.on.happened().reorder == 2);
}

TEST_CASE("every n-th event is late by one batch") {
  bench b(only(&bus::bus_faults::delay, 3));
  CHECK(b.publish(1, 4).accepted() == 4);
  CHECK(b.to.names() == names{"s/1", "s/2", "s/4"});
  CHECK(b.publish(5, 5).accepted() == 1);
  CHECK(b.to.names() == names{"s/1", "s/2", "s/4", "s/5", "s/3"});
  CHECK(b.on.happened().delay == 1);
}

TEST_CASE("what is delayed for good is published at close") {
  auto inner = std::make_unique<bus::memory_bus>();
  auto* const seen_by = inner.get();
  bus::faulty_bus on(std::move(inner), only(&bus::bus_faults::delay, 1));
  test::recording_sink to;
  REQUIRE(seen_by->subscribe({topic, "c", 8, false}, to.sink()));
  test::recording_done answer;
  on.publish(topic, test::sample_batch("s", 1, 1), answer.done());
  CHECK(answer.accepted() == 1);
  CHECK(to.count() == 0);
  bool closed = false;
  on.close([&closed] { closed = true; });
  CHECK(closed);
  CHECK(to.names() == names{"s/1"});
  test::recording_done late;
  on.publish(topic, test::sample_batch("s", 2, 2), late.done());
  REQUIRE(late.calls() == 1);
  CHECK(late.results()[0].why().code == failure::bus_closed);
}

TEST_CASE("every n-th event breaks its batch from there on") {
  bench b(only(&bus::bus_faults::fail, 3));
  const auto results = b.publish(1, 5).results();
  CHECK(results[1].ok());
  for (std::size_t i = 2; i < 5; ++i) {
    REQUIRE_FALSE(results[i].ok());
    CHECK(results[i].why().code == failure::bus_unreachable);
  }
  CHECK(b.to.names() == names{"s/1", "s/2"});
  CHECK(b.publish(3, 4).accepted() == 2);
  CHECK(b.to.names() == names{"s/1", "s/2", "s/3", "s/4"});
  CHECK(b.on.happened().fail == 1);
}

TEST_CASE("every n-th event is followed by a rival of another id") {
  bench b(only(&bus::bus_faults::fork, 2));
  const auto results = b.publish(1, 3).results();
  CHECK(b.to.names() == names{"s/1", "s/2", "s/2", "s/3"});
  CHECK(*results[2] == "p4"); // answers keep their events
  const auto seen = b.to.seen();
  const auto& original = *seen[1].event;
  const auto& rival = *seen[2].event;
  CHECK(rival.envelope.event_id == "rival-" + original.envelope.event_id);
  CHECK(rival.digest != original.digest);
  CHECK(rival.digest == parcelflow::codec::digest_of(rival.envelope));
  CHECK(b.on.happened().fork == 1);
}

TEST_CASE("a rival that is offered again is the same one") {
  bench b(only(&bus::bus_faults::fork, 1));
  b.publish(1, 1);
  b.publish(1, 1);
  const auto seen = b.to.seen();
  REQUIRE(seen.size() == 4);
  CHECK(seen[1].event->bytes == seen[3].event->bytes);
}

TEST_CASE("every n-th delivery is half of its bytes, for each consumer") {
  bench b(only(&bus::bus_faults::garble, 3));
  test::recording_sink other;
  REQUIRE(b.on.subscribe({topic, "d", 1000, false}, other.sink()));
  b.publish(1, 2);
  b.publish(3, 4);
  for (const auto* const of : {&b.to, &other}) {
    CHECK(of->names() == names{"s/1", "s/2", "?", "s/4"});
    const auto broken = of->seen()[2];
    REQUIRE(broken.raw);
    const auto whole = test::sample_event("s", 3)->bytes;
    CHECK(*broken.raw == whole.substr(0, whole.size() / 2));
    CHECK(broken.why.code == failure::invalid_envelope);
  }
  CHECK(b.on.happened().garble == 2);
}

TEST_CASE("a garbled delivery is settled by its token") {
  bench b(only(&bus::bus_faults::garble, 1));
  b.publish(1, 1);
  REQUIRE(b.to.count() == 1);
  b.on.settle(topic, "c", b.to.all(bus::settlement::retry));
  REQUIRE(b.to.count() == 2); // it came again
  b.on.settle(topic, "c", b.to.all());
  CHECK(b.to.count() == 2);
}

TEST_CASE("the same calls meet the same faults") {
  bus::bus_faults every{5, 7, 4, 6, 9, 8, 11};
  const auto run = [&every] {
    bench b(every);
    for (std::uint64_t i = 0; i < 20; ++i)
      b.publish(5 * i + 1, 5 * i + 5);
    return b.to.names();
  };
  const auto once = run();
  CHECK(once.size() > 50);
  CHECK(once == run());
}

TEST_CASE("faults take back what the adapter promised") {
  const auto traits_with = [](auto which) {
    return bus::faulty_bus(std::make_unique<bus::memory_bus>(), only(which, 1))
      .traits();
  };
  CHECK(traits_with(&bus::bus_faults::duplicate).ordered_per_key);
  CHECK(traits_with(&bus::bus_faults::duplicate).name == "memory+faults");
  CHECK_FALSE(traits_with(&bus::bus_faults::reorder).ordered_per_key);
  CHECK_FALSE(traits_with(&bus::bus_faults::delay).ordered_per_key);
  CHECK_FALSE(traits_with(&bus::bus_faults::drop).ordered_per_key);
  CHECK_FALSE(traits_with(&bus::bus_faults::fail).atomic_batch);
}
