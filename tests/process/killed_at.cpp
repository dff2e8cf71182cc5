#include "tests/process/killed_at.hpp"

#include "tests/support/poll.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace parcelflow::test {

namespace {

constexpr std::chrono::milliseconds a_moment{100};
constexpr std::chrono::seconds patience_with_effects{20};

} // namespace

arguments quick_flags() {
  return {"--fault.crash_point=",
          "--storage.free_space_min_bytes=0",
          "--storage.write_buffer_bytes=4MiB",
          "--relay.retry_min_ms=10",
          "--relay.poll_max_ms=500",
          "--consumer.retry_min_ms=10",
          "--consumer.gap_grace_ms=50",
          "--consumer.resend_retry_max_ms=200"};
}

arguments and_flags(const arguments& more) {
  auto flags = quick_flags();
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

void crash_case::dies_at(const crash_plan& plan) {
  auto flags = quick_flags();
  flags.front() += plan.point;
  flags.push_back("--fault.crash_countdown=" + std::to_string(plan.countdown));
  flags.insert(flags.end(), plan.flags.begin(), plan.flags.end());
  // It may die before it is ready: at a point that recovery passes.
  daemon.launch(flags);
  bool answers = daemon.await_ready() && ledger.run();
  auto end = daemon.wait(a_moment);
  for (int more = 0; plan.orders_on && answers && !end && more < 50; ++more) {
    ledger.one_more();
    answers = ledger.run();
    end = daemon.wait(a_moment);
  }
  if (!end)
    end = daemon.wait(patience_with_effects);
  REQUIRE_MESSAGE(end.has_value(), plan.point << " was not reached");
  REQUIRE_MESSAGE(*end == killed_by(SIGKILL), daemon.log());
}

void crash_case::recovers(const arguments& flags) {
  daemon.start(flags);
  REQUIRE(ledger.run());
  CHECK_MESSAGE(
    poll_until([&] { return ledger.at_rest(); }, patience_with_effects),
    "never at rest: " << daemon.log());
  CHECK(daemon.stop() == exited(0));
  CHECK(daemon.log().find("\"drained\":true") != std::string::npos);
  ledger.audit();
}

void survives(crash_plan plan, std::uint64_t later) {
  const auto flags = plan.flags;
  for (const std::string committer : {"shared", "per_owner"})
    for (const auto countdown : {std::uint64_t{1}, later}) {
      CAPTURE(plan.point);
      CAPTURE(countdown);
      CAPTURE(committer);
      plan.countdown = countdown;
      plan.flags = flags;
      plan.flags.push_back("--storage.committer=" + committer);
      crash_case one;
      one.dies_at(plan);
      one.recovers(and_flags({"--storage.committer=" + committer}));
    }
}

} // namespace parcelflow::test
