// What becomes of the owners' answers, with an order owner that says what the
// test wants. It is a typed fake, so that the compiler keeps it complete.
#include "actors/gateway_links.hpp"
#include "http/routes.hpp"
#include "storage/store.hpp"
#include "tests/storage/store_fixture.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace parcelflow;
using namespace parcelflow::actors;

namespace {

struct said {
  place_answer placed;
  domain::outcome<command_answer> commanded{domain::failure::internal, ""};
  std::vector<domain::order_request> requests;
};

order_actor::behavior_type fake_order(order_actor::pointer, said* what) {
  return {
    [](durable_atom) {},
    [](flush_atom) {},
    [](tick_atom) {},
    [what](place_atom, const place_ptr& order) {
      what->requests.push_back(order->request);
      order->answer(what->placed);
    },
    [what](command_atom, const command_ptr& command) {
      command->answer(what->commanded);
    },
    [](reserved_atom, const reserved_batch&) {},
    [](granted_atom, const granted_batch&) {},
    [](resolve_atom, const reservation_refs&) {},
    [](resend_atom, const resend_request&) {},
    [](drain_atom) { return true; },
  };
}

class one_tenant final : public http::authenticator {
public:
  domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms) const override {
    if (token != "one")
      return {domain::failure::unauthenticated, "no"};
    return domain::identity{
      "one", domain::role::tenant_operator, {false, {"acme"}}};
  }
  domain::status check_tenant(std::string_view) const override {
    return domain::done();
  }
  std::vector<std::string> tenants() const override { return {"acme"}; }
};

struct manual_config : caf::actor_system_config {
  manual_config() { set("scheduler.policy", caf::atom("testing")); }
};

struct door {
  door() {
    auto links = std::make_unique<gateway::links>();
    links->order = system.spawn(fake_order, &said);
    to.emplace(std::move(links));
    http::api_dependencies with{
      .gateway = &*to,
      .view = storage::status_view(*store),
      .ops = storage::ops_view(*store),
      .access = &tokens,
      .order_limits = {},
      .cursors = codec::cursor_sealer(std::string(32, 'k')),
      .clock = &clock,
      .ids = std::make_shared<support::seeded_id_source>(clock, 1),
      .metrics = &metrics,
      .environment = "test",
      .ready =
        [] {
          return http::readiness{true, {}, {}};
        },
      .counts = {},
      .denied = {}};
    api.emplace(std::move(with));
  }
  http::response send(const std::string& token, std::string target,
                      std::string body) {
    std::optional<http::response> got;
    http::header_list headers{{"Authorization", "Bearer " + token},
                              {"Idempotency-Key", "k"}};
    if (!body.empty())
      headers.emplace_back("Content-Type", "application/json");
    (*api)(
      std::make_shared<const http::request>(http::request{
        "POST", std::move(target), std::move(headers), std::move(body), {}}),
      [&](http::response one) { got = std::move(one); });
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler()).run();
    REQUIRE(got.has_value());
    return *got;
  }

  test::temp_directory directory;
  std::unique_ptr<storage::store> store =
    test::open_or_throw(test::options_for(directory.path() + "/data"));
  ::said said;
  manual_config config;
  caf::actor_system system{config};
  std::optional<gateway> to;
  one_tenant tokens;
  support::manual_clock clock{1'800'000'000'000};
  support::metrics metrics;
  std::optional<http::api> api;
};

const std::string body =
  R"({"lines":[{"sku":"s","quantity":1,"unitPriceMinor":5}],)"
  R"("currency":"EUR","paymentToken":"t"})";

std::string header_of(const http::response& of, std::string_view name) {
  for (const auto& [key, value] : of.headers)
    if (key == name)
      return value;
  return {};
}

} // namespace

TEST_CASE("past the deadline with the outcome open: 202, and what to do") {
  door at;
  at.said.placed.what = place_answer::kind::pending;
  at.said.placed.order_id = "ord-1";
  const auto answer = at.send("one", "/v1/orders", body);
  CHECK(answer.status == 202);
  CHECK(header_of(answer, "Location") == "/v1/orders/ord-1");
  CHECK(answer.body.find(R"("state":"outcome_pending")") != std::string::npos);
  CHECK(answer.body.find("repeat with the same key") != std::string::npos);
}

TEST_CASE("a full or stopping owner says when to come back") {
  door at;
  for (const auto code :
       {domain::failure::overloaded, domain::failure::draining}) {
    at.said.placed.why = {code, "later"};
    const auto answer = at.send("one", "/v1/orders", body);
    CHECK(answer.status == 503);
    CHECK_FALSE(header_of(answer, "Retry-After").empty());
  }
}

TEST_CASE("the owner hears the tenant of the token, and of no other header") {
  door at;
  at.send("one", "/v1/orders", body);
  REQUIRE(at.said.requests.size() == 1);
  CHECK(at.said.requests[0].tenant_id == "acme");
  CHECK(at.said.requests[0].idempotency_key == "k");
}

TEST_CASE("what is refused at the door never reaches the owner") {
  door at;
  CHECK(at.send("nobody", "/v1/orders", body).status == 401);
  CHECK(at.send("one", "/v1/orders?x=1", body).status == 400);
  CHECK(at.send("one", "/v1/orders", "").status == 415);
  CHECK(at.send("one", "/v1/orders", "{}").status == 400);
  CHECK(at.said.requests.empty());
}

TEST_CASE("an inner fault of a command stays inside") {
  door at;
  at.said.commanded = {domain::failure::storage_io, "/var/secret/path"};
  const auto answer = at.send("one", "/v1/orders/ord-1/cancel", "");
  CHECK(answer.status == 503);
  CHECK(answer.body.find("secret") == std::string::npos);
}
