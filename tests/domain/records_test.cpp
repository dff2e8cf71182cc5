// Every record of the domain comes back as it was written, and a record that
// was cut short anywhere, has a byte too many, a number that names no state, or
// a digest of another length, is refused.
#include "domain/dead_letter.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/order.hpp"
#include "tests/support/domain_samples.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;

namespace {

/// `decode` takes the bytes and says whether they parsed.
template <class Decode>
void refuses_every_damage(const std::string& bytes, Decode decode) {
  REQUIRE(decode(bytes).ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("cut to ", size, " of ", bytes.size());
    const auto cut = decode(std::string_view(bytes).substr(0, size));
    REQUIRE_FALSE(cut.ok());
    CHECK(cut.why().code == domain::failure::storage_corrupt);
  }
  CHECK_FALSE(decode(bytes + '\0').ok());
  auto later = bytes;
  later[0] = 2; // a version that does not exist yet
  CHECK_FALSE(decode(later).ok());
  auto encrypted = bytes;
  encrypted[1] = 1; // a key that we do not have
  CHECK_FALSE(decode(encrypted).ok());
}

/// Numbers that name no enumerator: one below the first, one above the last.
template <class Record, class Enum, class Decode>
void refuses_beyond(const Record& whole, Record& of, Enum& member, Enum last,
                    Decode decode) {
  const auto well = domain::encode(whole);
  for (const int number : {0, static_cast<int>(last) + 1}) {
    CAPTURE(number);
    of = whole;
    member = static_cast<Enum>(number);
    const auto bytes = domain::encode(of);
    REQUIRE(bytes.size() == well.size());
    const auto refused = decode(bytes);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.why().code == domain::failure::storage_corrupt);
  }
  of = whole;
}

/// Every digest in the bytes, once a byte short and once a byte long; the
/// record around it stays well-formed.
template <class Decode>
void refuses_other_lengths(const std::string& bytes,
                           const domain::sha256_digest& digest,
                           std::size_t times, Decode decode) {
  const std::string text(digest.begin(), digest.end());
  std::size_t found = 0;
  for (auto at = bytes.find(text); at != std::string::npos;
       at = bytes.find(text, at + 1), ++found) {
    REQUIRE(bytes[at - 1] == '\x20');
    auto shorter = bytes;
    shorter.erase(at, 1);
    shorter[at - 1] = '\x1F';
    CHECK_FALSE(decode(shorter).ok());
    auto longer = bytes;
    longer.insert(at, 1, 'x');
    longer[at - 1] = '\x21';
    CHECK_FALSE(decode(longer).ok());
  }
  CHECK(found == times);
}

domain::sha256_digest some_digest() {
  return test::digest_of("digest", 200);
}

domain::stream_row sample_stream() {
  domain::stream_row row;
  row.position = 300;
  row.waiting = domain::wait_mark{domain::wait_cause::exhausted, -5, 129};
  auto skipped = test::entry_of(test::event_of("e-300", 300));
  skipped.mark = domain::inbox_mark::skipped;
  skipped.door = domain::via::replay;
  row.recent = {test::entry_of(test::event_of("e-299", 299)), skipped};
  row.effect = std::string("\0effect", 7);
  return row;
}

domain::dead_letter sample_letter() {
  domain::dead_letter of;
  of.tenant_id = "tn-a";
  of.dead_letter_id = "dl-1";
  of.consumer = "fulfillment-v1";
  of.topic = "order.events";
  of.cause = domain::dead_letter_cause::sequence_fork;
  of.reason = "two stand at 3";
  of.aggregate_id = "o-1";
  of.event_id = "e-3";
  of.event_type = "OrderAccepted";
  of.event_version = 4'000'000'000U;
  of.expected_sequence = 4;
  of.observed_sequence = 3;
  of.digest = some_digest();
  of.payload_sha256 = some_digest();
  of.known_event_id = "e-3b";
  of.known_digest = some_digest();
  of.attempts = {{1, "one"}, {2, "two"}};
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.environment = "dev";
  of.decision = "set aside";
  of.replay_role = "responder";
  of.first_seen = 10;
  of.last_seen = 20;
  of.seen = 1ULL << 63U;
  of.steps = {{domain::dead_letter_state::open, "system", "FORK", 10},
              {domain::dead_letter_state::waived, "tok-1", "known", 20}};
  of.replay_ids = {"rp-1", "rp-2"};
  return of;
}

domain::order sample_order() {
  domain::order of;
  of.tenant_id = "tn-a";
  of.order_id = "ord-1";
  of.idempotency_key = "k";
  of.fingerprint = some_digest();
  of.reservation_id = "rsv-1";
  of.authorization = {"aut-1", 2500, 1, 2};
  of.lines = {{"sku-1", 2, 1250}};
  of.currency = "EUR";
  of.total_minor = 2500;
  of.customer_reference = "c";
  of.trace_id = "t";
  of.traceparent = "p";
  of.accepted_version = 2;
  of.steps = {{domain::order_state::accepted, 1, 7, 1},
              {domain::order_state::cancelled, 2, 9, 2}};
  return of;
}

} // namespace

TEST_CASE("a stream row comes back whole or not at all") {
  const auto row = sample_stream();
  const auto bytes = domain::encode(row);
  CHECK(*domain::decode_stream(bytes) == row);
  refuses_every_damage(bytes, domain::decode_stream);
  CHECK(*domain::decode_stream(domain::encode(domain::stream_row{}))
        == domain::stream_row{});
}

TEST_CASE("an inbox entry comes back whole or not at all") {
  const auto entry = sample_stream().recent.back();
  const auto bytes = domain::encode(entry);
  CHECK(*domain::decode_inbox_entry(bytes) == entry);
  refuses_every_damage(bytes, domain::decode_inbox_entry);
}

TEST_CASE("a dead letter comes back whole, but for its payload") {
  auto letter = sample_letter();
  const auto decode = [](std::string_view bytes) {
    return domain::decode_dead_letter("tn-a", "dl-1", bytes);
  };
  auto with_payload = letter;
  with_payload.payload = "kept in a row of its own";
  const auto bytes = domain::encode(with_payload);
  CHECK(*decode(bytes) == letter);
  refuses_every_damage(bytes, decode);
  letter.steps.clear(); // who opened it must be there
  CHECK_FALSE(decode(domain::encode(letter)).ok());
}

TEST_CASE("an order comes back whole or not at all") {
  auto order = sample_order();
  const auto decode = [](std::string_view bytes) {
    return domain::decode_order("tn-a", "ord-1", bytes);
  };
  const auto bytes = domain::encode(order);
  CHECK(*decode(bytes) == order);
  refuses_every_damage(bytes, decode);
  order.steps.clear();
  CHECK_FALSE(decode(domain::encode(order)).ok());
}

TEST_CASE("stock and reservations come back whole or not at all") {
  const domain::stock stock{1'000'000'000'000, 3};
  CHECK(*domain::decode_stock(domain::encode(stock)) == stock);
  refuses_every_damage(domain::encode(stock), domain::decode_stock);
  domain::reservation of;
  of.state = domain::reservation_state::confirmed;
  of.idempotency_key = "k";
  of.fingerprint = some_digest();
  of.lines = {{"sku-1", 2}, {"sku-2", 300}};
  of.created_at = 5;
  of.deadline = 30005;
  of.chunk = 9;
  CHECK(*domain::decode_reservation(domain::encode(of)) == of);
  refuses_every_damage(domain::encode(of), domain::decode_reservation);
}

TEST_CASE("jobs and sends come back whole, and nothing is no record") {
  domain::fulfillment_job job;
  job.fulfillment_id = "ful-1";
  job.state = domain::job_state::cancelled;
  job.started_at = 1;
  job.closed_at = 2;
  CHECK(**domain::decode_job(domain::encode(job)) == job);
  CHECK_FALSE(domain::decode_job("")->has_value());
  const std::vector<domain::notification_send> sends = {
    {"order_confirmation", "ntf-1", 1}, {"order_cancelled", "ntf-2", 2}};
  const auto bytes = domain::encode(sends);
  CHECK(*domain::decode_sends(bytes) == sends);
  CHECK(domain::decode_sends("")->empty());
  for (std::size_t size = 1; size < bytes.size(); ++size)
    CHECK_FALSE(domain::decode_sends(bytes.substr(0, size)).ok());
}

TEST_CASE("a stream or inbox record with a number that names nothing") {
  const auto row = sample_stream();
  auto of = row;
  refuses_beyond(row, of, of.waiting->cause, domain::wait_cause::paused,
                 domain::decode_stream);
  refuses_beyond(row, of, of.recent[1].mark, domain::inbox_mark::skipped,
                 domain::decode_stream);
  refuses_beyond(row, of, of.recent[0].door, domain::via::history,
                 domain::decode_stream);
  const auto entry = row.recent[1];
  auto one = entry;
  refuses_beyond(entry, one, one.mark, domain::inbox_mark::skipped,
                 domain::decode_inbox_entry);
  refuses_beyond(entry, one, one.door, domain::via::history,
                 domain::decode_inbox_entry);
  refuses_other_lengths(domain::encode(row), entry.digest, 1,
                        domain::decode_stream);
  refuses_other_lengths(domain::encode(entry), entry.digest, 1,
                        domain::decode_inbox_entry);
}

TEST_CASE("a dead letter with a number that names nothing") {
  const auto decode = [](std::string_view bytes) {
    return domain::decode_dead_letter("tn-a", "dl-1", bytes);
  };
  const auto letter = sample_letter();
  auto of = letter;
  refuses_beyond(letter, of, of.cause,
                 domain::dead_letter_cause::publish_refused, decode);
  refuses_beyond(letter, of, of.steps[1].to, domain::dead_letter_state::waived,
                 decode);
  refuses_other_lengths(domain::encode(letter), letter.digest, 3, decode);
}

TEST_CASE("an order, reservation or job with a number that names nothing") {
  const auto decode = [](std::string_view bytes) {
    return domain::decode_order("tn-a", "ord-1", bytes);
  };
  const auto order = sample_order();
  auto of = order;
  refuses_beyond(order, of, of.steps[1].state, domain::order_state::cancelled,
                 decode);
  refuses_other_lengths(domain::encode(order), order.fingerprint, 1, decode);
  domain::reservation held;
  held.fingerprint = some_digest();
  auto other = held;
  refuses_beyond(held, other, other.state, domain::reservation_state::consumed,
                 domain::decode_reservation);
  refuses_other_lengths(domain::encode(held), held.fingerprint, 1,
                        domain::decode_reservation);
  const domain::fulfillment_job job{"ful-1", domain::job_state::started, 1, 0};
  auto next = job;
  refuses_beyond(job, next, next.state, domain::job_state::cancelled,
                 domain::decode_job);
}
