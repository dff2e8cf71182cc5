#include "support/log.hpp"
#include "support/metrics.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

namespace parcelflow::support {

namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

} // namespace

TEST_CASE("the text names kind and help, and a series a label set") {
  metrics registry;
  auto applied =
    registry.counter("parcelflow_verdicts_total", "Verdicts by kind.",
                     {{"consumer", "fulfillment-v1"}, {"kind", "applied"}});
  auto gap =
    registry.counter("parcelflow_verdicts_total", "Verdicts by kind.",
                     {{"consumer", "fulfillment-v1"}, {"kind", "gap"}});
  applied.add(41);
  applied.add();
  gap.add();
  const auto text = registry.render();
  CHECK(has_line(text, "# HELP parcelflow_verdicts_total Verdicts by kind."));
  CHECK(has_line(text, "# TYPE parcelflow_verdicts_total counter"));
  CHECK(has_line(text, "parcelflow_verdicts_total{consumer=\"fulfillment-v1\","
                       "kind=\"applied\"} 42"));
  CHECK(has_line(text, "parcelflow_verdicts_total{consumer=\"fulfillment-v1\","
                       "kind=\"gap\"} 1"));
}

TEST_CASE("label values cannot break out of their quotes") {
  metrics registry;
  registry.gauge("parcelflow_held", "h", {{"tenant", "a\"} 1\nb\\"}}).set(2);
  CHECK(
    has_line(registry.render(), R"(parcelflow_held{tenant="a\"} 1\nb\\"} 2)"));
}

TEST_CASE("the same name and labels are one series") {
  metrics registry;
  auto one = registry.counter("parcelflow_orders_total", "Orders.");
  auto same = registry.counter("parcelflow_orders_total", "Orders.");
  one.add(2);
  same.add(3);
  CHECK(one.value() == 5);
  CHECK(has_line(registry.render(), "parcelflow_orders_total 5"));
}

TEST_CASE("a histogram puts a value on a bound into that bound's bucket") {
  metrics registry;
  auto sizes = registry.histogram("parcelflow_round_orders", "Orders a round.",
                                  size_bounds(4));
  for (const double size : {1.0, 2.0, 3.0, 9.0})
    sizes.observe(size);
  const auto text = registry.render();
  CHECK(has_line(text, "# TYPE parcelflow_round_orders histogram"));
  CHECK(has_line(text, "parcelflow_round_orders_bucket{le=\"1\"} 1"));
  CHECK(has_line(text, "parcelflow_round_orders_bucket{le=\"2\"} 2"));
  CHECK(has_line(text, "parcelflow_round_orders_bucket{le=\"4\"} 3"));
  CHECK(has_line(text, "parcelflow_round_orders_bucket{le=\"+Inf\"} 4"));
  CHECK(has_line(text, "parcelflow_round_orders_count 4"));
  CHECK(has_line(text, "parcelflow_round_orders_sum 15"));
}

TEST_CASE("a callback is asked at each scrape until its registration dies") {
  metrics registry;
  double free_bytes = 1;
  {
    auto kept = registry.gauge_on_scrape("parcelflow_disk_free_bytes", "Free.",
                                         {}, [&] { return free_bytes; });
    CHECK(has_line(registry.render(), "parcelflow_disk_free_bytes 1"));
    free_bytes = 2;
    auto moved = std::move(kept);
    CHECK(has_line(registry.render(), "parcelflow_disk_free_bytes 2"));
    auto refused = registry.counter_on_scrape(
      "parcelflow_refused_total", "Refused.", {}, [] { return 7.0; });
    CHECK(has_line(registry.render(), "parcelflow_refused_total 7"));
  }
  CHECK(registry.render().empty());
}

TEST_CASE("a callback that throws costs its own sample only") {
  log::redirection quiet([](std::string_view) {});
  metrics registry;
  auto bad = registry.gauge_on_scrape("parcelflow_bad", "b", {},
                                      []() -> double { throw 1; });
  registry.gauge("parcelflow_good", "g").set(1.5);
  const auto text = registry.render();
  CHECK(has_line(text, "parcelflow_good 1.5"));
  CHECK_FALSE(has_line(text, "parcelflow_bad 0"));
}

TEST_CASE("names carry prefix, kind and base unit") {
  using enum metric_kind;
  const auto fine = [](metric_kind kind, std::string_view name) {
    return metrics::name_fault(kind, name).empty();
  };
  CHECK(fine(counter, "parcelflow_orders_total"));
  CHECK(fine(gauge, "parcelflow_outbox_oldest_unpublished_seconds"));
  CHECK(fine(histogram, "parcelflow_sync_seconds"));
  CHECK_FALSE(fine(counter, "orders_total"));
  CHECK_FALSE(fine(counter, "parcelflow_orders"));
  CHECK_FALSE(fine(gauge, "parcelflow_orders_total"));
  CHECK_FALSE(fine(gauge, "parcelflow_depth_count"));
  CHECK_FALSE(fine(gauge, "parcelflow_age_ms"));
  CHECK_FALSE(fine(gauge, "parcelflow_Age"));
}

TEST_CASE("handles outlive the registry, and empty ones count into nothing") {
  auto registry = std::make_unique<metrics>();
  auto kept = registry->counter("parcelflow_orders_total", "Orders.");
  registry.reset();
  kept.add();
  CHECK(kept.value() == 1);
  counter nothing;
  nothing.add();
  gauge none;
  none.set(1);
  histogram empty;
  empty.observe(1);
  CHECK(nothing.value() == 0);
  CHECK(none.value() == 0);
}

TEST_CASE("threads bump while another renders, and nothing is lost") {
  metrics registry;
  auto orders = registry.counter("parcelflow_orders_total", "Orders.");
  auto open = registry.gauge("parcelflow_open_orders", "Open.");
  auto seconds = registry.histogram("parcelflow_sync_seconds", "Sync.",
                                    latency_bounds_seconds());
  std::vector<std::thread> threads(4);
  for (auto& thread : threads)
    thread = std::thread([=]() mutable {
      for (int i = 0; i < 1000; ++i) {
        orders.add();
        open.add(i % 2 == 0 ? 1 : -1);
        seconds.observe(0.5);
      }
    });
  for (int i = 0; i < 20; ++i)
    CHECK_FALSE(registry.render().empty());
  for (auto& thread : threads)
    thread.join();
  const auto text = registry.render();
  CHECK(has_line(text, "parcelflow_orders_total 4000"));
  CHECK(has_line(text, "parcelflow_open_orders 0"));
  CHECK(has_line(text, "parcelflow_sync_seconds_sum 2000"));
  CHECK(has_line(text, "parcelflow_sync_seconds_bucket{le=\"0.25\"} 0"));
}

} // namespace parcelflow::support
