// Waive, skip, redirect, resend, pause: what responders may do to a stream,
// what is refused and why, and that each allowed change is in the operator log
// before its effect. Every scenario has a second tenant that must not notice.
#include "codec/log_chain.hpp"
#include "tests/support/crash.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::test;
using domain::dead_letter_state;
using domain::failure;
using domain::verdict;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

void checks_chain(responder& r) {
  codec::chain_check chain;
  for (const auto& entry : r.log())
    CHECK(chain.take(entry).ok());
}

} // namespace

TEST_CASE("a fork is waived with a reason, a head or a gap is not") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  w.publish({accepted_event("evt-rival", "tn-a", order, 1),
             cancelled_event("evt-3", "tn-a", "ord-gap", 2)});
  responder r(w, "tn-a");
  std::string fork;
  std::string gap;
  for (const auto& one : letters_of(w, fulfillment))
    (one.cause == domain::dead_letter_cause::sequence_fork ? fork : gap) =
      one.dead_letter_id;
  REQUIRE_FALSE(fork.empty());
  REQUIRE_FALSE(gap.empty());

  CHECK(r.waive(fork, "").why().code == failure::invalid_request);
  CHECK(r.waive(gap).why().code == failure::illegal_transition);
  CHECK(r.last_logged() == "waive.refused " + gap);
  responder foreign(w, "tn-b");
  CHECK(foreign.waive(fork).why() == foreign.waive("dl-none").why());
  const auto before = r.log().size();
  const auto waived = r.waive(fork, "a known double");
  REQUIRE(waived.ok());
  CHECK(waived->state() == dead_letter_state::waived);
  CHECK(waived->steps.back().actor == "tok-test");
  CHECK(waived->steps.back().reason == "a known double");
  CHECK(r.last_logged() == "waive " + fork);
  CHECK(r.waive(fork).ok()); // again: the first answer
  CHECK(r.log().size() == before + 1);
  CHECK(r.letter(gap).state() == dead_letter_state::open);
  checks_chain(r);
  serves(w, "tn-b", "k-b");
  w.check_invariants(true);
}

TEST_CASE("a skipped head takes its sequence, and its successors drain") {
  bool fails = true;
  world w([](app::config& c) { c.consumer.attempts_max = 1; },
          [&](app::seams& with) { with.adjust_spec = failing_effect(fails); });
  w.publish({accepted_event("evt-1", "tn-a", "ord-1"),
             cancelled_event("evt-2", "tn-a", "ord-1", 2)});
  responder r(w, "tn-a");
  const auto id = only_letter(w, fulfillment);
  CHECK(r.skip("ord-1", 2).why().code == failure::illegal_transition);
  CHECK(r.skip("ord-none", 1).why().code == failure::illegal_transition);
  CHECK(r.skip("ord-1", 1, "").why().code == failure::invalid_request);
  fails = false;
  const auto skipped = r.skip("ord-1", 1);
  REQUIRE(skipped.ok());
  CHECK(*skipped == 1);
  const auto row = w.fulfillment("tn-a", "ord-1");
  CHECK(row.position == 2);
  CHECK_FALSE(row.waiting.has_value());
  CHECK(row.recent[0].mark == domain::inbox_mark::skipped);
  CHECK(row.recent[0].note == id);
  CHECK(r.letter(id).state() == dead_letter_state::waived);
  const auto who = w.it->store().read().get(
    storage::owner::fulfillment,
    storage::skip_key("tn-a", fulfillment, "ord-1", 1));
  REQUIRE(who.has_value());
  CHECK(storage::decode_skip(*who)->actor == "tok-test");
  // It comes again: acknowledged, no effect, not one byte.
  const auto skips = w.verdicts(std::string(fulfillment), "skipped");
  w.publish({accepted_event("evt-1", "tn-a", "ord-1")});
  CHECK(w.verdicts(std::string(fulfillment), "skipped") == skips + 1);
  CHECK_FALSE(w.job("tn-a", "ord-1").has_value());
  serves(w, "tn-b", "k-b");
}

TEST_CASE("a hole that nobody can fill is skipped, and the gap closes") {
  world w;
  w.publish({cancelled_event("evt-2", "tn-a", "ord-1", 2)});
  responder r(w, "tn-a");
  const auto gap = only_letter(w, fulfillment);
  REQUIRE(r.skip("ord-1", 1).ok());
  const auto row = w.fulfillment("tn-a", "ord-1");
  CHECK(row.position == 2);
  CHECK(row.recent[0].note == gap);
  CHECK(r.letter(gap).state() == dead_letter_state::resolved);
  serves(w, "tn-b", "k-b");
}

TEST_CASE("a stream is redirected with its position, effect and what waits") {
  world w([](app::config& c) { c.order.accepted_version = {{"tn-a", 2}}; });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto id = only_letter(w, fulfillment);
  CHECK(r.letter(id).cause == domain::dead_letter_cause::unsupported_version);
  CHECK(r.redirect(order, "notification-v1").why().code
        == failure::illegal_transition);
  CHECK(r.redirect("ord-none", "fulfillment-v2").why().code
        == failure::not_found);
  REQUIRE(r.redirect(order, "fulfillment-v2").ok());
  CHECK(r.redirect(order, "fulfillment-v2").why().code
        == failure::illegal_transition); // one hop, once
  CHECK_FALSE(w.job("tn-a", order).has_value());
  const auto plan = r.plan("consumer=fulfillment-v1");
  REQUIRE(plan.items.size() == 1);
  CHECK(plan.items[0].predicted == verdict::applied);
  CHECK(r.run(plan).counts.created_now == 1);
  CHECK(r.letter(id).state() == dead_letter_state::resolved);
  const auto at_v2 = [&] {
    return w.stream(storage::owner::fulfillment, "fulfillment-v2", "tn-a",
                    order);
  };
  CHECK(at_v2().position == 1);
  CHECK(at_v2().came_from == fulfillment);
  CHECK(w.fulfillment("tn-a", order).effect.empty());
  // Later deliveries follow, over a restart too.
  w.restart();
  REQUIRE(w.command("tn-a", order, domain::order_command::cancel).ok());
  CHECK(at_v2().position == 2);
  const auto job = domain::decode_job(at_v2().effect);
  REQUIRE(job.ok());
  CHECK((*job)->state == domain::job_state::cancelled);
  serves(w, "tn-b", "k-b");
}

TEST_CASE("a responder has events offered again") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const auto seen = w.verdicts(std::string(fulfillment), "duplicate");
  const auto offered = r.resend(order, 1, 0);
  REQUIRE(offered.ok());
  CHECK(*offered == 1);
  CHECK(w.verdicts(std::string(fulfillment), "duplicate") == seen + 1);
  CHECK(r.last_logged().find("resend fulfillment-v1") == 0);
  CHECK(r.resend(order, 5, 0).why().code == failure::not_found);
  CHECK(r.resend(order, 5, 2).why().code == failure::invalid_request);
  responder foreign(w, "tn-b");
  CHECK(foreign.resend(order, 1, 0).why()
        == foreign.resend("ord-none", 1, 0).why());
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("a paused tenant waits durably and goes on at resume") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  responder r(w, "tn-a");
  const domain::pause_target tenant{
    domain::pause_scope::tenant, "tn-a", {}, {}};
  REQUIRE(r.pause(tenant).ok());
  CHECK(r.last_logged() == "pause tenant tn-a");
  const auto order = w.accepted("tn-a", "k1"); // accepted orders go on
  CHECK_FALSE(w.job("tn-a", order).has_value());
  CHECK(w.fulfillment("tn-a", order).waiting->cause
        == domain::wait_cause::paused);
  serves(w, "tn-b", "k-b");
  w.restart();
  w.pass(1000);
  CHECK_FALSE(w.job("tn-a", order).has_value());
  REQUIRE(w.command("tn-a", order, domain::order_command::cancel).ok());
  REQUIRE(r.resume(tenant).ok());
  w.pass(100);
  CHECK(w.fulfillment("tn-a", order).position == 2);
  CHECK(w.sends("tn-a", order).size() == 2);
  CHECK(r.resume(tenant).why().code == failure::illegal_transition);
  w.check_invariants();
}

TEST_CASE("a paused consumer holds what comes and others go on") {
  world w;
  w.stock("tn-a", "sku-1", 100);
  responder r(w, "tn-a");
  const domain::pause_target consumer{
    domain::pause_scope::consumer, {}, std::string(fulfillment), {}};
  REQUIRE(r.pause(consumer).ok());
  const auto order = w.accepted("tn-a", "k1");
  CHECK(w.fulfillment("tn-a", order).position == 0);
  CHECK(w.notification("tn-a", order).position == 1);
  w.restart();
  CHECK(w.fulfillment("tn-a", order).position == 0);
  REQUIRE(r.resume(consumer).ok());
  CHECK(w.job("tn-a", order).has_value());
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("a paused relay publishes nothing, and all of it after") {
  world w;
  w.stock("tn-a", "sku-1", 100);
  responder r(w, "tn-a");
  const domain::pause_target relay{domain::pause_scope::relay, {}, {}, {}};
  REQUIRE(r.pause(relay).ok());
  const auto order = w.accepted("tn-a", "k1");
  w.pass(60'000, 1000);
  CHECK(w.notification("tn-a", order).position == 0);
  w.restart();
  w.pass(60'000, 1000);
  CHECK(w.notification("tn-a", order).position == 0);
  REQUIRE(r.resume(relay).ok());
  CHECK(w.job("tn-a", order).has_value());
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("a paused stream stands still, its neighbour does not") {
  world w;
  w.stock("tn-a", "sku-1", 100);
  const auto order = w.accepted("tn-a", "k1");
  responder r(w, "tn-a");
  const domain::pause_target stream{domain::pause_scope::stream, "tn-a",
                                    std::string(fulfillment), order};
  REQUIRE(r.pause(stream).ok());
  REQUIRE(w.command("tn-a", order, domain::order_command::complete).ok());
  CHECK(w.fulfillment("tn-a", order).position == 1);
  CHECK(w.notification("tn-a", order).position == 2);
  const auto other = w.accepted("tn-a", "k2");
  CHECK(w.job("tn-a", other).has_value());
  REQUIRE(r.resume(stream).ok());
  CHECK(w.fulfillment("tn-a", order).position == 2);
  serves(w, "tn-b", "k-b");
  w.check_invariants();
}

TEST_CASE("a change is in the log before its effect, whatever ends between") {
  for (const auto* verb : {"waive", "skip", "resend"}) {
    INFO(verb);
    world w;
    w.stock("tn-a", "sku-1", 10);
    const auto order = w.accepted("tn-a", "k1");
    w.publish({accepted_event("evt-rival", "tn-a", order, 1),
               cancelled_event("evt-3", "tn-a", "ord-gap", 2)});
    responder r(w, "tn-a");
    std::string fork;
    for (const auto& one : letters_of(w, fulfillment))
      if (one.cause == domain::dead_letter_cause::sequence_fork)
        fork = one.dead_letter_id;
    crash at(w, "ops.after_log");
    const std::string what(verb);
    if (what == "waive")
      REQUIRE(r.waive(fork).ok());
    else if (what == "skip")
      REQUIRE(r.skip("ord-gap", 1).ok());
    else
      REQUIRE(r.resend(order, 1, 0).ok());
    at.restart();
    CHECK(r.last_logged().find(what) == 0);
    checks_chain(r);
    // Nothing of the effect; it is asked for again and done once.
    if (what == "waive") {
      CHECK(r.letter(fork).state() == dead_letter_state::open);
      CHECK(r.waive(fork).ok());
    } else if (what == "skip") {
      CHECK(w.fulfillment("tn-a", "ord-gap").position == 0);
      CHECK(r.skip("ord-gap", 1).ok());
    }
    serves(w, "tn-b", "k-b");
  }
}

TEST_CASE("the live tail tells each verdict to whoever listens") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  std::vector<actors::tail_line> heard;
  auto listening =
    w.it->desk().tail([&](const auto& line) { heard.push_back(line); });
  const auto order = w.accepted("tn-a", "k1");
  REQUIRE(heard.size() == 3); // one a consumer
  CHECK(heard[0].aggregate_id == order);
  CHECK(heard[0].what == verdict::applied);
  listening.reset();
  (void)w.accepted("tn-a", "k2");
  CHECK(heard.size() == 3);
}

TEST_CASE("a waived record stays so when its event comes again") {
  world w;
  responder r(w, "tn-a");
  w.publish({accepted_event("evt-1", "tn-a", "ord-1")});
  const auto fork = accepted_event("evt-other", "tn-a", "ord-1");
  w.publish({fork});
  const auto letter = only_letter(w, fulfillment);
  CHECK(r.waive(letter).ok());
  CHECK(r.letter(letter).state() == domain::dead_letter_state::waived);
  w.pass(1000);
  w.publish({fork});
  CHECK(r.letter(letter).state() == domain::dead_letter_state::waived);
  CHECK(r.letter(letter).seen == 2);
  // Nothing of it is kept that nobody would ever look at.
  CHECK_FALSE(
    w.it->store()
      .read()
      .get(storage::owner::fulfillment, storage::aside_key("tn-a", letter))
      .has_value());
  CHECK(unsettled(w) == 0);
  w.check_invariants();
}

TEST_CASE("a resume that meets a row on its way forgets nobody") {
  // What is parked while its stream is paused is in the index of waiting
  // streams once it is durable; a resume in between must still find it.
  for (const std::uint64_t steps : {0, 5, 10, 15, 20, 25, 30, 35, 40, 50, 60}) {
    CAPTURE(steps);
    world w;
    w.stock("tn-a", "sku-1", 10);
    responder r(w, "tn-a");
    const domain::pause_target tenant{
      domain::pause_scope::tenant, "tn-a", {}, {}};
    REQUIRE(r.pause(tenant).ok());
    const auto placed = w.send(world::request("tn-a", "k"));
    for (std::uint64_t i = 0; i < steps && w.scheduler->has_job(); ++i)
      w.scheduler->run_once();
    REQUIRE(r.resume(tenant).ok());
    w.run();
    const auto& answer = placed->value();
    REQUIRE(answer.what == actors::place_answer::kind::accepted);
    CHECK(w.job("tn-a", answer.order_id).has_value());
    CHECK(w.sends("tn-a", answer.order_id).size() == 1);
    w.check_invariants();
  }
}
