// Strong validators: an ETag is a digest of the body, so that equal bytes have
// equal tags across restarts, and a poll that meets nothing new costs no body.
// Thread rule: pure functions. Errors: none; a header that does not parse
// matches nothing.
#pragma once

#include "http/server.hpp"

#include <string>
#include <string_view>

namespace parcelflow::http {

/// The quoted tag of a body.
[[nodiscard]] std::string etag_of(std::string_view body);

/// RFC 9110: "*", or a list in which the tag stands (weakly compared).
[[nodiscard]] bool matches_etag(std::string_view if_none_match,
                                std::string_view tag);

/// Whether If-Match, where it stands, names this tag: strongly compared, so a
/// weak one names nothing. Without the header nothing was asked.
[[nodiscard]] bool meets_if_match(const request& in, std::string_view tag);

/// 200 with the JSON body and its tag; 304 without it, if the client has it.
[[nodiscard]] response with_etag(const request& in, std::string body);

} // namespace parcelflow::http
