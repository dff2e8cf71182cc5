// Deaths that nobody placed: SIGKILL at some moment while a client orders, many
// times over one directory; and that no named point is without a case.
#include "support/fault_point.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <random>
#include <thread>

using namespace parcelflow;
using std::chrono::milliseconds;

TEST_CASE("killed at any time, again and again, everything arrives once") {
  constexpr int deaths = 12;
  const auto seed = std::random_device{}();
  CAPTURE(seed); // names the pauses; what they hit is up to the machine
  std::mt19937 chance(seed);
  test::crash_case one;
  for (int i = 0; i < deaths; ++i) {
    one.daemon.start(test::quick_flags());
    const milliseconds pause(chance() % 120);
    const std::jthread killer([pid = one.daemon.pid(), pause] {
      (void)test::holds_for([] { return true; }, pause, milliseconds(1));
      ::kill(pid, SIGKILL);
    });
    while (one.ledger.run())
      one.ledger.one_more();
    CHECK(one.daemon.wait() == test::killed_by(SIGKILL));
  }
  one.recovers();
}

TEST_CASE("every named crash point has a case") {
  std::string cases;
  for (const auto* file : {"intake", "consumer", "quarantine", "replay"})
    cases += test::whole_text(
      test::in_source("tests/process/kill_" + std::string(file) + "_test.cpp"));
  CHECK(support::fault_point_names().size() > 10);
  for (const auto name : support::fault_point_names())
    CHECK_MESSAGE(cases.find('"' + std::string(name) + '"')
                    != std::string::npos,
                  std::string(name) << " is never struck");
}
