// The file of tokens and tenants, and what `parcelflow token` does with it.
//
// A change reads the file, alters it and replaces it whole: temporary file
// (mode 0600), fsync, rename, fsync of the folder. So a reader sees the old or
// the new registry, never half of one, and a crash loses at most the change
// that was not answered yet. Changes exclude each other by a lock file.
// A token's text exists once, in the answer of `issue_token`; what is kept is
// its SHA-256. Nothing here logs.
//
// Thread rule: free functions, safe from any thread and process. Errors:
// not_found, invalid_request, tenant_erased, config_invalid (the text of the
// file), storage_io (the system's word).
#pragma once

#include "domain/access.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::app {

/// Refuses a file that others may write (`config_invalid`); not_found if there
/// is none yet.
[[nodiscard]] domain::outcome<domain::access_registry>
load_access(const std::string& path);

/// Replaces the file. Its folder must exist.
[[nodiscard]] domain::status save_access(const std::string& path,
                                         const domain::access_registry& to);

struct token_request {
  domain::tenant_set tenants;
  domain::role granted = domain::role::tenant_operator;
  std::chrono::milliseconds lifetime{};
};

/// From the words of the command line: "acme,globex" or "*"; "responder";
/// "30d". A lifetime is 1 minute to 10 years.
[[nodiscard]] domain::outcome<token_request>
parse_token_request(std::string_view tenants, std::string_view role,
                    std::string_view expires);

struct issued_token {
  std::string token; ///< "pft_…": shown once, kept nowhere
  std::string token_id;
  std::int64_t expires_at_ms = 0;
};

/// Makes a token of 256 random bits and registers tenants that are new. Also
/// drops entries that expired over 30 days ago. Creates file and folder.
[[nodiscard]] domain::outcome<issued_token>
issue_token(const std::string& path, const token_request& request,
            std::int64_t now_ms);

/// Idempotent; not_found if there never was such an id.
[[nodiscard]] domain::status revoke_token(const std::string& path,
                                          const std::string& token_id);

/// Suspends, resumes or erases a registered tenant; erased is for ever.
[[nodiscard]] domain::status set_tenant_state(const std::string& path,
                                              const std::string& tenant,
                                              domain::tenant_state state);

/// A token as `token list` shows it: neither token nor hash.
struct token_row {
  std::string token_id;
  std::string role;
  std::string tenants; ///< "acme, globex" or "*"
  std::string state;   ///< active, expired or revoked
  std::int64_t issued_at_ms = 0;
  std::int64_t expires_at_ms = 0;
};

[[nodiscard]] std::vector<token_row>
list_tokens(const domain::access_registry& of, std::int64_t now_ms);

/// The rows in columns, with a headline.
[[nodiscard]] std::string show_tokens(const std::vector<token_row>& rows);

} // namespace parcelflow::app
