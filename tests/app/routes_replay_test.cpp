// Replay and correction over HTTP: the ordinary way, every refusal, and that
// a refusal changes nothing. A foreign object is a missing one in every byte.
#include "tests/app/api_world.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using nlohmann::json;
using test::api_world;

namespace {

/// An order of acme and one of globex whose fulfillment failed for good.
struct broken {
  bool fails = true;
  api_world w;
  std::string order;

  broken()
    : w([](app::config& c) { c.consumer.attempts_max = 1; },
        [this](app::seams& with) {
          with.adjust_spec = test::failing_effect(fails);
        }) {
    for (const std::string tenant : {"acme", "globex"})
      w.engine.stock(tenant, "sku-1", 10);
    order = w.engine.accepted("acme", "k1");
    (void)w.engine.accepted("globex", "k1");
  }
  std::string letter(const std::string& token = "resp") {
    const auto all =
      json::parse(w.get(token, "/v1/dead-letters?state=open").body);
    REQUIRE(all.at("total") == 1);
    return all.at("items").at(0).at("deadLetterId");
  }
  std::string plan(const std::string& body = "{}") {
    const auto begun = w.send("resp", "POST", "/v1/replay-plans", {}, body);
    REQUIRE_MESSAGE(begun.status == 202, begun.body);
    return json::parse(begun.body).at("planId");
  }
  std::size_t logged() {
    return test::responder(w.engine, "acme").log().size();
  }
};

std::string header_of(const http::response& of, std::string_view name) {
  for (const auto& [one, value] : of.headers)
    if (one == name)
      return value;
  return {};
}

} // namespace

TEST_CASE("a plan is made, looked at and executed over HTTP") {
  broken b;
  const auto id = b.plan(R"({"cause":"ATTEMPTS_EXHAUSTED"})");
  const auto shown = b.w.get("resp", "/v1/replay-plans/" + id);
  CHECK(json::parse(shown.body).at("state") == "ready");
  const auto tag = header_of(shown, "ETag");
  REQUIRE_FALSE(tag.empty());
  const auto items =
    json::parse(b.w.get("resp", "/v1/replay-plans/" + id + "/items").body);
  REQUIRE(items.at("items").size() == 1);
  CHECK(items.at("items").at(0).at("predicted") == "applied");
  b.fails = false;
  const std::string execute = "/v1/replay-plans/" + id + "/execute";
  CHECK(b.w.send("resp", "POST", execute, {{"If-Match", "\"other\""}}).status
        == 412);
  const auto begun = b.w.send("resp", "POST", execute, {{"If-Match", tag}});
  REQUIRE(begun.status == 202);
  const auto report =
    json::parse(b.w.get("resp", header_of(begun, "Location")).body);
  CHECK(report.at("state") == "finished");
  CHECK(report.at("counts").at("createdNow") == 1);
  CHECK(header_of(b.w.send("resp", "POST", execute), "Idempotent-Replayed")
        == "true");
  CHECK(b.w.engine.job("acme", b.order).has_value());
  CHECK(b.letter("other").size() > 3); // globex's stands as it stood
}

TEST_CASE("bad bodies are refused by name and change nothing") {
  broken b;
  const auto before = b.logged();
  const auto id = b.letter();
  const std::vector<std::pair<std::string, std::string>> bad = {
    {"/v1/replay-plans", R"({"caus":"STALE"})"},
    {"/v1/replay-plans", R"({"cause":"NOTHING"})"},
    {"/v1/replay-plans", R"({"since":"yesterday"})"},
    {"/v1/replay-plans", R"({"cause":true})"},
    {"/v1/replay-plans", "[]"},
    {"/v1/replay-plans/pln-x/execute", R"({"ratePerS":0})"},
    {"/v1/replay-plans/pln-x/execute", R"({"rate":1})"},
    {"/v1/dead-letters/" + id + "/waive", "{}"},
    {"/v1/dead-letters/" + id + "/waive",
     R"({"reason":")" + std::string(501, 'x') + R"("})"},
    {"/v1/streams/skip", R"({"consumer":"fulfillment-v1"})"},
    {"/v1/streams/skip",
     R"({"consumer":"fulfillment-v1","aggregateId":"o","sequence":0})"},
    {"/v1/streams/redirect", R"({"consumer":"f","aggregateId":"o"})"},
    {"/v1/streams/resend",
     R"({"consumer":"fulfillment-v1","aggregateId":"o","from":3,"to":2})"},
    {"/v1/pauses", R"({"scope":"everything","reason":"r"})"},
    {"/v1/pauses", R"({"scope":"tenant"})"},
    {"/v1/pauses", R"({"scope":"stream","reason":"r"})"},
  };
  for (const auto& one : bad) {
    const auto& target = one.first;
    const auto& body = one.second;
    INFO(target, " ", body);
    const auto answer = b.w.send("resp", "POST", target, {}, body);
    CHECK(answer.status == 400);
  }
  CHECK(b.logged() == before);
  CHECK(b.letter() == id);
}

TEST_CASE("who may not is refused, and what is foreign is not there") {
  broken b;
  const auto id = b.letter();
  const auto plan = b.plan();
  const std::string reason = R"({"reason":"r"})";
  CHECK(b.w.send("op", "POST", "/v1/replay-plans").status == 403);
  CHECK(b.w
          .send("resp", "POST", "/v1/pauses", {},
                R"({"scope":"relay","reason":"r"})")
          .status
        == 403);
  const auto same = [&](const std::string& foreign, const std::string& missing,
                        const std::string& body) {
    const auto a = b.w.send("other", "POST", foreign, {}, body);
    const auto c = b.w.send("other", "POST", missing, {}, body);
    CHECK(a.status == 404);
    CHECK(a.body == c.body);
  };
  same("/v1/dead-letters/" + id + "/waive", "/v1/dead-letters/dl-none/waive",
       reason);
  same("/v1/replay-plans/" + plan + "/execute",
       "/v1/replay-plans/pln-none/execute", "{}");
  b.fails = false;
  const auto begun =
    b.w.send("resp", "POST", "/v1/replay-plans/" + plan + "/execute");
  const std::string replay = json::parse(begun.body).at("replayId");
  same("/v1/replays/" + replay + "/cancel", "/v1/replays/rpl-none/cancel",
       "{}");
  const auto resend = [](const std::string& order) {
    return R"({"consumer":"fulfillment-v1","aggregateId":")" + order + R"("})";
  };
  const auto a =
    b.w.send("other", "POST", "/v1/streams/resend", {}, resend(b.order));
  const auto c =
    b.w.send("other", "POST", "/v1/streams/resend", {}, resend("ord-none"));
  CHECK(a.status == 404);
  CHECK(a.body == c.body);
}

TEST_CASE("a stream is skipped, a tenant paused and resumed over HTTP") {
  broken b;
  const auto skipped =
    b.w.send("resp", "POST", "/v1/streams/skip", {},
             R"({"consumer":"fulfillment-v1","aggregateId":")" + b.order
               + R"(","sequence":1,"reason":"agreed"})");
  CHECK(skipped.status == 200);
  CHECK(json::parse(skipped.body).at("position") == 1);
  const std::string tenant = R"({"scope":"tenant","reason":"look"})";
  CHECK(b.w.send("resp", "POST", "/v1/pauses", {}, tenant).status == 200);
  const auto held = b.w.engine.accepted("acme", "k2");
  CHECK(b.w.engine.notification("acme", held).position == 0);
  const auto other = b.w.engine.accepted("globex", "k2");
  CHECK(b.w.engine.notification("globex", other).position == 1);
  CHECK(b.w.send("resp", "POST", "/v1/pauses/resume", {}, tenant).status
        == 200);
  b.w.engine.pass(100);
  CHECK(b.w.engine.notification("acme", held).position == 1);
  CHECK(b.w.send("resp", "POST", "/v1/pauses/resume", {}, tenant).status
        == 409);
}

TEST_CASE("If-Match names what was looked at, or nothing is changed") {
  broken b;
  const auto id = b.letter();
  const auto logged = b.logged();
  const std::string reason = R"({"reason":"agreed"})";
  const auto waive = [&](const std::string& tag) {
    return b.w.send("resp", "POST", "/v1/dead-letters/" + id + "/waive",
                    {{"If-Match", tag}}, reason);
  };
  const auto letter_tag =
    header_of(b.w.get("resp", "/v1/dead-letters/" + id), "ETag");
  REQUIRE_FALSE(letter_tag.empty());
  for (const auto& stale : {std::string("\"other\""), "W/" + letter_tag}) {
    const auto no = waive(stale);
    CHECK(no.status == 412);
    CHECK(json::parse(no.body).at("type")
          == "urn:parcelflow:problem:precondition_failed");
  }
  CHECK(b.logged() == logged);
  CHECK(waive("\"x\", " + letter_tag).status == 409); // its owner's answer
  CHECK(b.w
          .send("resp", "POST", "/v1/dead-letters/dl-none/waive",
                {{"If-Match", "*"}}, reason)
          .status
        == 404);

  for (const std::string key : {"k2", "k3", "k4"})
    (void)b.w.engine.accepted("acme", key);
  const auto begun =
    b.w.send("resp", "POST", "/v1/replay-plans/" + b.plan() + "/execute", {},
             R"({"ratePerS":1})");
  REQUIRE_MESSAGE(begun.status == 202, begun.body);
  const auto place = header_of(begun, "Location");
  const auto shown = b.w.get("resp", place);
  REQUIRE(json::parse(shown.body).at("state") == "running");
  const auto cancel = [&](const std::string& tag) {
    return b.w.send("resp", "POST", place + "/cancel", {{"If-Match", tag}})
      .status;
  };
  CHECK(cancel("\"other\"") == 412);
  CHECK(cancel("W/" + header_of(shown, "ETag")) == 412);
  CHECK(b.w.get("resp", place).body == shown.body);
  CHECK(cancel(header_of(shown, "ETag")) == 202);
}
