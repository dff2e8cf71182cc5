// A host of consumers alone: what it applies, what it sets aside and tells, and
// when it settles. Bus, committer and dead-letter owner say what the test says.
#include "tests/actors/lone_consumers.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using cause = domain::dead_letter_cause;
using test::answer_to;
using test::lone_consumers;
using test::taken;
using tokens = std::vector<std::uint64_t>;

TEST_CASE("each consumer takes events once the start is durable") {
  lone_consumers f(false);
  CHECK(f.bus.sinks.empty());
  CHECK(f.recovered == 0);
  f.commit();
  CHECK(f.bus.sinks.size() == 2);
  CHECK(f.recovered == 2);
}

TEST_CASE("an event is applied and acknowledged in one round, by each alone") {
  lone_consumers f;
  f.deliver({f.carrying(f.about("tn-a", 1)), f.carrying(f.about("tn-b", 1))});
  f.deliver("tn-a", 2);
  CHECK(f.settled().empty());
  CHECK(f.stream("tn-a").position == 0);
  f.commit_all();
  CHECK(f.settled() == tokens{1, 2, 3});
  CHECK(f.stream("tn-a").position == 2);
  CHECK(f.stream("tn-a").effect == "++"); // the second saw the first's record
  CHECK(f.stream("tn-b").effect == "+");
  // The other consumer of the same family knows nothing of it yet.
  CHECK(f.stream("tn-a", f.v2).position == 0);
  f.deliver("tn-a", 1, f.v2);
  f.commit();
  CHECK(f.settled(f.v2) == tokens{4});
  CHECK(f.settled().empty());
  CHECK(f.stream("tn-a", f.v2).effect == "+");
  CHECK(f.stream("tn-a").position == 2);
}

TEST_CASE("a duplicate writes nothing, and waits for the round of the first") {
  lone_consumers f;
  f.deliver("tn-a", 1);
  f.deliver("tn-a", 1);
  CHECK(f.settled().empty());
  f.deliver("tn-b", 1);
  f.commit_all();
  CHECK(f.settled() == tokens{1, 2, 3});
  f.deliver("tn-a", 1);
  CHECK(f.held.empty());
  CHECK(f.settled() == tokens{4});
  CHECK(f.calls["tn-a"] == 1);
  CHECK(f.calls["tn-b"] == 1);
}

namespace {

/// What is not applied, each after tn-a's first event was.
struct refusal {
  cause why;
  bus::delivery what;
  bool waits; ///< its stream does, for what is missing or for a responder
};

std::vector<refusal> refusals() {
  const auto with = [](std::uint64_t sequence, auto&& change) {
    auto of = lone_consumers::about("tn-a", sequence);
    change(of);
    return lone_consumers::carrying(std::move(of));
  };
  bus::delivery broken;
  broken.raw =
    std::make_shared<const std::string>(R"({"tenantId":"tn-a","eventId":1})");
  broken.why = {domain::failure::invalid_envelope, "no id"};
  return {
    {cause::sequence_gap, with(3, [](auto&) {}), true},
    {cause::unsupported_version, with(2, [](auto& e) { e.event_version = 2; }),
     true},
    {cause::sequence_fork, with(1, [](auto& e) { e.event_id = "e-other"; }),
     false},
    {cause::sequence_fork, with(1, [](auto& e) { e.data = R"({"x":1})"; }),
     false},
    {cause::sequence_fork, // its id was used at another place
     with(2, [](auto& e) { e.event_id = "e-tn-a-o-1-1"; }), false},
    {cause::invalid_envelope, broken, false},
  };
}

} // namespace

TEST_CASE("what is not applied is kept, then told, then acknowledged") {
  for (const auto& one : refusals()) {
    CAPTURE(to_string(one.why));
    lone_consumers f;
    f.deliver("tn-a", 1);
    f.commit();
    f.settled();
    auto other = f.carrying(f.about("tn-b", 1));
    f.deliver({one.what, other});
    CHECK(f.dead_letter.tells.empty());
    f.commit_all();
    REQUIRE(f.dead_letter.tells.size() == 1);
    const auto tell = taken(f.dead_letter.tells)[0];
    CHECK(tell->consumer == f.v1);
    CHECK(tell->tenant_id == "tn-a");
    CHECK(tell->row.opened->cause == one.why);
    CHECK(f.settled() == tokens{3}); // tn-b's alone, while nobody answers
    f.deliver({one.what});           // again, meanwhile: waits as well
    f.commit_all();
    CHECK(f.settled().empty());
    auto wrong = answer_to(*tell);
    wrong.generation += 1;
    f.told(wrong);
    wrong = answer_to(*tell);
    wrong.consumer = f.v2;
    f.told(wrong);
    wrong = answer_to(*tell);
    wrong.tenant_id = "tn-b";
    f.told(wrong);
    CHECK(f.held.empty());
    f.told(answer_to(*tell));
    f.told(answer_to(*tell));
    CHECK(f.settled().empty()); // that it was told is not durable yet
    f.commit_all();
    CHECK(f.settled() == tokens{2, 4});
    f.deliver({one.what}); // and later: counted there, told no more
    CHECK(f.settled() == tokens{5});
    CHECK(f.held.empty());
    CHECK(f.dead_letter.tells.empty());
    REQUIRE(f.dead_letter.again.size() == 1);
    CHECK(f.dead_letter.again[0].dead_letter_id == tell->dead_letter_id);
    CHECK(f.calls["tn-a"] == 1);
    CHECK(f.stream("tn-a").position == 1);
    CHECK(f.stream("tn-a").waiting.has_value() == one.waits);
    CHECK(f.stream("tn-b").position == 1);
  }
}

TEST_CASE("what comes behind waits without a record, and follows in sequence") {
  lone_consumers f;
  f.deliver({f.carrying(f.about("tn-a", 3)), f.carrying(f.about("tn-a", 2)),
             f.carrying(f.about("tn-b", 1))});
  f.commit_all();
  CHECK(f.settled() == tokens{2, 3}); // the first one's record is awaited
  REQUIRE(f.dead_letter.tells.size() == 1);
  CHECK(f.room("tn-a", 2)->mode == storage::room_mode::behind);
  f.deliver("tn-a", 1);
  f.commit_all();
  CHECK(f.stream("tn-a").position == 3);
  CHECK(f.stream("tn-a").effect == "+++");
  CHECK_FALSE(f.stream("tn-a").waiting.has_value());
  // Opened and closed are told under one id; only the last answer counts.
  REQUIRE(f.dead_letter.tells.size() == 2);
  CHECK(f.dead_letter.tells[1]->row.opened.has_value());
  CHECK(f.dead_letter.tells[1]->row.closed.has_value());
  f.settled();
  f.told(answer_to(*f.dead_letter.tells[0]));
  CHECK(f.held.empty());
  f.told(answer_to(*f.dead_letter.tells[1]));
  f.commit_all();
  CHECK(f.settled() == tokens{1});
  CHECK(f.stream("tn-b").position == 1);
}

TEST_CASE("a hole is asked for, ever more seldom while the owner is silent") {
  lone_consumers f;
  f.deliver({f.carrying(f.about("tn-a", 3)), f.carrying(f.about("tn-b", 1))});
  f.commit_all();
  f.pass(1999);
  CHECK(f.order.resend.empty());
  for (const support::unix_ms pause : {1, 2000, 4000, 8000}) {
    f.pass(pause - 1);
    CHECK(f.order.resend.empty());
    f.pass(1);
    const auto asked = taken(f.order.resend);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].consumer == f.v1);
    CHECK(asked[0].tenant_id == "tn-a");
    CHECK(asked[0].from == 1);
    CHECK(asked[0].to == 2);
  }
  f.deliver("tn-a", 1); // half of it comes, and the rest is asked for afresh
  f.commit_all();
  f.pass(16'000);
  REQUIRE_FALSE(f.order.resend.empty());
  CHECK(f.order.resend.back().from == 2);
  f.deliver("tn-a", 2);
  f.commit_all();
  f.order.resend.clear();
  f.pass(120'000);
  CHECK(f.order.resend.empty());
  CHECK(f.stream("tn-a").position == 3);
}
