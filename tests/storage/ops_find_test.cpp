// Finding by any id, the causal line, and streams that were redirected.
#include "storage/ops_view.hpp"
#include "tests/storage/status_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace parcelflow;
using storage::owner;
using test::noon;
using test::status_fixture;

namespace {

const std::string order_id = "ord-" + test::first_ulid;
const std::string event_id = "evt-" + test::first_ulid + "-1";
const std::string fulfillment(domain::fulfillment_consumer);

class found_fixture : public status_fixture {
public:
  found_fixture() : ops(*store) {
    auto order = an_order("acme", order_id);
    put(order);
    publish(1, 1);
    finish(order, domain::via::replay, "rpl-1");
    letter("acme", "dl-1", domain::dead_letter_cause::attempts_exhausted,
           fulfillment, order_id);
    put(owner::dead_letter,
        storage::dead_letter_order_key("acme", order_id, "dl-1"),
        std::string("\x01\0", 2));
    domain::replay replay;
    replay.replay_id = "rpl-1";
    replay.plan_id = "pln-1";
    replay.actor = "ann";
    replay.reason = "deployed";
    replay.state = domain::replay_state::finished;
    replay.started_at = noon + 6;
    replay.ended_at = noon + 12;
    put(owner::dead_letter, storage::replay_key("acme", "rpl-1"),
        domain::encode(replay));
  }
  /// "kind/matched kind/matched", sorted.
  std::string found(const std::string& tenant, const std::string& id) const {
    const auto all = ops.find(tenant, id);
    REQUIRE(all.ok());
    std::vector<std::string> texts;
    for (const auto& one : *all)
      texts.push_back(one.kind + "/" + one.matched);
    std::sort(texts.begin(), texts.end());
    std::string text;
    for (const auto& one : texts)
      text += (text.empty() ? "" : " ") + one;
    return text;
  }
  /// "what@where" of each step.
  std::vector<std::string> line(const std::string& id) const {
    const auto explained = ops.explain("acme", id, noon + 100);
    REQUIRE(explained.ok());
    std::vector<std::string> texts;
    support::unix_ms last = 0;
    for (const auto& step : explained->steps) {
      CHECK(step.at >= last);
      last = step.at;
      texts.push_back(step.what + "@" + step.where);
    }
    return texts;
  }

  storage::ops_view ops;
};

} // namespace

TEST_CASE("an object is found by every id that it bears") {
  found_fixture rows;
  const struct {
    std::string id;
    const char* as;
  } ids[] = {
    {order_id, "order/order_id"},
    {event_id, "dead_letter/event_id event/event_id"},
    {"key-" + order_id, "order/idempotency_key"},
    {"4bf92f3577b34da6a3ce929d0e0e4736", "order/trace_id"},
    {"ful-" + order_id, "fulfillment/fulfillment_id"},
    {"ntf-" + order_id, "notification/notification_id"},
    {"dl-1", "dead_letter/dead_letter_id"},
    {"rpl-1", "replay/replay_id"},
    {"pln-1", "replay/plan_id"},
  };
  for (const auto& one : ids) {
    CAPTURE(one.id);
    CHECK(rows.found("acme", one.id) == one.as);
    CHECK(rows.found("globex", one.id).empty());
    CHECK(rows.found("acm", one.id).empty());
  }
  for (const auto* none : {"", "ful-", "ntf-none", "pln-", "evt-701"})
    CHECK(rows.found("acme", none).empty());
}

TEST_CASE("a foreign event id is found by the consumers' index") {
  found_fixture rows;
  rows.put(owner::notification,
           storage::foreign_event_key(
             "acme", std::string(domain::notification_consumer), "evt-701"),
           storage::encode(domain::event_place{"ord-x", 1}));
  const auto all = rows.ops.find("acme", "evt-701");
  REQUIRE(all->size() == 1);
  CHECK(all->front().kind == "event");
  CHECK(all->front().order_id == "ord-x");
  CHECK(rows.ops.find("globex", "evt-701")->empty());
}

TEST_CASE("the causal line goes from the request to the replay") {
  found_fixture rows;
  const auto line = rows.line(order_id);
  for (const auto* step :
       {"requested@order", "reserved@inventory", "authorized@payment",
        "committed@order", "published@relay", "dead_letter_opened@dead_letter",
        "replay_started@dead_letter", "applied@fulfillment-v1",
        "effect@fulfillment", "applied@notification-v1", "effect@notification",
        "replay_ended@dead_letter"})
    CHECK_MESSAGE(std::find(line.begin(), line.end(), step) != line.end(),
                  step);
  CHECK(line.front() == "requested@order");
  CHECK(line.back() == "replay_ended@dead_letter");
  CHECK(rows.line(event_id) == line);
  CHECK(rows.ops.explain("globex", order_id, noon).why()
        == rows.ops.explain("x", "y", noon).why());
}

TEST_CASE("a failed attempt stands once in the causal line") {
  found_fixture rows;
  auto order = status_fixture::an_order("acme", "ord-b", 2);
  rows.put(order);
  domain::stream_row row;
  row.waiting = {domain::wait_cause::retry, noon + 30, 1};
  rows.stream(owner::fulfillment, fulfillment, order, row);
  storage::room_row room;
  room.event_id = "evt-b";
  room.attempts = {{noon + 31, "no luck"}};
  rows.room(owner::fulfillment, fulfillment, order, 1, room);
  domain::dead_letter letter;
  letter.consumer = fulfillment;
  letter.aggregate_id = "ord-b";
  letter.event_id = "evt-b";
  letter.attempts = room.attempts;
  letter.steps = {{domain::dead_letter_state::open, "system", "", noon + 32}};
  rows.put(owner::dead_letter, storage::dead_letter_key("acme", "dl-b"),
           domain::encode(letter));
  rows.put(owner::dead_letter,
           storage::dead_letter_order_key("acme", "ord-b", "dl-b"),
           std::string("\x01\0", 2));
  const auto line = rows.line("ord-b");
  CHECK(std::count(line.begin(), line.end(), "attempt_failed@fulfillment-v1")
        == 1);
  CHECK(std::count(line.begin(), line.end(), "waits@fulfillment-v1") == 1);
}

namespace {

/// A stream whose acceptance v1 could not take, handed to v2, applied there.
struct redirected : found_fixture {
  redirected() : order(an_order("acme", "ord-r", 2)) {
    put(order);
    put(owner::fulfillment, storage::clean_stop_key("fulfillment-v2"), "\x01");
    domain::stream_row source;
    source.forward_to = "fulfillment-v2";
    stream(owner::fulfillment, fulfillment, order, source);
    target.came_from = fulfillment;
    target.waiting = {domain::wait_cause::exhausted, noon + 3, 1};
    stream(owner::fulfillment, "fulfillment-v2", order, target);
    storage::room_row room;
    room.mode = storage::room_mode::quarantined;
    room.dead_letter_id = "dl-r";
    this->room(owner::fulfillment, "fulfillment-v2", order, 1, room);
  }
  void apply() {
    target.waiting.reset();
    target.position = 1;
    target.recent = {{1,
                      "evt-r",
                      {},
                      domain::inbox_mark::applied,
                      domain::via::replay,
                      {},
                      "rpl-1",
                      noon + 9}};
    target.effect = domain::encode(domain::fulfillment_job{
      "ful-ord-r", domain::job_state::started, noon + 9, 0});
    stream(owner::fulfillment, "fulfillment-v2", order, target);
  }
  domain::order order;
  domain::stream_row target;
};

} // namespace

TEST_CASE("a redirected stream is shown where it is now") {
  redirected rows;
  auto stage = rows.progress(rows.order).fulfillment_started;
  CHECK(stage.state == domain::stage_state::held);
  CHECK(stage.dead_letter_id == "dl-r");
  rows.apply();
  stage = rows.progress(rows.order).fulfillment_started;
  CHECK(stage.state == domain::stage_state::recovered);
  CHECK(stage.id == "ful-ord-r");
  CHECK(stage.replay_id == "rpl-1");
  CHECK(rows.found("acme", "ful-ord-r") == "fulfillment/fulfillment_id");
}

TEST_CASE("evidence says where a stream was redirected to") {
  redirected rows;
  rows.apply();
  const auto shown = rows.view.evidence("acme", "ord-r", noon);
  REQUIRE(shown->consumers.size() == 4);
  CHECK(shown->consumers[0].redirected_to == "fulfillment-v2");
  CHECK(shown->consumers[3].consumer == "fulfillment-v2");
  CHECK(shown->consumers[3].came_from == fulfillment);
  CHECK(shown->consumers[3].position == 1);
  // Another order has not seen it.
  CHECK(rows.view.evidence("acme", order_id, noon)->consumers.size() == 3);

  rows.letter("acme", "dl-r", domain::dead_letter_cause::attempts_exhausted,
              fulfillment, "ord-r", "evt-r");
  const auto letter = rows.view.dead_letter_evidence("acme", "dl-r", {});
  CHECK(letter->redirected_to == "fulfillment-v2");
  CHECK(letter->position == 1);
  REQUIRE(letter->result.has_value());
  CHECK(letter->effect_id == "ful-ord-r");
  const auto line = rows.line("ord-r");
  CHECK(std::count(line.begin(), line.end(), "taken_over@fulfillment-v2") == 1);
}

TEST_CASE("entries from before a redirect are found at the one before") {
  redirected rows;
  rows.target.waiting.reset();
  rows.target.position = 9; // taken over there, its inbox stayed behind
  rows.target.start_mark = 9;
  rows.target.effect = domain::encode(domain::fulfillment_job{
    "ful-ord-r", domain::job_state::started, noon + 2, 0});
  rows.stream(owner::fulfillment, "fulfillment-v2", rows.order, rows.target);
  rows.put(owner::fulfillment,
           storage::inbox_entry_key("acme", fulfillment, "ord-r", 1),
           domain::encode(domain::inbox_entry{1,
                                              "evt-r",
                                              {},
                                              domain::inbox_mark::applied,
                                              domain::via::replay,
                                              {},
                                              "rpl-1",
                                              noon + 2}));
  CHECK(rows.progress(rows.order).fulfillment_started.state
        == domain::stage_state::recovered);
}
