#include "support/log.hpp"
#include "tests/storage/status_fixture.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using domain::stage_state;
using storage::owner;
using test::noon;
using test::status_fixture;

namespace {

const std::string order_id = "ord-" + test::first_ulid;

domain::order acme_order() {
  return status_fixture::an_order("acme", order_id);
}

} // namespace

TEST_CASE("an order that nobody moved is accepted and nothing else") {
  status_fixture rows;
  rows.put(acme_order());
  const auto progress = rows.progress(acme_order());
  CHECK(progress.accepted.state == stage_state::done);
  CHECK(progress.accepted.at == noon);
  CHECK(progress.published.state == stage_state::pending);
  CHECK(progress.fulfillment_started.state == stage_state::pending);
  CHECK(progress.notified.state == stage_state::pending);
}

TEST_CASE("a receipt that covers the position makes it published") {
  status_fixture rows;
  auto order = status_fixture::an_order("acme", order_id, 7);
  rows.put(order);
  rows.publish(8, 9); // a later run proves nothing
  CHECK(rows.progress(order).published.state == stage_state::pending);
  rows.publish(5, 7);
  const auto published = rows.progress(order).published;
  CHECK(published.state == stage_state::done);
  CHECK(published.at == noon + 5);
  CHECK(published.id == "log-7");
  CHECK(rows.progress(order).fulfillment_started.state
        == stage_state::pending); // delivery never counts as done
}

TEST_CASE("a cursor without a receipt is no proof, and is logged once") {
  status_fixture rows;
  const auto order = status_fixture::an_order("acme", order_id, 7);
  rows.put(order);
  rows.put(owner::relay, storage::relay_cursor_key(storage::the_lane),
           std::string("\x01\0", 2)
             + storage::outbox_key(storage::the_lane, 9));
  std::string said;
  std::size_t lines = 0;
  const support::log::redirection catching([&](std::string_view line) {
    said = line;
    lines += 1;
  });
  for (int i = 0; i < 3; ++i) {
    const auto published = rows.progress(order).published;
    CHECK(published.state == stage_state::pending);
    CHECK(published.at == 0);
  }
  CHECK(lines == 1);
  CHECK(said.find(domain::own_event_id(order_id, 1)) != std::string::npos);
}

TEST_CASE("a stream held at the producer is delayed, then held") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  storage::held_stream held{1, 1, {{noon + 1, "refused"}}, noon + 50, {}};
  rows.hold(order, held);
  auto published = rows.progress(order).published;
  CHECK(published.state == stage_state::delayed);
  CHECK(published.since == noon + 1);
  CHECK(published.next_attempt_at == noon + 50);
  held.dead_letter_id = "dl-1";
  rows.hold(order, held);
  published = rows.progress(order).published;
  CHECK(published.state == stage_state::held);
  CHECK(published.dead_letter_id == "dl-1");
}

TEST_CASE("a stream held at a later event leaves the acceptance published") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  rows.publish(1, 1);
  rows.hold(order, {2, 2, {{noon, "refused"}}, noon + 50, {}});
  CHECK(rows.progress(order).published.state == stage_state::done);
}

TEST_CASE("what the owners committed is done, with the ids of the effects") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  rows.finish(order);
  const auto progress = rows.progress(order);
  CHECK(progress.fulfillment_started.state == stage_state::done);
  CHECK(progress.fulfillment_started.id == "ful-" + order_id);
  CHECK(progress.fulfillment_started.at == noon + 9);
  CHECK(progress.notified.state == stage_state::done);
  CHECK(progress.notified.id == "ntf-" + order_id);
}

TEST_CASE("what a replay applied is recovered and names the replay") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  rows.finish(order, domain::via::replay, "rpl-1");
  CHECK(rows.progress(order).notified.state == stage_state::recovered);
  CHECK(rows.progress(order).notified.replay_id == "rpl-1");
}

TEST_CASE("a waiting stream is delayed or held by its cause") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  domain::stream_row row;
  storage::room_row room;
  const auto stage_when = [&](domain::wait_cause cause) {
    row.waiting = {cause, noon + 3, 1};
    rows.stream(owner::fulfillment, domain::fulfillment_consumer, order, row);
    return rows.progress(order).fulfillment_started;
  };
  CHECK(stage_when(domain::wait_cause::gap).state == stage_state::delayed);
  room.next_at = noon + 70;
  rows.room(owner::fulfillment, domain::fulfillment_consumer, order, 1, room);
  const auto retry = stage_when(domain::wait_cause::retry);
  CHECK(retry.state == stage_state::delayed);
  CHECK(retry.since == noon + 3);
  CHECK(retry.next_attempt_at == noon + 70);
  room.dead_letter_id = "dl-7";
  rows.room(owner::fulfillment, domain::fulfillment_consumer, order, 1, room);
  for (const auto cause :
       {domain::wait_cause::unsupported, domain::wait_cause::exhausted}) {
    CHECK(stage_when(cause).state == stage_state::held);
    CHECK(stage_when(cause).dead_letter_id == "dl-7");
  }
}

TEST_CASE("an acceptance that was skipped is held, not done") {
  status_fixture rows;
  auto order = acme_order();
  rows.put(order);
  domain::stream_row row;
  row.position = 1;
  row.recent = {{1,
                 "evt",
                 {},
                 domain::inbox_mark::skipped,
                 domain::via::delivery,
                 "dl-9",
                 {},
                 noon + 4}};
  rows.stream(owner::fulfillment, domain::fulfillment_consumer, order, row);
  const auto stage = rows.progress(order).fulfillment_started;
  CHECK(stage.state == stage_state::held);
  CHECK(stage.dead_letter_id == "dl-9");
}

TEST_CASE("an order is found by its key and by its events") {
  status_fixture rows;
  rows.put(acme_order());
  CHECK(rows.view.order_by_key("acme", "key-" + order_id)->order.order_id
        == order_id);
  const auto event = "evt-" + test::first_ulid;
  CHECK(rows.view.order_by_event("acme", event + "-1")->order.order_id
        == order_id);
  for (const auto& other : {event + "-2", event + "-", event + "-01",
                            std::string("evt-701"), std::string()})
    CHECK(rows.view.order_by_event("acme", other).why().code
          == domain::failure::not_found);
}

TEST_CASE("another tenant's rows are not found, in the same words") {
  status_fixture rows;
  rows.put(acme_order());
  rows.letter("acme", "dl-1", domain::dead_letter_cause::stale, "c");
  rows.put(owner::inventory, storage::stock_key("acme", "sku-1"),
           domain::encode(domain::stock{5, 1}));
  const auto& view = rows.view;
  CHECK(view.order("globex", order_id).why() == view.order("x", "y").why());
  CHECK(view.order_by_key("globex", "key-" + order_id).why()
        == view.order_by_key("x", "y").why());
  CHECK(view.evidence("globex", order_id, noon).why()
        == view.evidence("x", "y", noon).why());
  CHECK(view.dead_letter("globex", "dl-1").why()
        == view.dead_letter("x", "y").why());
  CHECK(view.stock("globex", "sku-1").why() == view.stock("x", "y").why());
  CHECK(view.orders("globex", {}, {})->items.empty());
  CHECK(view.stock_list("globex", {})->items.empty());
  // A tenant whose name begins like another's is another tenant.
  CHECK(view.orders("acm", {}, {})->items.empty());
}

TEST_CASE("pages follow each other without a row lost or repeated") {
  status_fixture rows;
  for (const auto* name : {"a", "b", "c", "d", "e"})
    rows.put(status_fixture::an_order("acme", std::string("ord-") + name));
  rows.put(status_fixture::an_order("acmf", "ord-f"));
  std::string seen;
  storage::page_request next{{}, 2};
  do {
    const auto page = rows.view.orders("acme", {}, next);
    REQUIRE(page.ok());
    for (const auto& one : page->items)
      seen += one.order.order_id.back();
    next.after = page->next;
  } while (!next.after.empty());
  CHECK(seen == "abcde");
}

TEST_CASE("orders are filtered by state and by how long they stand open") {
  status_fixture rows;
  auto open = status_fixture::an_order("acme", "ord-open");
  auto done = status_fixture::an_order("acme", "ord-done");
  done.steps.push_back({domain::order_state::completed, 2, 2, noon + 20});
  rows.put(open);
  rows.put(done);
  rows.finish(done);
  storage::order_filter filter;
  filter.state = domain::order_state::completed;
  auto page = rows.view.orders("acme", filter, {});
  REQUIRE(page->items.size() == 1);
  CHECK(page->items[0].order.order_id == "ord-done");
  filter = {};
  filter.unfinished_since = noon;
  page = rows.view.orders("acme", filter, {});
  REQUIRE(page->items.size() == 1);
  CHECK(page->items[0].order.order_id == "ord-open");
  filter.unfinished_since = noon - 1;
  CHECK(rows.view.orders("acme", filter, {})->items.empty());
}

TEST_CASE("a payload is apart from its dead letter") {
  status_fixture rows;
  rows.letter("acme", "dl-1", domain::dead_letter_cause::stale, "one");
  CHECK(*rows.view.dead_letter_payload("acme", "dl-1") == "the bytes");
  CHECK(rows.view.dead_letter("acme", "dl-1")->payload.empty());
  CHECK(rows.view.dead_letter_evidence("acme", "dl-1", {})->payload_bytes == 9);
  CHECK(rows.view.dead_letter_payload("globex", "dl-1").why()
        == rows.view.dead_letter_payload("x", "y").why());
}

TEST_CASE("evidence names events, receipts, inbox, attempts and reservation") {
  status_fixture rows;
  auto order = acme_order();
  order.steps.push_back({domain::order_state::cancelled, 2, 2, noon + 20});
  rows.put(order);
  rows.publish(1, 1);
  rows.finish(order);
  domain::stream_row row;
  row.position = 1;
  row.waiting = {domain::wait_cause::retry, noon + 30, 1};
  rows.stream(owner::inventory, domain::inventory_consumer, order, row);
  storage::room_row room;
  room.attempts = {{noon + 30, "no luck"}};
  rows.room(owner::inventory, domain::inventory_consumer, order, 2, room);
  domain::reservation reservation;
  reservation.state = domain::reservation_state::confirmed;
  rows.put(owner::inventory,
           storage::reservation_key("acme", order.reservation_id),
           domain::encode(reservation));
  rows.put(owner::dead_letter,
           storage::dead_letter_order_key("acme", order_id, "dl-3"),
           std::string("\x01\0", 2));

  const auto shown = rows.view.evidence("acme", order_id, noon + 120);
  REQUIRE(shown.ok());
  REQUIRE(shown->events.size() == 2);
  CHECK(shown->events[0].receipt->broker_message_id == "log-1");
  CHECK(shown->events[0].unpublished_age_ms == 0);
  CHECK_FALSE(shown->events[1].receipt.has_value());
  CHECK(shown->events[1].unpublished_age_ms == 100);
  REQUIRE(shown->consumers.size() == 3);
  CHECK(shown->consumers[0].inbox.size() == 1);
  const auto& inventory = shown->consumers[2];
  CHECK(inventory.waiting_sequence == 2);
  REQUIRE(inventory.rolled_back.size() == 1);
  CHECK(inventory.rolled_back[0].cause == "no luck");
  CHECK(shown->reservation == domain::reservation_state::confirmed);
  CHECK(shown->dead_letter_ids == std::vector<std::string>{"dl-3"});
}

TEST_CASE("a row that does not parse is an error, never half an answer") {
  status_fixture rows;
  rows.put(acme_order());
  rows.put(owner::fulfillment,
           storage::stream_key("acme", domain::fulfillment_consumer, order_id),
           "\x01");
  CHECK(rows.view.order("acme", order_id).why().code
        == domain::failure::storage_corrupt);
  CHECK(rows.view.orders("acme", {}, {}).why().code
        == domain::failure::storage_corrupt);
}

TEST_CASE("a dead letter's evidence has its result and a stream that moved") {
  status_fixture rows;
  rows.letter("acme", "dl-1", domain::dead_letter_cause::attempts_exhausted,
              std::string(domain::fulfillment_consumer), order_id);
  auto found = rows.view.dead_letter_evidence("acme", "dl-1", {});
  REQUIRE(found.ok());
  CHECK_FALSE(found->result.has_value());
  CHECK_FALSE(found->control.has_value());

  rows.finish(acme_order(), domain::via::replay, "rpl-1");
  rows.finish(status_fixture::an_order("globex", "ord-2"));
  rows.finish(status_fixture::an_order("_control", "ord-3"));
  found = rows.view.dead_letter_evidence("acme", "dl-1", {"acme", "globex"});
  REQUIRE(found->result.has_value());
  CHECK(found->result->door == domain::via::replay);
  CHECK(found->effect_id == "ful-" + order_id);
  CHECK(found->control->tenant_id == "globex");
  CHECK(found->control->position == 1);
  found = rows.view.dead_letter_evidence("acme", "dl-1", {"acme"});
  CHECK(found->control->tenant_id == "_control");
  CHECK(rows.view.dead_letter_evidence("globex", "dl-1", {}).why()
        == rows.view.dead_letter_evidence("x", "y", {}).why());
}

TEST_CASE("another event at the same sequence is no result of a dead letter") {
  status_fixture rows;
  rows.finish(acme_order());
  rows.letter("acme", "dl-1", domain::dead_letter_cause::sequence_fork,
              std::string(domain::fulfillment_consumer), order_id, "evt-701");
  CHECK_FALSE(
    rows.view.dead_letter_evidence("acme", "dl-1", {})->result.has_value());
}
