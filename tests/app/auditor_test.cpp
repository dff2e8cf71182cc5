// The auditor in the running engine: on its schedule and when asked, from a
// snapshot of then, answered once, and in nobody's way.
#include "tests/storage/store_fixture.hpp"
#include "tests/support/world.hpp"

using namespace parcelflow;
using test::world;

namespace {

using report_ptr = std::shared_ptr<const domain::audit_report>;

struct answers {
  std::vector<report_ptr> all;
  void ask(world& w) {
    w.it->gateway().audit(
      [this](report_ptr report) { all.push_back(std::move(report)); });
  }
};

double gauge(world& w, const char* name, const char* help) {
  return w.it->metrics().gauge(name, help).value();
}

/// More is reserved than live reservations hold; nobody stumbles over it.
void spoil_stock(world& w, const std::string& tenant) {
  w.close();
  auto store =
    test::open_or_throw(test::options_for(w.settings.data.directory));
  {
    auto rows = store->take(storage::owner::inventory);
    const auto key = storage::stock_key(tenant, "sku-1");
    auto stock = *domain::decode_stock(*rows.get(key));
    stock.reserved += 1;
    rows.put(key, encode(stock));
    test::commit(*store, rows);
  }
  store.reset();
  w.start();
}

} // namespace

TEST_CASE("an audit is made when somebody asks, and everybody hears of it") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  w.accepted("tn-a", "k-1");
  CHECK(w.it->audits().last_at == 0);
  answers got;
  got.ask(w);
  got.ask(w);
  w.run();
  REQUIRE(got.all.size() == 2);
  REQUIRE(got.all[0]);
  CHECK(got.all[0]->clean());
  CHECK(got.all[0]->rows > 10);
  CHECK(got.all[0]->mode == domain::audit_mode::running);
  CHECK(w.it->audits().last_clean_at == w.clock.now());
  CHECK(w.it->audits().findings == 0);
  CHECK(gauge(w, "parcelflow_audit_last_clean_timestamp_seconds",
              "When the last audit without a finding began; 0: none yet")
        == static_cast<double>(w.clock.now()) / 1e3);
}

TEST_CASE("who asks while one runs hears of the next one") {
  world w;
  w.stock("tn-a", "sku-1", 1000);
  for (int i = 0; i < 60; ++i) // more rows than a slice
    w.accepted("tn-a", "k-" + std::to_string(i));
  answers first;
  first.ask(w);
  w.scheduler->run_once(); // begins
  w.scheduler->run_once(); // one slice
  const auto began = w.clock.now();
  answers second;
  w.clock.advance(5);
  second.ask(w);
  w.run();
  REQUIRE(first.all.size() == 1);
  REQUIRE(second.all.size() == 1);
  CHECK(first.all[0]->as_of == began);
  CHECK(second.all[0]->as_of == began + 5);
}

TEST_CASE("it comes by itself, soon after a start and then on its schedule") {
  world w([](app::config& with) {
    with.audit.interval_ms = std::chrono::milliseconds(600'000);
  });
  w.pass(59'000, 1000);
  CHECK(w.it->audits().last_at == 0);
  w.pass(1'000, 1000);
  const auto first = w.it->audits().last_clean_at.load();
  CHECK(first == w.clock.now());
  w.pass(600'000, 10'000);
  CHECK(w.it->audits().last_clean_at == first + 600'000);
}

TEST_CASE("an interval of 0 means: only when asked") {
  world w([](app::config& with) { with.audit.interval_ms = {}; });
  w.pass(7'200'000, 60'000);
  CHECK(w.it->audits().last_at == 0);
  answers got;
  got.ask(w);
  w.run();
  CHECK(got.all.size() == 1);
}

TEST_CASE("findings are counted, and a clean audit before them stays known") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  spoil_stock(w, "tn-a");
  answers got;
  got.ask(w);
  w.run();
  REQUIRE(got.all.size() == 1);
  REQUIRE(got.all[0]->findings.size() == 1);
  const auto& one = got.all[0]->findings[0];
  CHECK(one.rule == domain::audit_rule::stock);
  CHECK(one.row.tenant == "tn-a");
  CHECK(one.row.kind == "stock");
  CHECK(w.it->audits().findings == 1);
  CHECK(w.it->audits().last_at == w.clock.now());
  CHECK(w.it->audits().last_clean_at == 0);
  CHECK(gauge(w, "parcelflow_audit_findings", "Findings of the last audit")
        == 1.0);
}

TEST_CASE("whoever still waits when the engine ends is answered with nothing") {
  answers got;
  {
    world w;
    got.ask(w);
  }
  REQUIRE(got.all.size() == 1);
  CHECK(got.all[0] == nullptr);
}
