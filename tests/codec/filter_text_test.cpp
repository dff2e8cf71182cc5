// The one filter grammar: what each term means, what is refused and how, and
// that a filter has one text.
#include "codec/filter_text.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using codec::parse_filter;
using codec::split_terms;
using domain::dead_letter_cause;
using domain::dead_letter_filter;
using domain::dead_letter_state;

namespace {

constexpr support::unix_ms noon = 1'800'000'000'000;

domain::outcome<dead_letter_filter> parsed(std::string_view text) {
  const auto terms = split_terms(text);
  if (!terms)
    return terms.why();
  return parse_filter(*terms, noon);
}

/// The sentence of a refusal; empty if it was none.
std::string refusal(std::string_view text) {
  const auto filter = parsed(text);
  if (filter)
    return {};
  CHECK(filter.why().code == domain::failure::invalid_request);
  return filter.why().detail;
}

bool says(std::string_view text, std::string_view words) {
  return refusal(text).find(words) != std::string::npos;
}

} // namespace

TEST_CASE("no terms mean every record") {
  CHECK(*parsed("") == dead_letter_filter{});
  CHECK(*parsed("   ") == dead_letter_filter{});
}

TEST_CASE("each term of the grammar lands in its place") {
  CHECK(parsed("state=replaying")->state == dead_letter_state::replaying);
  CHECK(parsed("cause=PUBLISH_REFUSED")->cause
        == dead_letter_cause::publish_refused);
  CHECK(parsed("consumer=fulfillment-v1")->consumer == "fulfillment-v1");
  CHECK(parsed("type=OrderAccepted")->event_type == "OrderAccepted");
  CHECK(parsed("version=0")->event_version == 0U);
  CHECK(parsed("version=4294967295")->event_version == UINT32_MAX);
  CHECK(parsed("order=ord-1")->aggregate_id == "ord-1");
  CHECK(parsed("since=2027-01-15T08:00:00Z")->since == noon);
  CHECK(parsed("until=2027-01-15T08:00:00.001Z")->until == noon + 1);
  CHECK(parsed("since=2h")->since == noon - 7'200'000);
  CHECK(parsed(R"(text="no stock")")->text == "no stock");
  CHECK(parsed("text=a=b")->text == "a=b");
  CHECK(codec::filter_names().size() == 9);
}

TEST_CASE("terms are joined") {
  const auto filter = parsed(R"(cause=STALE  text="a \"b\" \\" state=open)");
  REQUIRE(filter.ok());
  CHECK(filter->cause == dead_letter_cause::stale);
  CHECK(filter->state == dead_letter_state::open);
  CHECK(filter->text == R"(a "b" \)");
}

TEST_CASE("a refusal names the term and what is allowed") {
  CHECK(says("state=gone", "state must be open, replaying, resolved or"));
  CHECK(says("cause=stale", "cause must be SEQUENCE_GAP"));
  for (const auto* version : {"version=", "version=-1", "version=1x",
                              "version=4294967296", "version=0x1"})
    CHECK_MESSAGE(says(version, "version must be a whole number"), version);
  for (const auto* time : {"since=", "since=yesterday", "since=-1h", "since=5",
                           "since=2027-01-15T08:00:00", "since=999999d",
                           "since=1970-01-01T00:00:00Z"})
    CHECK_MESSAGE(says(time, "since must be a time such as"), time);
  CHECK(says("until=1h since=1h", "since must be before until"));
  CHECK(says("until=2h since=1h", "since must be before until"));
  for (const auto* name : {"consumer", "type", "order", "text"}) {
    const std::string term(name);
    CHECK(says(term + "=", term + " must be 1 to 200 bytes"));
    CHECK(says(term + "=" + std::string(201, 'x'), "1 to 200 bytes"));
    CHECK(refusal(term + "=" + std::string(200, 'x')).empty());
    CHECK(says(term + "=a\x01", "control"));
    CHECK(says(term + "=a\x7F", "control"));
    CHECK(says(term + "=\xC3", "text without control"));
  }
  CHECK(says("tenant=acme", "there is no filter term \"tenant\"; there are: "
                            "state, cause, consumer, type, version, order, "
                            "since, until, text"));
  CHECK(says("state=open state=open", "state must stand once"));
  CHECK(says("open", "name=value, not \"open\""));
  CHECK(says("open state=open", "name=value, not \"open\""));
  CHECK(says("=open", "name=value"));
  CHECK(says("text=\"open", "not closed"));
  CHECK(says("text=\"open\\", "not closed"));
  CHECK(says("text=\"a\"b", "after a closing quote"));
  CHECK(says("text=a\"b\"", "around a whole value"));
}

TEST_CASE("equal filters have one text, and it reads back") {
  CHECK(codec::filter_text({}).empty());
  const auto one =
    *parsed(R"(text="a \"b\" \\" version=2 state=open since=1h)");
  const auto other =
    *parsed(R"(since=1h state=open version=2 text="a \"b\" \\")");
  CHECK(codec::filter_text(one)
        == R"(state=open version=2 since=2027-01-15T07:00:00.000Z)"
           R"( text="a \"b\" \\")");
  CHECK(codec::filter_text(other) == codec::filter_text(one));
  dead_letter_filter whole;
  whole.state = dead_letter_state::waived;
  whole.cause = dead_letter_cause::sequence_fork;
  whole.consumer = "c 1";
  whole.event_type = "T\\";
  whole.event_version = 0;
  whole.since = noon - 1;
  whole.until = noon;
  whole.aggregate_id = "o=1";
  whole.text = "\"";
  CHECK(*parsed(codec::filter_text(whole)) == whole);
}

TEST_CASE("ages have a number and a unit") {
  CHECK(codec::parse_duration("250ms") == 250);
  CHECK(codec::parse_duration("5m") == 300'000);
  CHECK(codec::parse_duration("1d") == 86'400'000);
  for (const auto* text : {"", "5", "m", "-5m", "5 m", "5w", "99999999999d"})
    CHECK_FALSE(codec::parse_duration(text).has_value());
}
