// What a request brings besides an order: its target, headers and bodies. The
// first byte chooses.
#include "codec/ops_request_json.hpp"
#include "http/target.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void request(std::string_view input) {
  switch (choice(input) % 10) {
  case 0: return (void)http::parse_target(input);
  case 1: return (void)http::parse_idempotency_key(input);
  case 2:
    if (const auto trace = http::parse_traceparent(input))
      PF_ASSERT(http::parse_traceparent(http::format_traceparent(*trace)));
    return;
  case 3: return (void)codec::parse_plan_request(input);
  case 4: return (void)codec::parse_execute(input);
  case 5: return (void)codec::parse_reason(input);
  case 6: return (void)codec::parse_skip(input);
  case 7: return (void)codec::parse_redirect(input);
  case 8: return (void)codec::parse_resend(input);
  default: return (void)codec::parse_pause(input);
  }
}

} // namespace parcelflow::fuzz
