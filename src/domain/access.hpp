// Who may do what, for which tenant. Deny by default: nothing is known, so
// nothing is allowed, until a token's hash and a tenant's name stand in the
// registry. Tokens themselves never come here, only their SHA-256.
//
// Owner: the process holds one registry at a time and replaces it whole when
// the file is read again. Thread rule: plain values; a registry that is shared
// is not changed. Errors: `unauthenticated` tells nothing about why.
#pragma once

#include "domain/failure.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

/// Each role may do what the one before may, and more.
enum class role : std::uint8_t {
  tenant_operator = 1, ///< "operator": orders of its tenants
  responder,           ///< dead letters, evidence and replay of its tenants
  admin,               ///< also the built-in tenants, tokens, maintenance
};

[[nodiscard]] std::string_view to_string(role value) noexcept;
[[nodiscard]] std::optional<role> role_named(std::string_view name) noexcept;

enum class tenant_state : std::uint8_t { active = 1, suspended, erased };

[[nodiscard]] std::string_view to_string(tenant_state value) noexcept;
[[nodiscard]] std::optional<tenant_state>
tenant_state_named(std::string_view name) noexcept;

/// A name that a customer's tenant may have: [a-z0-9][a-z0-9-]{0,62}. Names
/// that begin with '_' are built in (`_control`, …) and never registered.
[[nodiscard]] bool is_customer_tenant(std::string_view name) noexcept;

/// The tenants that a token reaches: all of them ("*"), or those named.
struct tenant_set {
  bool all = false;
  std::vector<std::string> names; ///< empty if `all`

  [[nodiscard]] bool contains(std::string_view tenant) const noexcept;
  friend bool operator==(const tenant_set&, const tenant_set&) = default;
};

using token_hash = std::array<std::uint8_t, 32>;

struct token_entry {
  std::string token_id; ///< public; names the token in lists and logs
  token_hash hash{};    ///< SHA-256 of the token's text
  role granted = role::tenant_operator;
  tenant_set tenants;
  std::int64_t issued_at_ms = 0;
  std::int64_t expires_at_ms = 0; ///< first instant at which it is void
  bool revoked = false;

  friend bool operator==(const token_entry&, const token_entry&) = default;
};

/// Who is asking, once a token was recognised.
struct identity {
  std::string token_id; ///< the actor's name in the operator log
  role granted = role::tenant_operator;
  tenant_set tenants;

  friend bool operator==(const identity&, const identity&) = default;
};

/// True if `who` has that role, or a higher one, over that tenant. The built-in
/// tenants need the role admin over all tenants.
[[nodiscard]] bool may(const identity& who, role needed,
                       std::string_view tenant) noexcept;

/// Compares two hashes in constant time; support/digest has one.
using hash_compare = std::function<bool(const token_hash&, const token_hash&)>;

struct access_registry {
  static constexpr std::size_t tokens_max = 10'000;
  static constexpr std::size_t tenants_max = 10'000;

  std::map<std::string, tenant_state, std::less<>> tenants;
  std::vector<token_entry> tokens;

  /// Looks at every token whatever it finds, so that the time tells nothing.
  [[nodiscard]] outcome<identity> authenticate(const token_hash& presented,
                                               std::int64_t now_ms,
                                               const hash_compare& equal) const;

  /// Of a token that was recognised before and may be revoked by now.
  [[nodiscard]] outcome<identity> identity_of(std::string_view token_id,
                                              std::int64_t now_ms) const;

  /// Done if orders of that tenant may be taken: else unknown_tenant,
  /// tenant_suspended or tenant_erased. Built-in tenants are unknown here.
  [[nodiscard]] status check_tenant(std::string_view tenant) const;

  friend bool operator==(const access_registry&,
                         const access_registry&) = default;
};

} // namespace parcelflow::domain
