// What responders send over HTTP to change something, as JSON bodies. Unknown
// members are refused: a misspelt word must not widen what is done.
// Thread rule: pure functions. Errors: invalid_request, naming the member and
// what is allowed.
#pragma once

#include "codec/filter_text.hpp"
#include "domain/pause.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::codec {

/// {"cause":"SEQUENCE_GAP","consumer":"…",…}: the terms of the one grammar.
[[nodiscard]] domain::outcome<filter_terms>
parse_plan_request(std::string_view body);

struct execute_body {
  std::uint32_t rate_per_s = 0; ///< "ratePerS"; 0: as fast as it goes
  std::string reason;
};
[[nodiscard]] domain::outcome<execute_body>
parse_execute(std::string_view body);

/// {"reason":"…"}; may be empty, or no body at all, where none is needed.
[[nodiscard]] domain::outcome<std::string> parse_reason(std::string_view body);

struct stream_body {
  std::string consumer;
  std::string aggregate_id;   ///< "aggregateId"
  std::string to_consumer;    ///< redirect: "toConsumer"
  std::uint64_t sequence = 0; ///< skip
  std::uint64_t from = 1;     ///< resend
  std::uint64_t to = 0;       ///< resend; 0: as many as there are
  std::string reason;
};
[[nodiscard]] domain::outcome<stream_body> parse_skip(std::string_view body);
[[nodiscard]] domain::outcome<stream_body>
parse_redirect(std::string_view body);
[[nodiscard]] domain::outcome<stream_body> parse_resend(std::string_view body);

struct pause_body {
  domain::pause_target target; ///< without its tenant
  std::string reason;
};
/// {"scope":"relay|consumer|tenant|stream","consumer":…,"aggregateId":…}.
[[nodiscard]] domain::outcome<pause_body> parse_pause(std::string_view body);

} // namespace parcelflow::codec
