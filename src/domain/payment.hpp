// The payment authorizer as the order owner sees it, and the fake one. A
// request carries the reservation id as its idempotency key, so that a repeat
// gives the same authorization and a release can void it.
#pragma once

#include "domain/failure.hpp"
#include "domain/order.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace parcelflow::domain {

struct payment_request {
  std::string tenant_id;
  std::string reservation_id; ///< the idempotency key
  std::int64_t amount_minor = 0;
  std::string currency;
  std::string token;
};

/// What the fake authorizer does with a token:
///   "tok_decline"     declines;
///   "tok_delay_<ms>"  approves after so many milliseconds;
///   "tok_silent"      never answers, so that the deadline is real;
///   anything else     approves at once.
struct fake_payment_answer {
  std::optional<unix_ms> after_ms; ///< nothing: never
  outcome<authorization> answer;
};

[[nodiscard]] fake_payment_answer authorize_fake(const payment_request& request,
                                                 unix_ms now);

} // namespace parcelflow::domain
