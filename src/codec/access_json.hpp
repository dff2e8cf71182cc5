// The access registry as the text of its file, and back:
//
//   {"format": 1,
//    "tenants": {"acme": "active"},
//    "tokens": [{"id": "tok-…", "sha256": "<64 hex digits>",
//                "role": "operator", "tenants": ["acme"],
//                "issued_at_ms": 0, "expires_at_ms": 0, "state": "active"}]}
//
// Strict both ways of mistake: an unknown member, a role that does not exist or
// a token id given twice refuses the whole file, since half a registry would
// silently lock people out or let them in. "tenants": ["*"] means all.
// Thread rule: free functions. Errors: `config_invalid` with the member's path.
#pragma once

#include "domain/access.hpp"

#include <string>
#include <string_view>

namespace parcelflow::codec {

/// Indented, ends with a newline; the same registry gives the same bytes.
[[nodiscard]] std::string encode_access(const domain::access_registry& of);

[[nodiscard]] domain::outcome<domain::access_registry>
decode_access(std::string_view text);

} // namespace parcelflow::codec
