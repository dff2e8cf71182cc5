// What quarantine keeps: bytes as received, whose it is, how often it was seen;
// and verdicts that need rows or bytes no producer makes.
#include "support/digest.hpp"
#include "tests/support/scenario.hpp"

using namespace parcelflow;
using test::accepted_event;
using test::cancelled_event;
using test::fulfillment_room;
using test::letter_of;
using test::letters_of;
using test::serves;
using test::unsettled;
using test::world;

namespace {

constexpr auto fulfillment = domain::fulfillment_consumer;

std::string payload_of(world& w, const domain::dead_letter& of) {
  const auto row = w.it->store().read().get(
    storage::owner::dead_letter,
    storage::payload_key(of.tenant_id, of.dead_letter_id));
  REQUIRE(row.has_value());
  return row->substr(2);
}

} // namespace

TEST_CASE("bytes that do not parse belong to nobody and stay as they came") {
  world w;
  const std::string bytes = std::string("\x00not json\xff", 10);
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes);
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::invalid_envelope);
  CHECK(letter.tenant_id == domain::unattributed_tenant);
  CHECK_FALSE(domain::is_tenant_name(letter.tenant_id));
  CHECK(letter.replay_role == "admin");
  CHECK(letter.payload_sha256 == support::sha256_of(bytes));
  CHECK(payload_of(w, letter) == bytes);
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes);
  CHECK(letter_of(w, fulfillment).seen == 2);
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes + "more");
  CHECK(w.dead_letters().size() == 2);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("what is no event but names its tenant is that tenant's to see") {
  world w;
  const auto whole =
    codec::make_event(accepted_event("e-1", "tn-a", "o-1"))->bytes;
  auto bytes = whole;
  bytes.replace(bytes.find("\"eventVersion\":1"), 16, "\"eventVersion\":0");
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes);
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::invalid_envelope);
  CHECK(letter.tenant_id == "tn-a");
  CHECK(letter.replay_role == "responder");
  CHECK(payload_of(w, letter) == bytes);
  // A name that no tenant can have is nobody's.
  bytes.replace(bytes.find("tn-a"), 4, "~una");
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes);
  CHECK(letters_of(w, fulfillment).size() == 2);
  CHECK(letters_of(w, fulfillment).back().tenant_id
        == domain::unattributed_tenant);
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, whole);
  CHECK(w.fulfillment("tn-a", "o-1").position == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("an id of our form that contradicts its envelope is invalid") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto id = w.accepted("tn-a", "k");
  w.publish({accepted_event(domain::own_event_id(id, 1), "tn-a", "o-1", 1)});
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::invalid_envelope);
  CHECK(letter.tenant_id == "tn-a");
  const auto row = w.fulfillment("tn-a", "o-1");
  CHECK(row.position == 0);
  CHECK_FALSE(row.waiting.has_value()); // invalid never waits
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("one tenant's event under another tenant's order touches neither") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto id = w.accepted("tn-a", "k");
  const auto before = w.fulfillment("tn-a", id);
  // The same names under tn-b are other streams: here, a gap of tn-b.
  w.publish({cancelled_event(domain::own_event_id(id, 2), "tn-b", id, 2)});
  CHECK(w.fulfillment("tn-a", id) == before);
  CHECK(w.job("tn-a", id)->state == domain::job_state::started);
  for (const auto& letter : w.dead_letters())
    CHECK(letter.tenant_id == "tn-b");
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a quarantined event that comes again is counted, not recorded") {
  world w;
  w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  const auto first = letter_of(w, fulfillment);
  CHECK(first.seen == 1);
  w.clock.advance(1000);
  for (int i = 0; i < 5; ++i)
    w.publish({cancelled_event("e-2", "tn-a", "o-1", 2)});
  const auto last = letter_of(w, fulfillment);
  CHECK(last.seen == 6);
  CHECK(last.first_seen == first.first_seen);
  CHECK(last.last_seen == first.last_seen + 1000);
  CHECK(last.steps == first.steps);
  CHECK(w.fulfillment("tn-a", "o-1").waiting->rows == 1);
  CHECK(w.verdicts(std::string(fulfillment), "parked") == 5);
  CHECK(unsettled(w) == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("unknown minor members are kept byte for byte") {
  world w;
  const auto plain =
    codec::make_event(cancelled_event("e-2", "tn-a", "o-1", 2))->bytes;
  const std::string bytes =
    "{ \"newMember\" : [1,2.50, \"\\u0041\"]," + plain.substr(1);
  w.deliver_text(w.it->fulfillment_owner(), fulfillment, bytes);
  CHECK(fulfillment_room(w, "tn-a", "o-1", 2)->bytes == bytes);
  CHECK(payload_of(w, letter_of(w, fulfillment)) == bytes);
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  CHECK(w.fulfillment("tn-a", "o-1").position == 2); // and it is applied
  serves(w, "tn-b", "control");
}

TEST_CASE("a used sequence whose inbox entry is gone is stale, not applied") {
  world w;
  w.close();
  {
    storage::store_options options;
    options.directory = w.settings.data.directory;
    auto store = storage::store::open(options);
    REQUIRE(store.ok());
    auto rows = (*store)->take(storage::owner::fulfillment);
    domain::stream_row expired;
    expired.position = 5;
    rows.put(storage::stream_key("tn-a", fulfillment, "o-1"),
             domain::encode(expired));
    const auto batch = rows.seal();
    (*store)->commit({&batch, 1});
    rows.round_done();
  }
  w.start();
  w.publish({accepted_event("e-1", "tn-a", "o-1")});
  const auto letter = letter_of(w, fulfillment);
  CHECK(letter.cause == domain::dead_letter_cause::stale);
  CHECK(w.fulfillment("tn-a", "o-1").position == 5);
  CHECK_FALSE(w.job("tn-a", "o-1").has_value());
  w.publish({cancelled_event("e-6", "tn-a", "o-1", 6)});
  CHECK(w.fulfillment("tn-a", "o-1").position == 6); // the stream goes on
  serves(w, "tn-b", "control");
}

TEST_CASE("older inbox entries move to their own rows and still count") {
  world w([](app::config& with) { with.consumer.inbox_inline_max = 2; });
  std::vector<domain::envelope> events = {accepted_event("e-1", "tn-a", "o-1")};
  for (std::uint64_t s = 2; s <= 9; ++s)
    events.push_back(
      cancelled_event("e-" + std::to_string(s), "tn-a", "o-1", s));
  w.publish(events);
  CHECK(w.fulfillment("tn-a", "o-1").position == 9);
  CHECK(w.fulfillment("tn-a", "o-1").recent.size() == 2);
  const auto before = w.verdicts(std::string(fulfillment), "duplicate");
  w.publish(events);
  CHECK(w.verdicts(std::string(fulfillment), "duplicate") == before + 9);
  CHECK(w.dead_letters().empty());
  serves(w, "tn-b", "control");
  w.check_invariants();
}
