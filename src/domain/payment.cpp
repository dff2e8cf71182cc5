#include "domain/payment.hpp"

#include <charconv>

namespace parcelflow::domain {
namespace {

constexpr std::string_view delay_token = "tok_delay_";
constexpr unix_ms delay_max_ms = 600000;

std::optional<unix_ms> delay_of(std::string_view token) {
  if (!token.starts_with(delay_token))
    return 0;
  token.remove_prefix(delay_token.size());
  unix_ms ms = 0;
  const auto parsed =
    std::from_chars(token.data(), token.data() + token.size(), ms);
  if (parsed.ec != std::errc() || parsed.ptr != token.data() + token.size()
      || ms < 0 || ms > delay_max_ms)
    return 0;
  return ms;
}

} // namespace

fake_payment_answer authorize_fake(const payment_request& request,
                                   unix_ms now) {
  if (request.token == "tok_decline")
    return {0, {failure::payment_declined, "the authorizer declined"}};
  authorization granted;
  granted.id = "aut-" + request.reservation_id;
  granted.amount_minor = request.amount_minor;
  granted.at = now;
  if (request.token == "tok_silent")
    return {std::nullopt, granted};
  return {delay_of(request.token), granted};
}

} // namespace parcelflow::domain
