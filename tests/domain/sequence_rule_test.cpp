// The verdict table (R11) as a pure rule, and its order of judgement.
#include "domain/sequence_rule.hpp"
#include "tests/support/domain_samples.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using domain::verdict;
using test::digest_of;
using test::entry_of;
using test::event_of;
using test::facts;

namespace {

const std::vector<domain::event_kind> v1 = {{"OrderAccepted", 1}};

domain::judgement judge(const domain::event& of, const domain::stream_row& row,
                        facts of_facts = {}) {
  return domain::judge(of, row, v1, of_facts);
}

/// Position 2, both events inline.
domain::stream_row two_applied() {
  domain::stream_row row;
  row.position = 2;
  row.recent = {entry_of(event_of("e-1", 1)), entry_of(event_of("e-2", 2))};
  return row;
}

domain::stream_row waiting(domain::stream_row row) {
  row.waiting = domain::wait_mark{domain::wait_cause::gap, 1, 1};
  return row;
}

constexpr auto own_ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

} // namespace

TEST_CASE("the next sequence may be applied, and only that") {
  const auto row = two_applied();
  const auto judged = judge(event_of("e-3", 3), row);
  CHECK(judged.what == verdict::applied);
  CHECK(judged.expected == 3);
  CHECK(judge(event_of("e-1", 1), {}).what == verdict::applied);
  CHECK(judge(event_of("e-2", 2), {}).what == verdict::gap);
}

TEST_CASE("a used sequence with the same id and bytes is a duplicate") {
  const auto row = two_applied();
  CHECK(judge(event_of("e-1", 1), row).what == verdict::duplicate);
  CHECK(judge(event_of("e-2", 2), row).what == verdict::duplicate);
}

TEST_CASE("a duplicate of an older event is found in its own row") {
  auto row = two_applied();
  facts older;
  older.entries[1] = row.recent.front();
  row.recent.erase(row.recent.begin());
  CHECK(judge(event_of("e-1", 1), row, older).what == verdict::duplicate);
}

TEST_CASE("a used sequence under another id is a fork and names both") {
  const auto judged = judge(event_of("e-other", 2), two_applied());
  CHECK(judged.what == verdict::fork);
  CHECK(judged.known_event_id == "e-2");
  CHECK(judged.known_digest == digest_of("e-2", 2));
}

TEST_CASE("the same id with other bytes at a used sequence is a fork") {
  auto other = event_of("e-2", 2);
  other.digest[0] ^= 1U;
  const auto judged = judge(other, two_applied());
  CHECK(judged.what == verdict::fork);
  CHECK(judged.known_event_id == "e-2");
  CHECK(judged.known_digest != other.digest);
}

TEST_CASE("a used sequence whose inbox entry is gone is stale") {
  auto row = two_applied();
  row.recent.erase(row.recent.begin());
  CHECK(judge(event_of("e-1", 1), row).what == verdict::stale);
}

TEST_CASE("a later delivery of a skipped event is skipped, a rival a fork") {
  auto row = two_applied();
  row.recent[1].mark = domain::inbox_mark::skipped;
  CHECK(judge(event_of("e-2", 2), row).what == verdict::skipped);
  CHECK(judge(event_of("e-other", 2), row).what == verdict::fork);
}

TEST_CASE("a hole that was skipped unseen takes whatever comes as skipped") {
  auto row = two_applied();
  row.recent[1].mark = domain::inbox_mark::skipped;
  row.recent[1].event_id.clear();
  CHECK(judge(event_of("e-anything", 2), row).what == verdict::skipped);
}

TEST_CASE("a higher sequence is a gap once, and waiting after that") {
  const auto gap = judge(event_of("e-5", 5), two_applied());
  CHECK(gap.what == verdict::gap);
  CHECK(gap.expected == 3);
  CHECK(judge(event_of("e-5", 5), waiting(two_applied())).what
        == verdict::waiting);
}

TEST_CASE("who stands in the room is parked, and its rival a fork") {
  facts of;
  of.parked[5] = {"e-5", digest_of("e-5", 5)};
  const auto row = waiting(two_applied());
  CHECK(judge(event_of("e-5", 5), row, of).what == verdict::parked);
  const auto rival = judge(event_of("e-5b", 5), row, of);
  CHECK(rival.what == verdict::fork);
  CHECK(rival.known_event_id == "e-5");
  auto other_bytes = event_of("e-5", 5);
  other_bytes.digest[0] ^= 1U;
  CHECK(judge(other_bytes, row, of).what == verdict::fork);
}

TEST_CASE("the head fills the hole of a stream that waits") {
  CHECK(judge(event_of("e-3", 3), waiting(two_applied())).what
        == verdict::applied);
}

TEST_CASE("an unknown type or major version at the head is unsupported") {
  auto later = event_of("e-3", 3);
  later.envelope.event_version = 2;
  const auto judged = judge(later, two_applied());
  CHECK(judged.what == verdict::unsupported);
  CHECK(judged.reason == "OrderAccepted v2 is not in this consumer's set");
  auto unknown = event_of("e-3", 3);
  unknown.envelope.event_type = "OrderTeleported";
  CHECK(judge(unknown, two_applied()).what == verdict::unsupported);
}

TEST_CASE("sequence is judged before version: not the head, not unsupported") {
  auto later = event_of("e-5", 5);
  later.envelope.event_version = 2;
  CHECK(judge(later, two_applied()).what == verdict::gap);
  CHECK(judge(later, waiting(two_applied())).what == verdict::waiting);
}

TEST_CASE("the inbox is judged before version: a duplicate stays one") {
  auto row = two_applied();
  auto later = event_of("e-2", 2);
  later.envelope.event_version = 2;
  CHECK(judge(later, row).what == verdict::duplicate);
}

TEST_CASE("identity is judged before the inbox") {
  domain::event own =
    event_of(domain::own_event_id(std::string("ord-") + own_ulid, 2), 2);
  own.envelope.aggregate_id = std::string("ord-") + own_ulid;
  CHECK(judge(own, two_applied()).what == verdict::fork); // well-formed
  own.envelope.aggregate_sequence = 1;                    // contradicts its id
  CHECK(judge(own, two_applied()).what == verdict::invalid);
  own.envelope.aggregate_sequence = 2;
  own.envelope.aggregate_id = "ord-of-someone";
  CHECK(judge(own, two_applied()).what == verdict::invalid);
}

TEST_CASE("a foreign id that was used elsewhere is a fork") {
  facts of;
  of.places["e-3"] = {"another", 7};
  const auto judged = judge(event_of("e-3", 3), two_applied(), of);
  CHECK(judged.what == verdict::fork);
  CHECK(judged.reason == "the event id was used by another at sequence 7");
  // Higher than the head too: it shall not even wait.
  CHECK(judge(event_of("e-3", 5), two_applied(), of).what == verdict::fork);
}

TEST_CASE("a foreign id in its own place is no fork") {
  facts of;
  of.places["e-3"] = {"o-1", 3};
  CHECK(judge(event_of("e-3", 3), two_applied(), of).what == verdict::applied);
}

TEST_CASE("ids of our own form are told apart from foreign ones") {
  domain::envelope of;
  of.aggregate_id = std::string("ord-") + own_ulid;
  of.aggregate_sequence = 12;
  const auto form = [&](std::string id) {
    of.event_id = std::move(id);
    return domain::form_of(of);
  };
  const std::string begin = std::string("evt-") + own_ulid;
  CHECK(form(begin + "-12") == domain::id_form::own);
  CHECK(form(begin + "-13") == domain::id_form::contradictory);
  CHECK(form(begin + "-012") == domain::id_form::contradictory);
  CHECK(form("evt-701") == domain::id_form::foreign);
  CHECK(form(begin) == domain::id_form::foreign);
  CHECK(form(begin + "-") == domain::id_form::foreign);
  CHECK(form(begin + "-12x") == domain::id_form::foreign);
  CHECK(form(begin + "_12") == domain::id_form::foreign);
  CHECK(form(begin + "-99999999999999999999") == domain::id_form::foreign);
}
