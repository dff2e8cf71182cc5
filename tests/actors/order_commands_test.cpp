// The order owner alone, after an order was accepted: cancel and complete,
// resends, and a restart on the same directory.
#include "codec/event_json.hpp"
#include "storage/outbox.hpp"
#include "tests/actors/lone_order.hpp"

using namespace parcelflow;
using namespace parcelflow::actors;
using domain::failure;
using wish = domain::order_command;
using test::accepted;
using test::lone_order;
using test::taken;
using test::why;

namespace {

/// tn-a's order, durable and handed on.
std::string accepted_order(lone_order& f) {
  const auto heard = f.stage("tn-a");
  f.commit();
  REQUIRE(accepted(heard));
  f.relay.fresh.clear();
  return (*heard)->order_id;
}

void resend(lone_order& f, const std::string& tenant, const std::string& id,
            std::uint64_t from, std::uint64_t to) {
  caf::anon_send(f.subject, resend_atom::value,
                 resend_request{"fulfillment-v1", tenant, id, from, to, {}});
  f.run();
}

} // namespace

TEST_CASE("a cancel is one more step, and voids once it is durable") {
  lone_order f;
  const auto id = accepted_order(f);
  const auto other = f.serves();
  const auto heard = f.command("tn-a", id, wish::cancel);
  CHECK_FALSE(heard->has_value());
  CHECK(f.payment.voided.empty());
  CHECK(f.relay.fresh.empty());
  f.commit();
  REQUIRE(heard->has_value());
  CHECK_FALSE((**heard)->repeated);
  CHECK((**heard)->order->state() == domain::order_state::cancelled);
  auto voided = taken(f.payment.voided);
  REQUIRE(voided.size() == 1);
  CHECK(voided[0].reservation_id == "rsv-tn-a");
  const auto fresh = taken(f.relay.fresh);
  REQUIRE(fresh.size() == 1);
  CHECK(fresh[0].position == 3);
  CHECK(fresh[0].event->envelope.aggregate_sequence == 2);
  CHECK(fresh[0].event->envelope.event_type == domain::order_cancelled);

  const auto again = f.command("tn-a", id, wish::cancel);
  CHECK((**again)->repeated);
  const auto illegal = f.command("tn-a", id, wish::complete);
  CHECK((*illegal)->why().code == failure::illegal_transition);
  CHECK(f.held.empty());
  CHECK(f.payment.voided.empty());
  // The other tenant's order is its own, and goes its own way.
  CHECK((*f.command("tn-a", other, wish::cancel))->why().code
        == failure::not_found);
  const auto completed = f.command("tn-b", other, wish::complete);
  f.commit();
  CHECK((**completed)->order->state() == domain::order_state::completed);
  CHECK(f.payment.voided.empty());
  CHECK(f.relay.fresh.size() == 1);
}

TEST_CASE("cancel and complete race before the round, and the first one wins") {
  lone_order f;
  const auto id = accepted_order(f);
  const auto complete = f.command("tn-a", id, wish::complete);
  const auto cancel = f.command("tn-a", id, wish::cancel);
  const auto again = f.command("tn-a", id, wish::complete);
  CHECK_FALSE(cancel->has_value()); // it rests on a staged row
  CHECK_FALSE(again->has_value());
  f.commit_all();
  CHECK_FALSE((**complete)->repeated);
  CHECK((*cancel)->why().code == failure::illegal_transition);
  CHECK((**again)->repeated);
  CHECK(taken(f.relay.fresh).size() == 1);
  CHECK(f.payment.voided.empty());
  f.serves();
}

TEST_CASE("a resend names the outbox rows of what was asked for") {
  lone_order f;
  f.serves();
  const auto id = accepted_order(f); // position 2
  f.command("tn-a", id, wish::cancel);
  resend(f, "tn-a", id, 1, 2);
  CHECK(f.relay.again.empty()); // the second one is staged only
  f.commit();
  auto again = taken(f.relay.again);
  REQUIRE(again.size() == 2);
  CHECK(again[0].position == 2);
  CHECK(again[0].sequence == 1);
  CHECK(again[1].position == 3);
  CHECK(again[1].sequence == 2);
  resend(f, "tn-a", id, 2, 9);
  CHECK(taken(f.relay.again).size() == 1);
  resend(f, "tn-a", id, 3, 3);         // never committed
  resend(f, "tn-a", "ord-none", 1, 1); // never heard of
  resend(f, "tn-b", id, 1, 2);         // of another tenant
  CHECK(f.relay.again.empty());
}

TEST_CASE("a restart keeps what was durable, and nothing that was not") {
  lone_order f;
  const auto id = accepted_order(f);
  const auto other = f.serves("k");
  const auto lost = f.stage("tn-a", "lost"); // in a round, not written
  const auto never = f.place("tn-a", "never");
  f.restart();
  CHECK_FALSE(lost->has_value());
  CHECK_FALSE(never->has_value());
  f.inventory = {};
  const auto again = f.place("tn-a");
  REQUIRE(accepted(again, true));
  CHECK((*again)->order_id == id);
  const auto again_b = f.place("tn-b");
  REQUIRE(accepted(again_b, true));
  CHECK((*again_b)->order_id == other);
  CHECK(why(f.place("tn-b", "k", 2)) == failure::idempotency_key_reused);
  CHECK(f.inventory.reserve.empty());
  // The key that was lost is free, and the outbox goes on without a hole.
  const auto retry = f.stage("tn-a", "lost");
  f.commit();
  REQUIRE(accepted(retry));
  REQUIRE(f.relay.fresh.size() == 1);
  CHECK(f.relay.fresh[0].position == 3);
  CHECK((*retry)->order_id > id); // also sorted after those before
}

TEST_CASE("after a restart, late answers of the life before change nothing") {
  lone_order f;
  const auto id = accepted_order(f);
  f.place("tn-a", "under way");
  const auto asked = taken(f.inventory.reserve)[0];
  f.restart();
  f.reserved(asked); // it goes back: nobody knows of it any more
  CHECK(taken(f.inventory.release).size() == 1);
  f.granted({asked.attempt, domain::authorization{"aut", 1250, 1, 0}});
  CHECK(f.held.empty());
  // Of an accepted order it stays, whoever says it again.
  f.reserved({1, reservation_ref{"tn-a", "rsv-tn-a", "k"}});
  CHECK(f.inventory.release.empty());
  f.serves();
  const auto completed = f.command("tn-a", id, wish::complete);
  f.commit();
  CHECK((**completed)->order->state() == domain::order_state::completed);
}
