// An event that kills the process (R13): after an unclean stop effects run
// alone, each with a durable attempt before it, and three deaths exhaust it.
#include "tests/support/crash.hpp"
#include "tests/support/scenario.hpp"

#include <memory>

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::crash;
using test::letter_of;
using test::serves;
using test::unsettled;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

/// A world whose fulfillment dies of one aggregate: the process ends inside the
/// effect. What the doomed process does after that instant does not count.
class deadly_world {
public:
  explicit deadly_world(std::size_t in_flight_max)
    : w([=](app::config& with) { with.consumer.in_flight_max = in_flight_max; },
        [this](app::seams& with) {
          with.adjust_spec = [this](domain::consumer_spec& spec) {
            if (spec.name != fulfillment)
              return;
            spec.effect = [this, well = spec.effect](
                            const auto& of, const auto& context, auto& rows) {
              if (of.envelope.aggregate_id == "o-killer" && deadly
                  && !end->struck()) {
                deaths += 1;
                end->take_image();
              }
              return well(of, context, rows);
            };
          };
        }),
      end(std::make_unique<crash>(w)) {}

  /// Starts again until the killer kills no more; answers how often it did.
  int restart_until_it_lives(int at_most) {
    while (end->struck() && deaths <= at_most) {
      auto last = std::move(end);
      end = std::make_unique<crash>(w);
      last->restart();
    }
    return deaths;
  }

  bool deadly = true;
  int deaths = 0;
  world w;
  std::unique_ptr<crash> end;
};

} // namespace

TEST_CASE("an event that kills the process is exhausted by three deaths") {
  deadly_world d(64);
  d.w.publish({accepted_event("e-1", "tn-a", "o-before"),
               accepted_event("e-2", "tn-a", "o-killer"),
               accepted_event("e-3", "tn-b", "o-after")});
  // The first death is nobody's: it is not known who was running.
  CHECK(d.restart_until_it_lives(10) == 4);
  const auto letter = letter_of(d.w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::attempts_exhausted);
  CHECK(letter.aggregate_id == "o-killer");
  REQUIRE(letter.attempts.size() == 3);
  for (const auto& one : letter.attempts)
    CHECK(one.cause == "the process ended during this attempt");
  CHECK(d.w.fulfillment("tn-a", "o-before").position == 1);
  CHECK(d.w.fulfillment("tn-b", "o-after").position == 1);
  CHECK(unsettled(d.w) == 0);
  serves(d.w, "tn-b", "control");
  d.w.check_invariants();
  d.w.restart();
  CHECK(d.deaths == 4); // it stays exhausted
}

TEST_CASE("an event that kills a store's very first process is counted") {
  deadly_world d(64);
  d.w.publish({accepted_event("e-1", "tn-a", "o-killer")});
  CHECK(d.restart_until_it_lives(10) == 4);
  CHECK(letter_of(d.w, fulfillment).attempts.size() == 3);
  serves(d.w, "tn-b", "control");
}

TEST_CASE("a killer behind a long stretch of duplicates is counted too") {
  // The bus's cursor rides in later rounds: after the crash the whole backlog
  // comes again, many times the window of credits.
  deadly_world d(16);
  std::vector<domain::envelope> backlog;
  backlog.reserve(401);
  for (int i = 0; i < 400; ++i)
    backlog.push_back(accepted_event("e-" + std::to_string(i), "tn-a",
                                     "o-" + std::to_string(i)));
  backlog.push_back(accepted_event("e-killer", "tn-a", "o-killer"));
  d.w.publish(backlog);
  REQUIRE(d.deaths == 1);
  CHECK(d.restart_until_it_lives(10) == 4);
  CHECK(letter_of(d.w, fulfillment).aggregate_id == "o-killer");
  CHECK(d.w.fulfillment("tn-a", "o-399").position == 1);
  serves(d.w, "tn-b", "control");
}

TEST_CASE("a killer that waits in the room for its turn is counted too") {
  deadly_world d(64);
  d.w.publish({cancelled_event("e-2", "tn-a", "o-killer", 2)}); // a gap
  d.deadly = false;
  d.w.publish({accepted_event("e-x", "tn-b", "o-other")});
  d.deadly = true;
  d.w.publish({accepted_event("e-1", "tn-a", "o-killer", 1)});
  CHECK(d.restart_until_it_lives(10) == 4);
  const auto row = d.w.fulfillment("tn-a", "o-killer");
  CHECK(row.position == 0);
  CHECK(row.waiting->cause == domain::wait_cause::exhausted);
  serves(d.w, "tn-b", "control");
  d.w.check_invariants();
}

TEST_CASE("after an unclean stop what is well is applied as a delivery") {
  world w;
  w.publish({accepted_event("e-0", "tn-a", "o-0")});
  w.restart(); // without a drain
  w.publish({accepted_event("e-1", "tn-a", "o-1"),
             cancelled_event("e-2", "tn-a", "o-1", 2)});
  const auto row = w.fulfillment("tn-a", "o-1");
  REQUIRE(row.position == 2);
  CHECK(row.recent[0].door == domain::via::delivery);
  CHECK_FALSE(row.waiting.has_value());
  CHECK(w.dead_letters().empty());
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}
