// The order aggregate: what was asked, what was accepted, and the two further
// steps it can take. Pure decisions; nothing here knows storage or time.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

using support::unix_ms;

struct order_line {
  std::string sku;
  std::int64_t quantity = 0;         ///< > 0
  std::int64_t unit_price_minor = 0; ///< >= 0, minor units of the currency

  friend bool operator==(const order_line&, const order_line&) = default;
};

/// A parsed and validated `POST /v1/orders`.
struct order_request {
  std::string tenant_id;
  std::string idempotency_key;
  std::vector<order_line> lines; ///< at least one, each sku once
  std::string currency;          ///< three upper-case letters
  std::string payment_token;
  std::string customer_reference; ///< optional, opaque to us
  std::int64_t total_minor = 0;   ///< sum of the lines, checked for overflow
  std::string trace_id;
  std::string traceparent;
  sha256_digest fingerprint{}; ///< of the parsed order, see codec
};

enum class order_state : std::uint8_t { accepted = 1, completed, cancelled };

[[nodiscard]] std::string_view to_string(order_state state) noexcept;

/// One step of an order's life and the event that tells it.
struct order_step {
  order_state state = order_state::accepted;
  std::uint64_t sequence = 0;        ///< of its event
  std::uint64_t outbox_position = 0; ///< where the event stands in the outbox
  unix_ms at = 0;
  std::string event_id{}; ///< of its event; empty: own_event_id

  friend bool operator==(const order_step&, const order_step&) = default;
};

struct authorization {
  std::string id;
  std::int64_t amount_minor = 0;
  unix_ms at = 0;
  unix_ms voided_at = 0; ///< 0 = stands

  friend bool operator==(const authorization&, const authorization&) = default;
};

struct order {
  std::string tenant_id;
  std::string order_id;
  std::string idempotency_key;
  sha256_digest fingerprint{};
  std::string reservation_id;
  domain::authorization authorization;
  std::vector<order_line> lines;
  std::string currency;
  std::int64_t total_minor = 0;
  std::string customer_reference;
  std::string trace_id;
  std::string traceparent;
  std::uint32_t accepted_version = 1; ///< version of its OrderAccepted
  std::vector<order_step> steps;      ///< at least the acceptance

  [[nodiscard]] order_state state() const { return steps.back().state; }
  [[nodiscard]] unix_ms accepted_at() const { return steps.front().at; }
  friend bool operator==(const order&, const order&) = default;
};

/// What a customer may still ask of an accepted order.
enum class order_command : std::uint8_t { cancel = 1, complete };

[[nodiscard]] order_state target_of(order_command command) noexcept;
/// The event type that tells a state, e.g. "OrderCancelled".
[[nodiscard]] std::string_view event_type_of(order_state state) noexcept;

enum class command_effect : std::uint8_t {
  step,        ///< legal now: the order takes one more step
  taken_before ///< the same command was carried out: give its first answer
};

/// R6: legal from accepted only; the same again gives the first answer; any
/// other is `illegal_transition`, naming the state.
[[nodiscard]] outcome<command_effect> judge(const order& of,
                                            order_command command);

/// The id under which a step's event was committed.
[[nodiscard]] std::string event_id_of(const order& of, const order_step& step);

/// The step of a state, or nullptr if the order never took it.
[[nodiscard]] const order_step* step_of(const order& of, order_state state);

[[nodiscard]] std::string encode(const order& of);
[[nodiscard]] outcome<order> decode_order(std::string_view tenant_id,
                                          std::string_view order_id,
                                          std::string_view bytes);

} // namespace parcelflow::domain
