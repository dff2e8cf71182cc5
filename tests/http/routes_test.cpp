// The door's checks, before any owner is asked: the gateway here leads nowhere
// and the store is empty.
#include "actors/gateway_links.hpp"
#include "domain/denial_book.hpp"
#include "http/etag.hpp"
#include "http/list_query.hpp"
#include "http/routes.hpp"
#include "storage/store.hpp"
#include "support/log.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

using namespace parcelflow;

namespace {

class some_tokens final : public http::authenticator {
public:
  domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms) const override {
    asked += 1;
    domain::identity who;
    who.token_id = token;
    who.tenants.names = {"acme"};
    if (token == "two")
      who.tenants.names = {"acme", "globex"};
    else if (token == "admin")
      who = {"admin", domain::role::admin, {true, {}}};
    else if (token != "one")
      return {domain::failure::unauthenticated, "no"};
    return who;
  }
  domain::status check_tenant(std::string_view tenant) const override {
    if (tenant == "globex")
      return {domain::failure::tenant_suspended, "the tenant is suspended"};
    if (tenant != "acme")
      return {domain::failure::unknown_tenant, "the tenant is not registered"};
    return domain::done();
  }
  std::vector<std::string> tenants() const override {
    return {"acme", "globex"};
  }
  mutable int asked = 0;
};

struct door {
  door() {
    http::api_dependencies with{
      .gateway = &gateway,
      .view = storage::status_view(*store),
      .ops = storage::ops_view(*store),
      .access = &tokens,
      .order_limits = {},
      .cursors = codec::cursor_sealer(std::string(32, 'k')),
      .clock = &clock,
      .ids = ids,
      .metrics = &metrics,
      .environment = "test",
      .ready = [this] { return ready; },
      .counts = {},
      .denied = [this](const auto& one) { denials.push_back(one); }};
    api.emplace(std::move(with));
  }
  http::response send(std::string method, std::string target,
                      http::header_list headers = {}, std::string body = {}) {
    std::optional<http::response> got;
    (*api)(
      std::make_shared<const http::request>(http::request{std::move(method),
                                                          std::move(target),
                                                          std::move(headers),
                                                          std::move(body),
                                                          {}}),
      [&](http::response one) { got = std::move(one); });
    REQUIRE(got.has_value());
    return *got;
  }

  test::temp_directory directory;
  std::unique_ptr<storage::store> store =
    test::open_or_throw(test::options_for(directory.path() + "/data"));
  actors::gateway gateway{std::make_unique<actors::gateway::links>()};
  some_tokens tokens;
  support::manual_clock clock{1'800'000'000'000};
  std::shared_ptr<support::id_source> ids =
    std::make_shared<support::seeded_id_source>(clock, 1);
  support::metrics metrics;
  http::readiness ready{true, {}, {}};
  std::vector<domain::denial> denials;
  std::optional<http::api> api;
};

const std::pair<std::string, std::string> one{"Authorization", "Bearer one"};
const std::pair<std::string, std::string> two{"Authorization", "bearer two"};
const std::pair<std::string, std::string> admin{"Authorization",
                                                "Bearer admin"};

bool is_problem(const http::response& of, int status, std::string_view name) {
  return of.status == status
         && of.body.find("urn:parcelflow:problem:" + std::string(name) + '"')
              != std::string::npos;
}

std::string header_of(const http::response& of, std::string_view name) {
  for (const auto& [key, value] : of.headers)
    if (key == name)
      return value;
  return {};
}

} // namespace

TEST_CASE("a path that is not there is 404, a method that is not, 405") {
  door at;
  CHECK(is_problem(at.send("GET", "/v2/orders"), 404, "not_found"));
  CHECK(is_problem(at.send("GET", "/v1/orders/"), 404, "not_found"));
  const auto answer = at.send("DELETE", "/v1/orders");
  CHECK(is_problem(answer, 405, "method_not_allowed"));
  CHECK(header_of(answer, "Allow") == "POST, GET");
  CHECK(at.tokens.asked == 0);
}

TEST_CASE("a request without a valid token is 401, counted, logged once") {
  door at;
  std::size_t lines = 0;
  const support::log::redirection catching([&](auto) { lines += 1; });
  const http::header_list none[] = {
    {},
    {{"Authorization", "Bearer"}},
    {{"Authorization", "Bearer wrong"}},
    {{"Authorization", "Basic one"}},
    {one, one},
  };
  for (const auto& headers : none) {
    const auto answer = at.send("GET", "/v1/orders/x", headers);
    CHECK(is_problem(answer, 401, "unauthenticated"));
    CHECK(header_of(answer, "WWW-Authenticate") == "Bearer");
  }
  CHECK(lines == 1);
  CHECK(at.metrics.counter("parcelflow_http_unauthenticated_total", "").value()
        == std::size(none));
  at.clock.advance(60'000);
  CHECK(at.send("GET", "/v1/orders/x").status == 401);
  CHECK(lines == 2);
}

TEST_CASE("one tenant is implied, several must be chosen from") {
  door at;
  CHECK(at.send("GET", "/v1/orders", {one}).status == 200);
  CHECK(
    is_problem(at.send("GET", "/v1/orders", {two}), 400, "invalid_request"));
  CHECK(
    at.send("GET", "/v1/orders", {two, {"Parcelflow-Tenant", "acme"}}).status
    == 200);
  CHECK(is_problem(
    at.send("GET", "/v1/orders", {two, {"parcelflow-tenant", "globex"}}), 403,
    "tenant_suspended"));
  CHECK(is_problem(
    at.send("GET", "/v1/orders", {admin, {"Parcelflow-Tenant", "nobody"}}), 403,
    "unknown_tenant"));
}

TEST_CASE("a foreign tenant is refused alike, whether it exists or not") {
  door at;
  const auto known =
    at.send("GET", "/v1/orders", {one, {"Parcelflow-Tenant", "globex"}});
  const auto unknown =
    at.send("GET", "/v1/orders", {one, {"Parcelflow-Tenant", "nobody"}});
  CHECK(is_problem(known, 403, "forbidden"));
  CHECK(known.body == unknown.body);
  REQUIRE(at.denials.size() == 1); // the second one within a minute
  CHECK(at.denials[0].actor == "one");
  CHECK(at.denials[0].tenant == "globex");
}

TEST_CASE("a denial tells the route, and nothing that the client wrote") {
  door at;
  const std::string canary = "pft_canary";
  const auto denied = [&](const std::string& target,
                          const http::header_list& headers) {
    CHECK(is_problem(at.send("GET", target, headers), 403, "forbidden"));
  };
  denied("/v1/dead-letters/" + canary + "?token=" + canary, {one});
  denied("/v1/dead-letters?token=" + canary, {one});
  denied("/v1/inventory/" + canary, {one, {"Parcelflow-Tenant", canary}});
  REQUIRE(at.denials.size() == 3);
  CHECK(at.denials[0].verb == "GET /v1/dead-letters/{id}");
  CHECK(at.denials[1].verb == "GET /v1/dead-letters");
  CHECK(at.denials[2].verb == "GET /v1/inventory/{sku}");
  for (const auto& told : at.denials)
    CHECK((told.actor + told.tenant + told.verb).find(canary)
          == std::string::npos);
}

TEST_CASE("denials are told once a minute for an actor and a route") {
  door at;
  const auto denied = [&](const std::string& target) {
    return at.send("GET", target, {one}).status == 403;
  };
  for (int i = 0; i < 5; ++i)
    CHECK(denied("/v1/dead-letters"));
  REQUIRE(at.denials.size() == 1);
  CHECK(at.denials[0].count == 1);
  at.clock.advance(60'000);
  CHECK(denied("/v1/dead-letters/x")); // also tells what is due
  REQUIRE(at.denials.size() == 3);
  CHECK(at.denials[1].verb == "GET /v1/dead-letters");
  CHECK(at.denials[1].count == 4);
  CHECK(at.denials[2].verb == "GET /v1/dead-letters/{id}");
  CHECK(at.metrics.counter("parcelflow_http_denied_total", "").value() == 6);
}

TEST_CASE("what is remembered of denials is bounded") {
  domain::denial_book book;
  std::vector<domain::denial> told;
  const auto tell = [&](const domain::denial& what) { told.push_back(what); };
  constexpr auto most = domain::denial_book::pairs_max;
  for (std::size_t i = 0; i < most + 50; ++i)
    book.note({"tok-" + std::to_string(i), "acme", "GET /v1/orders"}, 1, tell);
  CHECK(told.size() == most + 1);
  CHECK(told.back().actor == "(others)");
  told.clear();
  book.note({"tok-new", "acme", "GET /v1/orders"},
            1 + domain::denial_book::pause_ms, tell);
  REQUIRE(told.size() == 2);
  CHECK(told[0].count == 49); // of the others
  CHECK(told[1].actor == "tok-new");
}

TEST_CASE("dead letters are for responders, built-in scopes for admins") {
  door at;
  CHECK(
    is_problem(at.send("GET", "/v1/dead-letters", {one}), 403, "forbidden"));
  const std::pair<std::string, std::string> scope{"Parcelflow-Tenant",
                                                  "~unattributed"};
  CHECK(is_problem(at.send("GET", "/v1/dead-letters", {one, scope}), 403,
                   "forbidden"));
  CHECK(at.send("GET", "/v1/dead-letters", {admin, scope}).status == 200);
  CHECK(is_problem(at.send("PUT", "/v1/inventory/s", {admin, scope}, "{}"), 403,
                   "forbidden"));
}

TEST_CASE("a list refuses parameters and values that it does not know") {
  door at;
  const auto refused = [&](const std::string& target, std::string_view naming) {
    const auto answer = at.send("GET", target, {one});
    return is_problem(answer, 400, "invalid_request")
           && answer.body.find(naming) != std::string::npos;
  };
  CHECK(refused("/v1/orders?colour=red", "colour"));
  CHECK(refused("/v1/orders?limit=0", "limit"));
  CHECK(refused("/v1/orders?limit=201", "limit"));
  CHECK(refused("/v1/orders?limit=2&limit=3", "limit"));
  CHECK(refused("/v1/orders?state=gone", "state"));
  CHECK(refused("/v1/orders?not_finished_for=soon", "not_finished_for"));
  CHECK(refused("/v1/orders?cursor=AAAA", "cursor"));
  CHECK(refused("/v1/orders?event_id=e&limit=1", "event_id"));
  CHECK(refused("/v1/inventory?state=accepted", "state"));
  CHECK(refused("/v1/orders/x?wait=1", "wait"));
}

TEST_CASE("a body must be JSON, and an order needs its key") {
  door at;
  const std::pair<std::string, std::string> json{
    "Content-Type", "Application/JSON; charset=utf-8"};
  CHECK(is_problem(at.send("POST", "/v1/orders", {one}, "{}"), 415,
                   "unsupported_media_type"));
  CHECK(is_problem(
    at.send("POST", "/v1/orders", {one, {"Content-Type", "text/plain"}}, "{}"),
    415, "unsupported_media_type"));
  CHECK(is_problem(at.send("POST", "/v1/orders", {one, json}, "{}"), 400,
                   "missing_idempotency_key"));
  CHECK(is_problem(
    at.send("POST", "/v1/orders", {one, json, {"Idempotency-Key", "k"}}, "{}"),
    400, "invalid_request"));
  CHECK(is_problem(at.send("PUT", "/v1/inventory/s", {one}, "{}"), 415,
                   "unsupported_media_type"));
  CHECK(is_problem(at.send("PUT", "/v1/inventory/s", {one, json}, "{}"), 400,
                   "invalid_request"));
  CHECK(is_problem(
    at.send("PUT", "/v1/inventory/a%20b", {one, json}, R"({"onHand":1})"), 400,
    "invalid_request"));
}

TEST_CASE("probes and metrics ask for no token") {
  door at;
  CHECK(at.send("GET", "/livez").body == R"({"live":true})");
  CHECK(at.send("GET", "/readyz").body == R"({"ready":true,"reasons":[]})");
  at.ready = {false, {"recovery is under way"}, {{"oldestMs", "7"}}};
  auto answer = at.send("GET", "/readyz");
  CHECK(answer.status == 503);
  CHECK(answer.body
        == R"({"ready":false,"reasons":["recovery is under way"]})");
  answer = at.send("GET", "/readyz?verbose");
  CHECK(answer.body.find(R"("detail":{"oldestMs":7})") != std::string::npos);
  CHECK(at.send("GET", "/metrics").body.find("parcelflow_http_denied_total")
        != std::string::npos);
  CHECK(at.tokens.asked == 0);
}

TEST_CASE("an ETag is matched as a list, weak or star") {
  const auto tag = http::etag_of("body");
  CHECK(http::etag_of("body") == tag);
  CHECK(http::etag_of("other") != tag);
  CHECK(http::matches_etag(tag, tag));
  CHECK(http::matches_etag("\"a\", W/" + tag, tag));
  CHECK(http::matches_etag(" * ", tag));
  CHECK_FALSE(http::matches_etag("\"a\"", tag));
  CHECK_FALSE(http::matches_etag("", tag));
}
