// The door of the running daemon: the registry that is in force, and the two
// questions that are put to it. SIGHUP calls `reload`; a file that does not
// load leaves the registry in force as it is, so that a slip locks nobody out.
// A token's text is hashed at once and kept nowhere.
//
// Owner: wiring. Thread rule: every function from any thread. Errors:
// unauthenticated; a tenant's state as in domain/access.hpp; `reload` gives
// load_access's. A missing file is an empty registry: nobody may do anything.
#pragma once

#include "domain/access.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace parcelflow::app {

class access_control {
public:
  /// Nothing is allowed before the first `reload` succeeded.
  explicit access_control(std::string path);

  domain::status reload();

  /// `token` is what follows "Bearer ". Text that has not the form of a token
  /// is refused without hashing it.
  [[nodiscard]] domain::outcome<domain::identity>
  authenticate(std::string_view token, std::int64_t now_ms) const;

  /// Whether a token that was recognised before still is.
  [[nodiscard]] domain::outcome<domain::identity>
  identity_of(std::string_view token_id, std::int64_t now_ms) const;

  [[nodiscard]] domain::status check_tenant(std::string_view tenant) const;

  [[nodiscard]] std::shared_ptr<const domain::access_registry> registry() const;

private:
  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const domain::access_registry> registry_;
};

} // namespace parcelflow::app
