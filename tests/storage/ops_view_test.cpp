// What responders look at, from rows staged by hand: waiting streams, replays,
// the outbox, tenants, pauses, the operator log.
#include "codec/event_json.hpp"
#include "codec/log_chain.hpp"
#include "storage/letter_counts.hpp"
#include "storage/ops_view.hpp"
#include "tests/storage/status_fixture.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using domain::wait_cause;
using storage::owner;
using test::noon;
using test::status_fixture;

namespace {

const std::string fulfillment(domain::fulfillment_consumer);
const std::string notification(domain::notification_consumer);

class ops_fixture : public status_fixture {
public:
  ops_fixture() : ops(*store) {}

  void waiting(owner of, const std::string& tenant, const std::string& consumer,
               const std::string& aggregate, wait_cause cause,
               support::unix_ms since, std::uint64_t position = 0) {
    domain::stream_row row;
    row.position = position;
    row.waiting = {cause, since, 1};
    put(of, storage::stream_key(tenant, consumer, aggregate),
        domain::encode(row));
    put(of, storage::waiting_stream_key(tenant, consumer, aggregate),
        std::string("\x01\0", 2));
  }
  void in_room(owner of, const std::string& consumer,
               const std::string& aggregate, std::uint64_t sequence,
               const storage::room_row& row) {
    put(of, storage::waiting_room_key("acme", consumer, aggregate, sequence),
        storage::encode(row));
  }
  void replay(const std::string& tenant, const std::string& id,
              domain::replay_state state = domain::replay_state::running) {
    domain::replay of;
    of.tenant_id = tenant;
    of.replay_id = id;
    of.plan_id = "pln-" + id.substr(4);
    of.state = state;
    of.started_at = noon;
    of.ended_at = state == domain::replay_state::running ? 0 : noon + 1;
    of.total = 3;
    put(owner::dead_letter, storage::replay_key(tenant, id),
        domain::encode(of));
  }
  void log(std::uint64_t position, const std::string& tenant,
           bool damaged = false) {
    domain::log_entry entry;
    entry.position = position;
    entry.at = noon;
    entry.actor = "ann";
    entry.tenant_id = tenant;
    entry.verb = "waive";
    entry.previous = head_;
    entry.digest = codec::chain_digest(entry);
    head_ = entry.digest;
    if (damaged)
      entry.verb = "skip";
    put(owner::dead_letter, storage::operator_log_key(position),
        domain::encode(entry));
  }
  static std::string bytes_of(const std::string& aggregate,
                              std::uint64_t sequence,
                              const std::string& at = "2027-01-15T08:00:00Z") {
    domain::envelope of;
    of.event_id = "evt-x-" + std::to_string(sequence);
    of.event_type = "OrderAccepted";
    of.event_version = 2;
    of.tenant_id = "acme";
    of.aggregate_id = aggregate;
    of.aggregate_sequence = sequence;
    of.occurred_at = at;
    of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    of.data = "{}";
    return codec::make_event(of)->bytes;
  }
  void outbox(std::uint64_t position, const std::string& at) {
    put(owner::order, storage::outbox_key(storage::the_lane, position),
        storage::encode(storage::outbox_row{
          "acme", {}, bytes_of("ord-" + std::to_string(position), 1, at)}));
  }

  storage::ops_view ops;

private:
  domain::sha256_digest head_{};
};

template <class Fetch>
std::string all_pages(const Fetch& fetch) {
  std::string seen;
  storage::page_request next{{}, 1};
  do {
    const auto page = fetch(next);
    REQUIRE(page.ok());
    CHECK(page->items.size() <= 1);
    for (const auto& one : page->items) {
      if constexpr (requires { one.aggregate_id; })
        seen += one.consumer.substr(0, 1) + ":" + one.aggregate_id + " ";
      else if constexpr (requires { one.replay_id; })
        seen += one.replay_id + " ";
      else
        seen += std::to_string(one.position) + " ";
    }
    next.after = page->next;
  } while (!next.after.empty());
  return seen;
}

} // namespace

TEST_CASE("waiting streams say what they wait for and since when") {
  ops_fixture rows;
  rows.waiting(owner::fulfillment, "acme", fulfillment, "ord-1",
               wait_cause::unsupported, noon, 1);
  storage::room_row room;
  room.bytes = ops_fixture::bytes_of("ord-1", 2);
  room.dead_letter_id = "dl-1";
  rows.in_room(owner::fulfillment, fulfillment, "ord-1", 2, room);
  rows.waiting(owner::notification, "acme", notification, "ord-2",
               wait_cause::gap, noon + 1);
  room.bytes = "no envelope";
  room.dead_letter_id.clear(); // came later, and waits behind
  rows.in_room(owner::notification, notification, "ord-2", 3, room);
  room.dead_letter_id = "dl-2";
  rows.in_room(owner::notification, notification, "ord-2", 4, room);

  const auto page = rows.ops.streams("acme", "", {});
  REQUIRE(page->items.size() == 2);
  const auto& head = page->items[0];
  CHECK(head.consumer == fulfillment);
  CHECK(head.position == 1);
  CHECK(head.cause == wait_cause::unsupported);
  CHECK(head.since == noon);
  CHECK(head.first_waiting == 2);
  CHECK(head.head_type == "OrderAccepted");
  CHECK(head.head_version == 2);
  CHECK(head.dead_letter_id == "dl-1");
  const auto& gap = page->items[1];
  CHECK(gap.first_waiting == 3);
  CHECK(gap.head_type.empty());
  CHECK(gap.dead_letter_id == "dl-2");
}

TEST_CASE("waiting streams come page by page, of one consumer or of all") {
  ops_fixture rows;
  for (const auto* id : {"ord-1", "ord-2"}) {
    rows.waiting(owner::fulfillment, "acme", fulfillment, id, wait_cause::gap,
                 noon);
    rows.waiting(owner::notification, "acme", notification, id, wait_cause::gap,
                 noon);
    rows.waiting(owner::notification, "globex", notification, id,
                 wait_cause::gap, noon);
  }
  const auto pages = [&](const std::string& consumer) {
    return all_pages([&](const auto& page) {
      return rows.ops.streams("acme", consumer, page);
    });
  };
  rows.waiting(owner::audit_feed, "acme", "later", "ord-1", wait_cause::gap,
               noon); // of a consumer that came later
  CHECK(pages("") == "f:ord-1 f:ord-2 n:ord-1 n:ord-2 l:ord-1 ");
  CHECK(pages(notification) == "n:ord-1 n:ord-2 ");
  CHECK(pages("nobody").empty());
  CHECK(rows.ops.streams("acme", "", {"9", 1}).why().code
        == domain::failure::invalid_request);
}

TEST_CASE("replays come newest first, and items in their order") {
  ops_fixture rows;
  for (const auto* id : {"rpl-1", "rpl-2", "rpl-3"})
    rows.replay("acme", id);
  rows.replay("globex", "rpl-9");
  CHECK(
    all_pages([&](const auto& page) { return rows.ops.replays("acme", page); })
    == "rpl-3 rpl-2 rpl-1 ");
  CHECK(rows.ops.replay("acme", "rpl-2")->plan_id == "pln-2");
  for (std::uint64_t i = 0; i < 3; ++i) {
    domain::replay_item item;
    item.dead_letter_id = "dl";
    item.consumer = "c";
    item.aggregate_id = "ord-" + std::to_string(i);
    rows.put(owner::dead_letter, storage::replay_item_key("acme", "rpl-2", i),
             domain::encode(item));
  }
  CHECK(all_pages([&](const auto& page) {
          return rows.ops.replay_items("acme", "rpl-2", page);
        })
        == "c:ord-0 c:ord-1 c:ord-2 ");
  CHECK(rows.ops.replay("globex", "rpl-2").why()
        == rows.ops.replay("x", "y").why());
  CHECK(rows.ops.replay_items("globex", "rpl-2", {}).why()
        == rows.ops.replay("x", "y").why());
}

TEST_CASE("the outbox says how much is not published and how old it is") {
  ops_fixture rows;
  CHECK(rows.ops.outbox(noon).depth() == 0);
  rows.outbox(1, "2027-01-15T07:59:58Z"); // held
  rows.outbox(2, "2027-01-15T07:59:59Z");
  rows.outbox(3, "2027-01-15T08:00:00Z");
  auto status = rows.ops.outbox(noon);
  CHECK(status.depth() == 3);
  CHECK(status.oldest_unpublished_age_ms == 2000);
  rows.put(owner::relay, storage::relay_cursor_key(storage::the_lane),
           std::string("\x01\0", 2)
             + storage::outbox_key(storage::the_lane, 2));
  status = rows.ops.outbox(noon + 7);
  CHECK(status.last_position == 3);
  CHECK(status.published_up_to == 2);
  CHECK(status.depth() == 1);
  CHECK(status.oldest_unpublished_age_ms == 7);
  storage::held_stream held;
  held.first_position = 1;
  rows.put(owner::relay, storage::held_stream_key("acme", "ord-1"),
           storage::encode(held));
  status = rows.ops.outbox(noon);
  CHECK(status.held_streams == 1);
  CHECK(status.oldest_unpublished_age_ms == 2000);
}

TEST_CASE("tenants stand side by side, each with its own") {
  ops_fixture rows;
  rows.letter("acme", "dl-1", domain::dead_letter_cause::stale, "c");
  rows.letter("acme", "dl-2", domain::dead_letter_cause::stale, "c");
  rows.waiting(owner::fulfillment, "acme", fulfillment, "ord-1",
               wait_cause::gap, noon + 5);
  rows.waiting(owner::notification, "acme", notification, "ord-1",
               wait_cause::gap, noon + 3);
  rows.replay("acme", "rpl-1");
  rows.replay("acme", "rpl-2", domain::replay_state::finished);
  const auto page = rows.ops.tenants({"acme", "globex"});
  REQUIRE(page->items.size() == 2);
  const auto& acme = page->items[0];
  CHECK(acme.tenant_id == "acme");
  CHECK(acme.dead_letters_open == 2);
  CHECK(acme.streams_waiting == 2);
  CHECK(acme.oldest_waiting_since == noon + 3);
  CHECK(acme.replays_running == 1);
  const auto& globex = page->items[1];
  CHECK(globex.dead_letters_open + globex.streams_waiting
          + globex.replays_running
        == 0);
}

TEST_CASE("what is paused is read back whole") {
  ops_fixture rows;
  const domain::pause why{"ann", "a bad deploy", noon};
  const domain::pause_target targets[] = {
    {domain::pause_scope::relay, {}, {}, {}},
    {domain::pause_scope::tenant, "acme", {}, {}},
    {domain::pause_scope::stream, "acme", fulfillment, "ord-1"},
  };
  for (const auto& one : targets)
    rows.put(owner::dead_letter,
             storage::pause_key(static_cast<std::uint8_t>(one.scope),
                                one.tenant_id, one.consumer, one.aggregate_id),
             domain::encode(why));
  const auto set = rows.ops.pauses();
  REQUIRE(set->paused.size() == 3);
  for (const auto& one : targets)
    CHECK(set->paused.at(one) == why);
  CHECK(set->relay());
  CHECK(set->stream("acme", "any", "any"));
}

TEST_CASE("the operator log comes newest first, to each what is theirs") {
  ops_fixture rows;
  rows.log(1, "acme");
  rows.log(2, "globex");
  rows.log(3, "");
  rows.log(4, "acme");
  const auto pages = [&](const std::vector<std::string>& tenants) {
    return all_pages(
      [&](const auto& page) { return rows.ops.operator_log(tenants, page); });
  };
  CHECK(pages({}) == "4 3 2 1 ");
  CHECK(pages({"acme"}) == "4 1 ");
  CHECK(pages({"acme", "globex"}) == "4 2 1 ");
  CHECK(pages({"nobody"}).empty());
}

TEST_CASE("a whole log verifies, a damaged entry is named") {
  ops_fixture rows;
  CHECK(rows.ops.verify_log()->entries == 0);
  for (std::uint64_t i = 1; i <= 3; ++i)
    rows.log(i, "acme");
  CHECK(rows.ops.verify_log()->entries == 3);
  CHECK(rows.ops.verify_log()->head != domain::sha256_digest{});
  rows.log(4, "acme", true);
  rows.log(5, "acme");
  const auto broken = rows.ops.verify_log();
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.why().code == domain::failure::storage_corrupt);
  CHECK(broken.why().detail.find('4') != std::string::npos);
}
