#include "domain/access.hpp"

#include <doctest/doctest.h>

namespace parcelflow::domain {

namespace {

token_hash hash_of(std::uint8_t first) {
  token_hash hash{};
  hash[0] = first;
  return hash;
}

access_registry example() {
  access_registry registry;
  registry.tenants = {{"acme", tenant_state::active},
                      {"globex", tenant_state::suspended},
                      {"gone", tenant_state::erased}};
  registry.tokens = {
    {"tok-1", hash_of(1), role::tenant_operator, {false, {"acme"}}, 0, 1000},
    {"tok-2", hash_of(2), role::admin, {true, {}}, 0, 1000},
    {"tok-3", hash_of(3), role::admin, {true, {}}, 0, 1000, true},
  };
  return registry;
}

bool equal(const token_hash& a, const token_hash& b) {
  return a == b;
}

} // namespace

TEST_CASE("a known token gives its identity until the instant it expires") {
  const auto registry = example();
  const auto who = registry.authenticate(hash_of(1), 999, equal);
  REQUIRE(who.ok());
  CHECK(*who == identity{"tok-1", role::tenant_operator, {false, {"acme"}}});
  CHECK_FALSE(registry.authenticate(hash_of(1), 1000, equal).ok());
}

TEST_CASE("unknown, revoked and expired tokens get the same answer") {
  const auto registry = example();
  const auto unknown = registry.authenticate(hash_of(9), 0, equal);
  const auto revoked = registry.authenticate(hash_of(3), 0, equal);
  const auto expired = registry.authenticate(hash_of(2), 5000, equal);
  REQUIRE_FALSE(unknown.ok());
  REQUIRE_FALSE(revoked.ok());
  REQUIRE_FALSE(expired.ok());
  CHECK(unknown.why().code == failure::unauthenticated);
  CHECK(unknown.why() == revoked.why());
  CHECK(unknown.why() == expired.why());
}

TEST_CASE("an empty registry knows nobody") {
  CHECK_FALSE(access_registry{}.authenticate(token_hash{}, 0, equal).ok());
}

TEST_CASE("every token is compared, whichever matches") {
  const auto registry = example();
  int compared = 0;
  const auto counting = [&](const token_hash& a, const token_hash& b) {
    ++compared;
    return a == b;
  };
  CHECK(registry.authenticate(hash_of(1), 0, counting).ok());
  CHECK(compared == 3);
}

TEST_CASE("a role includes the lower ones, over its own tenants only") {
  const identity responder{"t", role::responder, {false, {"acme"}}};
  CHECK(may(responder, role::tenant_operator, "acme"));
  CHECK(may(responder, role::responder, "acme"));
  CHECK_FALSE(may(responder, role::admin, "acme"));
  CHECK_FALSE(may(responder, role::tenant_operator, "globex"));
  CHECK_FALSE(may(responder, role::tenant_operator, ""));
  const identity everywhere{"t", role::tenant_operator, {true, {}}};
  CHECK(may(everywhere, role::tenant_operator, "globex"));
  CHECK_FALSE(may(everywhere, role::responder, "globex"));
}

TEST_CASE("built-in tenants are an admin's over all tenants") {
  CHECK(may({"t", role::admin, {true, {}}}, role::responder, "_control"));
  CHECK_FALSE(
    may({"t", role::responder, {true, {}}}, role::responder, "_control"));
  CHECK_FALSE(may({"t", role::admin, {false, {"_control"}}}, role::responder,
                  "_control"));
}

TEST_CASE("a tenant takes orders only while it is active") {
  const auto registry = example();
  CHECK(registry.check_tenant("acme").ok());
  CHECK(registry.check_tenant("globex").why().code
        == failure::tenant_suspended);
  CHECK(registry.check_tenant("gone").why().code == failure::tenant_erased);
  CHECK(registry.check_tenant("nobody").why().code == failure::unknown_tenant);
  CHECK(registry.check_tenant("_control").why().code
        == failure::unknown_tenant);
}

TEST_CASE("customer tenants have names that cannot be mistaken") {
  CHECK(is_customer_tenant("acme"));
  CHECK(is_customer_tenant("0-a"));
  CHECK(is_customer_tenant(std::string(63, 'a')));
  const std::string too_long(64, 'a');
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("_control"),
        std::string_view("-a"), std::string_view("Acme"),
        std::string_view("a_b"), std::string_view("a/b"), std::string_view("*"),
        std::string_view("a\0", 2), std::string_view(too_long)})
    CHECK_FALSE_MESSAGE(is_customer_tenant(bad), std::string(bad));
}

TEST_CASE("roles and states have names both ways") {
  for (const auto one : {role::tenant_operator, role::responder, role::admin})
    CHECK(role_named(to_string(one)) == one);
  for (const auto one :
       {tenant_state::active, tenant_state::suspended, tenant_state::erased})
    CHECK(tenant_state_named(to_string(one)) == one);
  CHECK(to_string(role::tenant_operator) == "operator");
  CHECK_FALSE(role_named("root"));
  CHECK_FALSE(tenant_state_named(""));
}

} // namespace parcelflow::domain
