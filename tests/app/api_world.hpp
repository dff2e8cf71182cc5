// The API over a whole engine: requests go to the handler directly, the
// engine runs on the test coordinator until the answer is there.
// Owner: the test. Thread rule: the test's thread.
#pragma once

#include "app/http_access.hpp"
#include "http/routes.hpp"
#include "storage/outbox.hpp"
#include "support/digest.hpp"
#include "tests/support/world.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace parcelflow::test {

/// Tokens are names: "op" and "resp" of acme, "other" of globex, "both",
/// "root" (admin of all).
class named_tokens final : public http::authenticator {
public:
  domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms) const override {
    using domain::role;
    static const std::map<std::string, domain::identity, std::less<>> all{
      {"op", {"tok-op", role::tenant_operator, {false, {"acme"}}}},
      {"resp", {"tok-resp", role::responder, {false, {"acme"}}}},
      {"other", {"tok-other", role::responder, {false, {"globex"}}}},
      {"both", {"tok-both", role::responder, {false, {"acme", "globex"}}}},
      {"root", {"tok-root", role::admin, {true, {}}}},
    };
    const auto found = all.find(token);
    if (found == all.end())
      return {domain::failure::unauthenticated, "no"};
    return found->second;
  }
  domain::status check_tenant(std::string_view tenant) const override {
    if (tenant == "acme" || tenant == "globex")
      return domain::done();
    return {domain::failure::unknown_tenant, "the tenant is not registered"};
  }
  std::vector<std::string> tenants() const override {
    return {"acme", "globex"};
  }
};

class api_world {
public:
  explicit api_world(const std::function<void(app::config&)>& adjust = {},
                     std::function<void(app::seams&)> inject = {})
    : engine(adjust, std::move(inject)) {
    serve();
  }
  std::size_t export_letters_max = 10'000; ///< from the next `serve` on
  void serve() {
    http::api_dependencies with{
      .gateway = &engine.it->gateway(),
      .view = storage::status_view(engine.it->store()),
      .ops = storage::ops_view(engine.it->store()),
      .access = &tokens,
      .order_limits = {},
      .export_letters_max = export_letters_max,
      .cursors = codec::cursor_sealer(std::string(32, 'k')),
      .clock = &engine.clock,
      .ids = ids,
      .metrics = &engine.it->metrics(),
      .environment = "test",
      .ready =
        [] {
          return http::readiness{true, {}, {}};
        },
      .counts =
        [this] { return app::consumer_counts_of(engine.it->metrics()); },
      .denied = {},
      .desk = &engine.it->desk()};
    api.emplace(std::move(with));
  }

  using slot = std::shared_ptr<std::optional<http::response>>;
  slot start(const std::string& token, std::string method, std::string target,
             http::header_list headers = {}, std::string body = {}) {
    headers.emplace_back("Authorization", "Bearer " + token);
    if (!body.empty())
      headers.emplace_back("Content-Type", "application/json");
    auto got = std::make_shared<std::optional<http::response>>();
    (*api)(
      std::make_shared<const http::request>(http::request{std::move(method),
                                                          std::move(target),
                                                          std::move(headers),
                                                          std::move(body),
                                                          {}}),
      [got](http::response one) {
        CHECK_FALSE_MESSAGE(got->has_value(), "answered twice");
        *got = std::move(one);
      });
    return got;
  }
  http::response send(const std::string& token, std::string method,
                      std::string target, http::header_list headers = {},
                      std::string body = {}) {
    auto got = start(token, std::move(method), std::move(target),
                     std::move(headers), std::move(body));
    engine.run();
    REQUIRE(got->has_value());
    return **got;
  }
  http::response get(const std::string& token, std::string target) {
    return send(token, "GET", std::move(target));
  }
  http::response place(const std::string& token, const std::string& key,
                       const std::string& payment = "tok_ok",
                       int quantity = 1) {
    return send(token, "POST", "/v1/orders", {{"Idempotency-Key", key}},
                body_of(payment, quantity));
  }
  static std::string body_of(const std::string& payment = "tok_ok",
                             int quantity = 1,
                             const std::string& sku = "sku-1") {
    return R"({"lines":[{"sku":")" + sku + R"(","quantity":)"
           + std::to_string(quantity)
           + R"(,"unitPriceMinor":1250}],"currency":"EUR","paymentToken":")"
           + payment + R"("})";
  }
  std::string accepted(const std::string& token, const std::string& key) {
    const auto answer = place(token, key);
    REQUIRE_MESSAGE(answer.status == 201, answer.body);
    return json(answer)["orderId"];
  }

  static nlohmann::json json(const http::response& of) {
    return nlohmann::json::parse(of.body);
  }
  static std::string header(const http::response& of, std::string_view name) {
    for (const auto& [key, value] : of.headers)
      if (key == name)
        return value;
    return {};
  }
  /// "409 out_of_stock".
  static std::string problem(const http::response& of) {
    CHECK(header(of, "Content-Type") == "application/problem+json");
    const std::string type = json(of)["type"];
    return std::to_string(of.status) + ' ' + type.substr(type.rfind(':') + 1);
  }

  world engine;
  named_tokens tokens;
  std::shared_ptr<support::id_source> ids =
    std::make_shared<support::seeded_id_source>(engine.clock, 99);
  std::optional<http::api> api;
};

} // namespace parcelflow::test
