// What a client is told when it is refused. This is the one place where a
// `domain::failure` becomes an HTTP status and an RFC 9457 problem document:
// `type` is `urn:parcelflow:problem:<name>` and never changes, `title` belongs
// to the type, `detail` to this one refusal. Failures of storage, bus and the
// program itself get a general sentence; their own detail is for the log.
// Thread rule: pure functions over values. Errors: none.
#pragma once

#include "domain/failure.hpp"
#include "http/server.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::http {

/// One type of problem. The texts are literals.
struct problem_kind {
  int status = 500;
  std::string_view name;  ///< last part of `type`, e.g. "out_of_stock"
  std::string_view title; ///< the same for every problem of this type
  int retry_after_s = 0;  ///< Retry-After in seconds; 0 = no such header
  bool internal = false;  ///< the detail stays inside; `title` is shown
};

/// Members beside the standard ones: name and its value as JSON text.
using extra_members = std::vector<std::pair<std::string, std::string>>;

/// The mapping. A test pins every failure to its status.
[[nodiscard]] problem_kind problem_kind_of(domain::failure code) noexcept;

/// The answer for a problem of that kind. Bytes of `detail` that are not ASCII
/// show as '?'. Each extra value must be JSON text, and its name none of the
/// standard members (asserted).
[[nodiscard]] response problem_response(const problem_kind& kind,
                                        std::string_view detail,
                                        const extra_members& extra = {});

[[nodiscard]] response problem_response(const domain::fault& why);
[[nodiscard]] response problem_response(const domain::fault& why,
                                        const extra_members& extra);

} // namespace parcelflow::http
