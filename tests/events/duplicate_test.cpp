// The same event again and again.
#include "tests/events/event_world.hpp"

using namespace parcelflow;
using test::accepted_event;

TEST_CASE("duplicate delivery creates one effect") {
  const test::check_directory directory("duplicate");
  {
    test::world w(test::in(directory.path()));
    w.publish({accepted_event("evt-701", "tn-a", "ord-701", 1)});
    w.publish({accepted_event("evt-701", "tn-a", "ord-701", 1)});
    w.publish({accepted_event("evt-b01", "tn-b", "ord-901", 1)});
    CHECK(w.verdicts("fulfillment-v1", "duplicate") == 1);
    CHECK(w.verdicts("notification-v1", "duplicate") == 1);

    // Past the bus, which keeps a log of its own: the consumer writes nothing.
    const auto written = w.written_bytes();
    bus::delivery again;
    again.event =
      codec::make_event(accepted_event("evt-701", "tn-a", "ord-701", 1));
    w.deliver(w.it->fulfillment_owner(), domain::fulfillment_consumer, again);
    w.deliver(w.it->notification_owner(), domain::notification_consumer, again);
    CHECK(w.verdicts("fulfillment-v1", "duplicate") == 2);
    CHECK(w.verdicts("notification-v1", "duplicate") == 2);
    CHECK(w.written_bytes() == written);
    w.check_invariants();
  }
  const test::closed_store left(directory.path());
  using name = std::pair<std::string, std::string>;
  CHECK(left.jobs()
        == std::vector<name>{{"tn-a", "ord-701"}, {"tn-b", "ord-901"}});
  CHECK(left.position("tn-a", "ord-701") == 1);
  CHECK(left.sends("tn-a", "ord-701").size() == 1);
  CHECK(left.sends("tn-b", "ord-901").size() == 1);
  CHECK(left.dead_letters().empty());
}
