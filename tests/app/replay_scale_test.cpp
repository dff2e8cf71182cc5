// A plan of many dead letters, executed to the last: its progress only grows,
// each effect is made once, and memory grows with the plan by little. Few in
// the everyday run; `scripts/campaign replay` takes as many as one plan may
// hold, and the figures that it prints stand in docs/BENCHMARKS.md.
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

using namespace parcelflow;
using namespace parcelflow::test;

namespace {

int items_asked() {
  const char* const asked = std::getenv("PARCELFLOW_TEST_REPLAY_ITEMS");
  const int count = asked == nullptr ? 300 : std::atoi(asked);
  REQUIRE(count >= 100);
  return count;
}

/// The most memory that this process ever had, in MiB.
double memory_peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::atof(line.c_str() + 6) / 1024;
  FAIL("no VmHWM");
  return 0;
}

class stopwatch {
public:
  double lap_s() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(at_, now)).count();
  }

private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

/// As many orders as asked for, each announced in a version unknown so far.
void publish_unknown(world& w, int count) {
  std::vector<domain::envelope> batch;
  for (int i = 0; i < count; ++i) {
    const auto number = std::to_string(i);
    batch.push_back(accepted_event("evt-" + number, "tn-a", "ord-" + number));
    batch.back().event_version = 9;
    if (batch.size() == 100 || i + 1 == count)
      w.publish(std::exchange(batch, {}));
  }
}

/// Runs to the end; how often the progress was seen to grow.
int run_watched(world& w, responder& r, const std::string& id,
                std::uint64_t total) {
  int grew = 0;
  std::uint64_t before = 0;
  for (std::uint64_t step = 0; w.scheduler->has_job(); ++step) {
    w.scheduler->run_once();
    if (step % 20 != 0)
      continue;
    const auto done = r.replay(id).counts.sum();
    CHECK(done >= before);
    CHECK(done <= total);
    grew += done > before ? 1 : 0;
    before = done;
  }
  w.run();
  return grew;
}

} // namespace

TEST_CASE("a large plan runs to its end and tells how far it is") {
  const int count = items_asked();
  bool knows_v9 = false;
  world w({}, [&](app::seams& with) {
    with.adjust_spec = [&](domain::consumer_spec& spec) {
      if (knows_v9 && spec.name == domain::fulfillment_consumer)
        spec.supported.push_back({std::string(domain::order_accepted), 9});
    };
  });
  publish_unknown(w, count);
  knows_v9 = true;
  w.restart();
  responder r(w, "tn-a");
  const auto total = static_cast<std::uint64_t>(count);

  const double at_first = memory_peak_mib();
  stopwatch clock;
  const auto plan = r.plan("consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == total);
  const double planned_s = clock.lap_s();
  const auto begun = r.execute(plan, 0);
  while (!begun->has_value() && w.scheduler->has_job())
    w.scheduler->run_once();
  REQUIRE(begun->has_value());
  REQUIRE((**begun).ok());
  const auto id = (***begun).replay_id;
  const int grew = run_watched(w, r, id, total);
  const double executed_s = clock.lap_s();
  const double in_the_end = memory_peak_mib();
  MESSAGE(total << " items: planned in " << planned_s << " s, executed in "
                << executed_s << " s; peak of memory " << at_first
                << " MiB, then " << in_the_end << " MiB; progress seen to grow "
                << grew << " times");

  CHECK(grew > 1);
  const auto report = r.replay(id);
  CHECK(report.state == domain::replay_state::finished);
  CHECK(report.counts.created_now == total);
  for (int i = 0; i < count; i += 97) {
    const auto row = w.fulfillment("tn-a", "ord-" + std::to_string(i));
    CHECK(row.position == 1);
    CHECK(row.recent[0].replay_id == id);
  }
  CHECK(in_the_end < at_first + 64); // MiB
  serves(w, "tn-b", "k-b");
}
