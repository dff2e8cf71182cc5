// An audit's report as text and JSON: names and numbers, in a fixed order.
#include "codec/audit_json.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;

namespace {

domain::audit_report sample() {
  domain::audit_report of;
  of.store_id = "01KSTORE";
  of.mode = domain::audit_mode::stopped;
  of.as_of = 1'800'000'000'000;
  of.duration_ms = 12;
  of.complete = true;
  of.rows = 3;
  of.rows_by_kind = {{"order", "outbox", 3}};
  of.accounts = {{"fulfillment-v1", 3, 1, 0, 0, 1, 0, 1, 0, 0}};
  of.pending[1] = {2, 1'799'999'000'000};
  of.findings_total = 2;
  of.findings_by_rule[static_cast<std::size_t>(
    domain::audit_rule::accounting)] = 2;
  of.findings = {
    {domain::audit_rule::accounting,
     {"order", "outbox", "tn-a", {{"lane", "0"}, {"position", "7"}}},
     "says \"no\""}};
  return of;
}

} // namespace

TEST_CASE("the report as JSON names every row by its parts") {
  CHECK(
    codec::audit_json(sample())
    == R"({"clean":false,"complete":true,"mode":"stopped","storeId":"01KSTORE",)"
       R"("asOf":"2027-01-15T08:00:00.000Z","durationMs":12,"rows":3,)"
       R"("rowsByKind":[{"family":"order","kind":"outbox","rows":3}],)"
       R"("consumers":[{"consumer":"fulfillment-v1","events":3,"applied":1,)"
       R"("declined":0,"skipped":0,"waiting":1,"quarantined":0,"pending":1,)"
       R"("beforeStart":0,"wrong":0}],)"
       R"("pending":{"to_the_bus":{"count":0},"to_a_consumer":{"count":2,)"
       R"("oldest":"2027-01-15T07:43:20.000Z"},"to_dead_letters":{"count":0},)"
       R"("to_an_order":{"count":0}},"findingsTotal":2,)"
       R"("findingsByInvariant":{"I1":0,"I4":2,"I5":0,"I6":0,"I7":0,"I8":0,)"
       R"("I9":0,"I11":0,"I13":0,"books":0},)"
       R"("findings":[{"invariant":"I4","row":{"family":"order",)"
       R"("kind":"outbox","tenant":"tn-a","key":{"lane":"0","position":"7"}},)"
       R"("what":"says \"no\""}]})");
}

TEST_CASE(
  "the report as text has a line a finding, and says what it left out") {
  const auto text = codec::audit_text(sample());
  const auto holds = [&](const char* part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  holds("audit of store 01KSTORE as of 2027-01-15T08:00:00.000Z, stopped: 3 "
        "rows in 12 ms\n");
  holds("\non its way to_a_consumer: 2, since 2027-01-15T07:43:20.000Z\n");
  holds("\n2 findings\n");
  holds("I4    order/outbox tenant=tn-a lane=0 position=7: says \"no\"\n");
  holds("1 more\n");
}

TEST_CASE("clean is complete and without a finding") {
  domain::audit_report of;
  CHECK_FALSE(of.clean());
  of.complete = true;
  CHECK(of.clean());
  CHECK(codec::audit_text(of).ends_with("\nclean\n"));
  of.findings_total = 1;
  CHECK_FALSE(of.clean());
}
