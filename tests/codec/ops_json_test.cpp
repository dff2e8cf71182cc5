// The shapes that responders and their programs read.
#include "codec/ops_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace parcelflow;
using nlohmann::json;

namespace {

constexpr support::unix_ms noon = 1'800'000'000'000;
const codec::cursor_sealer veil(std::string(32, 'k'));
const codec::viewer tenant_operator{domain::role::tenant_operator, &veil};
const codec::viewer responder{domain::role::responder, &veil};
const codec::viewer admin{domain::role::admin, &veil};

} // namespace

TEST_CASE("a waiting stream has what it waits for; what is not known is out") {
  domain::waiting_stream of;
  of.consumer = "c";
  of.aggregate_id = "o";
  of.position = 4;
  of.cause = domain::wait_cause::gap;
  of.since = noon;
  of.rows = 2;
  of.first_waiting = 7;
  CHECK(codec::waiting_stream_json(of)
        == R"({"consumer":"c","aggregateId":"o","streamPosition":4,)"
           R"("expectedSequence":5,"cause":"gap",)"
           R"("since":"2027-01-15T08:00:00.000Z","events":2,)"
           R"("firstWaiting":7})");
  of.head_type = "T";
  of.head_version = 2;
  of.dead_letter_id = "dl-1";
  of.next_attempt_at = noon;
  const auto shown = json::parse(codec::waiting_stream_json(of));
  CHECK(shown["headType"] == "T");
  CHECK(shown["headVersion"] == 2);
  CHECK(shown["deadLetterId"] == "dl-1");
  CHECK(shown.contains("nextAttemptAt"));
}

TEST_CASE("a replay shows how far it came and where its items are") {
  domain::replay of;
  of.replay_id = "rpl-1";
  of.plan_id = "pln-1";
  of.tenant_id = "acme";
  of.filter_text = "text=\"a b\"";
  of.actor = "ann";
  of.started_at = noon;
  of.total = 5;
  of.counts.created_now = 2;
  of.counts.refused = 1;
  auto shown = json::parse(codec::replay_json(of));
  CHECK(shown["state"] == "running");
  CHECK(shown["filter"] == "text=\"a b\"");
  CHECK(shown["total"] == 5);
  CHECK(shown["done"] == 3);
  CHECK(shown["counts"]["createdNow"] == 2);
  CHECK(shown["counts"]["existedBefore"] == 0);
  CHECK(shown["counts"]["refused"] == 1);
  CHECK(shown["links"]["items"] == "/v1/replays/rpl-1/items");
  CHECK_FALSE(shown.contains("endedAt"));
  CHECK_FALSE(shown.contains("cancelledBy"));
}

TEST_CASE("an item says what was predicted and by which door it came") {
  domain::replay_item of;
  of.dead_letter_id = "dl-1";
  of.consumer = "c";
  of.sequence = 2;
  of.predicted = domain::verdict::applied;
  of.state = domain::item_state::existed_before;
  of.door = domain::via::replay;
  of.earlier_replay = "rpl-0";
  of.at = noon;
  auto shown = json::parse(codec::replay_item_json(of));
  CHECK(shown["predicted"] == "applied");
  CHECK(shown["state"] == domain::to_string(of.state));
  CHECK(shown["via"] == "replay");
  CHECK(shown["earlierReplayId"] == "rpl-0");
  of.state = domain::item_state::pending;
  shown = json::parse(codec::replay_item_json(of));
  CHECK_FALSE(shown.contains("via"));
}

TEST_CASE("a plan comes with its items if they are asked for") {
  domain::replay_plan of;
  of.plan_id = "pln-1";
  of.state = domain::plan_state::ready;
  of.expires_at = noon;
  of.items.resize(2);
  of.digest.fill(7);
  auto shown = json::parse(codec::plan_json(of, false));
  CHECK(shown["total"] == 2);
  CHECK(shown["state"] == "ready");
  CHECK(shown["planSha256"].get<std::string>().size() == 64);
  CHECK_FALSE(shown.contains("items"));
  CHECK(json::parse(codec::plan_json(of, true))["items"].size() == 2);
}

TEST_CASE("a tenant's operator is told no dead letter in a causal line") {
  domain::causal_line of;
  of.order_id = "o";
  of.steps = {{noon, "committed", "order", "evt-1", "in one batch", false},
              {noon, "dead_letter_opened", "dead_letter", "dl-1", "x", true}};
  const auto mine = codec::causal_line_json(of, tenant_operator);
  CHECK(mine.find("dl-1") == std::string::npos);
  CHECK(json::parse(mine)["steps"].size() == 1);
  const auto ours = json::parse(codec::causal_line_json(of, responder));
  CHECK(ours["steps"][1]["id"] == "dl-1");
}

TEST_CASE("a position in the operator log is an admin's alone") {
  domain::log_entry of;
  of.position = 4711;
  of.at = noon;
  of.actor = "ann";
  of.tenant_id = "acme";
  of.verb = "waive";
  of.target = "dl-1";
  of.reason = "old";
  const auto shown = json::parse(codec::log_entry_json(of, admin));
  CHECK(shown["position"] == "4711");
  CHECK(shown["allowed"] == true);
  CHECK(shown["count"] == 1);
  CHECK(codec::log_entry_json(of, responder).find("4711") == std::string::npos);
}

TEST_CASE("the rest of the shapes, byte for byte") {
  CHECK(codec::outbox_json({9, 7, 1, 30})
        == R"({"lastPosition":9,"publishedUpTo":7,"depth":2,)"
           R"("heldStreams":1,"oldestUnpublishedAgeMs":30})");
  CHECK(codec::tenant_json({"acme", 3, 2, noon, 1})
        == R"({"tenant":"acme","deadLettersOpen":3,"streamsWaiting":2,)"
           R"("oldestWaitingSince":"2027-01-15T08:00:00.000Z",)"
           R"("replaysRunning":1})");
  domain::pause_set pauses;
  CHECK(codec::pauses_json(pauses) == R"({"items":[]})");
  pauses.paused[{domain::pause_scope::stream, "acme", "", "o"}] = {"ann", "why",
                                                                   noon};
  CHECK(codec::pauses_json(pauses)
        == R"({"items":[{"scope":"stream","tenant":"acme",)"
           R"("aggregateId":"o","actor":"ann","reason":"why",)"
           R"("since":"2027-01-15T08:00:00.000Z"}]})");
  CHECK(codec::found_json({"event", "e", "o", "event_id"})
        == R"({"kind":"event","id":"e","orderId":"o",)"
           R"("matchedBy":"event_id"})");
  domain::chain_status chain;
  chain.entries = 2;
  CHECK(json::parse(codec::chain_json(chain))["intact"] == true);
  CHECK(codec::chain_json(
          domain::fault{domain::failure::storage_corrupt, "entry 4 is \"x\""})
        == R"({"intact":false,"why":"entry 4 is \"x\""})");
}
