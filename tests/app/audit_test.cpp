// The audit of what nobody damaged: clean at every step of the engine, and at
// rest; what is on its way is counted and is no finding.
#include "tests/app/audit_lab.hpp"
#include "tests/support/world.hpp"

using namespace parcelflow;
using domain::audit_way;
using storage::audit_mode;
using test::audit_lab;
using test::world;

namespace {

std::string told(const storage::audit_report& report) {
  std::string text;
  for (const auto& one : report.findings) {
    text += std::string(to_string(one.rule)) + " " + one.row.family + "/"
            + one.row.kind + " " + one.row.tenant;
    for (const auto& [name, value] : one.row.key)
      text += " " + name + "=" + value;
    text += ": " + one.what + "\n";
  }
  return text;
}

const domain::audit_pending& pending(const storage::audit_report& report,
                                     audit_way way) {
  return report.pending.at(static_cast<std::size_t>(way));
}

storage::audit_report audit_now(world& w,
                                audit_mode mode = audit_mode::running) {
  return storage::audit(w.it->store(), audit_lab::options_at(w.clock, mode));
}

} // namespace

TEST_CASE("a store that has been through everything is clean") {
  audit_lab lab;
  const auto report = lab.audit();
  CHECK_MESSAGE(report.clean(), told(report));
  CHECK(report.complete);
  for (const auto& one : report.accounts) {
    CAPTURE(one.consumer);
    CHECK(one.events == 12); // 4 + 2 a tenant
    CHECK(one.applied + one.declined + one.skipped + one.waiting
            + one.quarantined + one.pending + one.wrong
          == one.events);
    CHECK(one.applied == 10);
    CHECK(one.quarantined == 2); // the bus refused them
    CHECK(one.wrong == 0);
  }
  // A held reservation whose payment never answers is on its way …
  CHECK(pending(report, audit_way::to_an_order).count == 2);
  CHECK(pending(report, audit_way::to_the_bus).count == 0);
  CHECK(pending(report, audit_way::to_dead_letters).count == 0);
  // … and every kind of row was seen.
  for (const auto* kind : {"order",
                           "idempotency_key",
                           "outbox",
                           "stock",
                           "reservation",
                           "held_chunk",
                           "relay_cursor",
                           "receipt_run",
                           "held_stream",
                           "stream",
                           "inbox_entry",
                           "foreign_event",
                           "waiting_room",
                           "waiting_stream",
                           "aside",
                           "clean_stop",
                           "dead_letter",
                           "payload",
                           "dead_letter_order",
                           "letter_time",
                           "topic_log",
                           "topic_cursor"}) {
    CAPTURE(kind);
    CHECK(std::ranges::any_of(report.rows_by_kind, [&](const auto& one) {
      return one.kind == kind && one.rows > 0;
    }));
  }
}

TEST_CASE("every instant of the way is clean") {
  world w;
  w.stock("tn-a", "sku-1", 100);
  std::uint64_t pending_at_most = 0;
  const auto step_by_step = [&] {
    do {
      while (w.scheduler->has_job()) {
        w.scheduler->run_once();
        const auto report = audit_now(w);
        REQUIRE_MESSAGE(report.clean(), told(report));
        for (const auto& one : report.pending)
          pending_at_most = std::max(pending_at_most, one.count);
      }
      w.scheduler->advance_time(std::chrono::milliseconds(0));
    } while (w.scheduler->has_job());
  };
  const auto first = w.send(world::request("tn-a", "k-1"));
  const auto second = w.send(world::request("tn-a", "k-2"));
  step_by_step();
  REQUIRE(first->has_value());
  const auto id = (**first).order_id;
  w.it->gateway().command({"tn-a", id, domain::order_command::cancel, {}, {}},
                          [](auto) {});
  step_by_step();
  w.it->bus().publish(
    domain::order_topic,
    {{codec::make_event(test::cancelled_event("e-2", "tn-a", "gap", 2)), 0}},
    [](auto) {});
  step_by_step();
  w.it->bus().publish(
    domain::order_topic,
    {{codec::make_event(test::accepted_event("e-1", "tn-a", "gap")), 0}},
    [](auto) {});
  step_by_step();
  CHECK(w.fulfillment("tn-a", "gap").position == 2);
  CHECK(pending_at_most >= 2);
  CHECK(audit_now(w, audit_mode::at_rest).clean());
}

TEST_CASE("what is left on its way at rest is a finding, once grace is over") {
  test::bus_script script;
  script.judge = [](const bus::offered&) {
    return std::optional(
      domain::fault{domain::failure::bus_unreachable, "down"});
  };
  world w({}, script.inject());
  w.stock("tn-a", "sku-1", 10);
  const auto id = w.accepted("tn-a", "k-1");
  const auto running = audit_now(w);
  CHECK_MESSAGE(running.clean(), told(running));
  CHECK(pending(running, audit_way::to_the_bus).count == 1);
  CHECK(pending(running, audit_way::to_the_bus).oldest == w.clock.now());
  CHECK(pending(running, audit_way::to_a_consumer).count == 3);
  CHECK(audit_now(w, audit_mode::at_rest).clean()); // within grace
  w.pass(61'000, 1000);
  CHECK(audit_now(w).clean());
  CHECK(audit_now(w, audit_mode::stopped).clean());
  const auto rest = audit_now(w, audit_mode::at_rest);
  CHECK(rest.findings_total == 4); // the bus, three consumers
  for (const auto& one : rest.findings) {
    CHECK(one.rule == domain::audit_rule::accounting);
    CHECK(one.row.kind == "outbox");
    CHECK(one.row.tenant == "tn-a");
  }
}

TEST_CASE("findings are kept up to their bound and counted beyond it") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  for (int i = 0; i < 5; ++i)
    w.accepted("tn-a", "k-" + std::to_string(i));
  auto options = audit_lab::options_at(w.clock, audit_mode::at_rest);
  options.consumers.push_back({storage::owner::fulfillment, "no-such"});
  options.grace_ms = -1;
  options.findings_max = 2;
  const auto report = storage::audit(w.it->store(), options);
  CHECK(report.findings_total == 5);
  CHECK(report.findings.size() == 2);
}

TEST_CASE("an audit can be stopped on the way, and is not clean then") {
  world w;
  w.stock("tn-a", "sku-1", 10'000);
  storage::audit_run run(w.it->store(),
                         audit_lab::options_at(w.clock, audit_mode::running));
  CHECK(run.step(1));
  CHECK(run.report().rows == 1);
  CHECK_FALSE(run.report().clean());
  int steps = 1;
  while (run.step(1))
    ++steps;
  CHECK(run.report().clean());
  CHECK(run.report().rows == static_cast<std::uint64_t>(steps) + 1);
}
