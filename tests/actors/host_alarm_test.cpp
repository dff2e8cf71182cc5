// One timer for an actor: every wish is met in time, and ticks do not multiply
// however often wishes overtake one another.
#include "actors/hosting.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace parcelflow;
using support::unix_ms;

namespace {

/// Stands for the actor: what was sent, and when it arrives.
struct fake_self {
  support::manual_clock& clock;
  std::multimap<unix_ms, int> ticks;

  template <class Atom>
  void send(fake_self*, Atom) {
    ticks.emplace(clock.now(), 0);
  }
  template <class Atom>
  void delayed_send(fake_self*, std::chrono::milliseconds pause, Atom) {
    ticks.emplace(clock.now() + pause.count(), 0);
  }
};

} // namespace

TEST_CASE("a wish is met by a tick no later than it asks for") {
  support::manual_clock clock{1000};
  fake_self self{clock, {}};
  actors::host_alarm alarm;
  alarm.wake(&self, clock, 4000);
  alarm.wake(&self, clock, 8000); // the tick after 4000 will ask again
  CHECK(self.ticks.size() == 1);
  alarm.wake(&self, clock, 1000);
  REQUIRE(self.ticks.size() == 2);
  CHECK(self.ticks.begin()->first == 2000);
}

TEST_CASE("a wish for the past is met at once") {
  support::manual_clock clock{1000};
  fake_self self{clock, {}};
  actors::host_alarm alarm;
  alarm.wake(&self, clock, -10);
  CHECK(self.ticks.begin()->first == 1000);
}

TEST_CASE("a thousand overtaken wishes leave one tick on its way, not many") {
  support::manual_clock clock{1000};
  fake_self self{clock, {}};
  actors::host_alarm alarm;
  const unix_ms far = 1'000'000; // what the actor waits for all the time
  alarm.wake(&self, clock, far - clock.steady());
  for (int i = 0; i < 1000; ++i) {
    alarm.wake(&self, clock, 0); // something to do at once
    REQUIRE(self.ticks.begin()->first <= clock.now());
    self.ticks.erase(self.ticks.begin());
    alarm.rang();
    alarm.wake(&self, clock, far - clock.steady()); // and on waiting
    clock.advance(10);
  }
  CHECK(self.ticks.size() == 1);
}

TEST_CASE("after its tick rang, the alarm can be set again") {
  support::manual_clock clock{1000};
  fake_self self{clock, {}};
  actors::host_alarm alarm;
  for (int i = 1; i <= 5; ++i) {
    alarm.wake(&self, clock, 100);
    REQUIRE(self.ticks.size() == 1);
    clock.advance(100);
    self.ticks.clear();
    alarm.rang();
  }
}

TEST_CASE("a wall clock that was set moves no tick") {
  support::manual_clock clock{1'000'000};
  fake_self self{clock, {}};
  actors::host_alarm alarm;
  alarm.wake(&self, clock, 500);
  clock.set(1000); // long ago
  alarm.wake(&self, clock, 400);
  CHECK(self.ticks.size()
        == 2); // the earlier wish is not lost behind the other
}
