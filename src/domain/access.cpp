#include "domain/access.hpp"

#include "domain/event.hpp"

#include <algorithm>
#include <utility>

namespace parcelflow::domain {

namespace {

constexpr std::array role_names{
  std::pair{role::tenant_operator, std::string_view("operator")},
  std::pair{role::responder, std::string_view("responder")},
  std::pair{role::admin, std::string_view("admin")}};

constexpr std::array state_names{
  std::pair{tenant_state::active, std::string_view("active")},
  std::pair{tenant_state::suspended, std::string_view("suspended")},
  std::pair{tenant_state::erased, std::string_view("erased")}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value)
      return name;
  return "unknown";
}

template <class Value, std::size_t N>
std::optional<Value>
value_of(const std::array<std::pair<Value, std::string_view>, N>& names,
         std::string_view text) {
  for (const auto& [known, name] : names)
    if (name == text)
      return known;
  return std::nullopt;
}

} // namespace

std::string_view to_string(role value) noexcept {
  return name_of(role_names, value);
}

std::optional<role> role_named(std::string_view name) noexcept {
  return value_of(role_names, name);
}

std::string_view to_string(tenant_state value) noexcept {
  return name_of(state_names, value);
}

std::optional<tenant_state> tenant_state_named(std::string_view name) noexcept {
  return value_of(state_names, name);
}

bool is_customer_tenant(std::string_view name) noexcept {
  return is_tenant_name(name) && name.front() != '_';
}

bool tenant_set::contains(std::string_view tenant) const noexcept {
  return all || std::find(names.begin(), names.end(), tenant) != names.end();
}

bool may(const identity& who, role needed, std::string_view tenant) noexcept {
  if (who.granted < needed || tenant.empty())
    return false;
  if (tenant.front() == '_')
    return who.granted == role::admin && who.tenants.all;
  return who.tenants.contains(tenant);
}

namespace {

outcome<identity> identity_by(const token_entry* token, std::int64_t now_ms) {
  if (token == nullptr || token->revoked || now_ms >= token->expires_at_ms)
    return {failure::unauthenticated, "a valid bearer token is required"};
  return identity{token->token_id, token->granted, token->tenants};
}

} // namespace

outcome<identity>
access_registry::authenticate(const token_hash& presented, std::int64_t now_ms,
                              const hash_compare& equal) const {
  const token_entry* found = nullptr;
  for (const auto& token : tokens)
    if (equal(token.hash, presented))
      found = &token;
  return identity_by(found, now_ms);
}

outcome<identity> access_registry::identity_of(std::string_view token_id,
                                               std::int64_t now_ms) const {
  const auto found =
    std::find_if(tokens.begin(), tokens.end(),
                 [&](const auto& token) { return token.token_id == token_id; });
  return identity_by(found == tokens.end() ? nullptr : &*found, now_ms);
}

status access_registry::check_tenant(std::string_view tenant) const {
  const auto found = tenants.find(tenant);
  if (found == tenants.end())
    return {failure::unknown_tenant, "the tenant is not registered"};
  switch (found->second) {
  case tenant_state::active: return done();
  case tenant_state::suspended:
    return {failure::tenant_suspended, "the tenant is suspended"};
  case tenant_state::erased:
    return {failure::tenant_erased, "the tenant was erased"};
  }
  return {failure::unknown_tenant, "the tenant is not registered"};
}

} // namespace parcelflow::domain
