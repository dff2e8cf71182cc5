// What is said about orders and stock in JSON: the requests of tenants, and the
// `data` of order events, written by the order owner and read by consumers.
// Money is a whole number of the currency's minor unit, everywhere.
// Thread rule: free functions without state.
// Errors: `invalid_request` (or `payload_too_large`) for requests, strict:
// unknown members are refused; `invalid_envelope` for event data, which may
// carry members that we do not know. Details name the member and what is
// allowed and never quote a value.
#pragma once

#include "codec/strict_json.hpp"
#include "domain/failure.hpp"
#include "domain/order.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::codec {

inline constexpr std::int64_t unit_price_minor_max = 1'000'000'000'000;
inline constexpr std::int64_t on_hand_max = 1'000'000'000'000;
/// 2^53 - 1: the largest that every JSON reader holds exactly.
inline constexpr std::int64_t total_minor_max = 9'007'199'254'740'991;

struct order_limits {
  json_limits json = {.bytes_max = std::size_t{64} << 10, .depth_max = 8};
  std::size_t lines_max = 100;
  std::int64_t quantity_max = 1'000'000;
};

/// The body of `POST /v1/orders`. Lines stay in the caller's order. Tenant,
/// idempotency key and trace are not in the body: the caller fills them in.
[[nodiscard]] domain::outcome<domain::order_request>
parse_order(std::string_view body, const order_limits& limits = {});

/// SHA-256 over currency, payment token, customer reference and the lines in
/// order of their sku: neither white space, nor the order of members or lines,
/// nor how a text was escaped makes another order.
[[nodiscard]] domain::sha256_digest
fingerprint_of(const domain::order_request& of);

/// The body of `PUT /v1/inventory/{sku}`: {"onHand": 0..10^12}.
[[nodiscard]] domain::outcome<std::int64_t>
parse_on_hand(std::string_view body);

/// `data` of OrderAccepted, version 1 and 2. The order has its first step.
/// Version 2 says "customer":{"reference"} for "customerReference" and
/// "authorization":{"id","amountMinor"} for "authorizationId".
[[nodiscard]] std::string accepted_data(const domain::order& of);
[[nodiscard]] std::string accepted_data_v2(const domain::order& of);
/// `data` of OrderCancelled and OrderCompleted, version 1.
[[nodiscard]] std::string cancelled_data(const domain::order& of,
                                         domain::unix_ms at);
[[nodiscard]] std::string completed_data(const domain::order& of,
                                         domain::unix_ms at);

/// What OrderAccepted v1 tells.
struct accepted_facts {
  std::string order_id;
  std::string reservation_id;
  std::string authorization_id;
  std::string currency;
  std::int64_t total_minor = 0;
  std::vector<domain::order_line> lines;
  std::string customer_reference; ///< empty if there was none
  domain::unix_ms accepted_at = 0;

  friend bool operator==(const accepted_facts&,
                         const accepted_facts&) = default;
};

/// What OrderCancelled v1 and OrderCompleted v1 tell.
struct closed_facts {
  std::string order_id;
  std::string reservation_id;
  domain::unix_ms at = 0;

  friend bool operator==(const closed_facts&, const closed_facts&) = default;
};

[[nodiscard]] domain::outcome<accepted_facts>
read_accepted(std::string_view data);
[[nodiscard]] domain::outcome<closed_facts> read_closed(std::string_view data);

/// The reservation that any of our order events names. Much cheaper than
/// reading all facts: `data` is of a decoded event, so it is valid JSON and a
/// scan for one member is enough. invalid_envelope if it is not there.
[[nodiscard]] domain::outcome<std::string>
reservation_named_by(std::string_view data);

} // namespace parcelflow::codec
