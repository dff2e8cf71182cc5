// Notification: at most one send an order and template, ever. The sends of an
// order are the consumer's effect record; a send is the durable intent that a
// dispatcher delivers under its stable id.
#pragma once

#include "domain/consumer_spec.hpp"

namespace parcelflow::domain {

inline constexpr std::string_view confirmation_template = "order_confirmation";
inline constexpr std::string_view cancellation_template = "order_cancelled";

struct notification_send {
  std::string template_name;
  std::string notification_id; ///< "ntf-", the order id, "-", the template
  unix_ms at = 0;

  friend bool operator==(const notification_send&,
                         const notification_send&) = default;
};

[[nodiscard]] std::string encode(const std::vector<notification_send>& sends);
[[nodiscard]] outcome<std::vector<notification_send>>
decode_sends(std::string_view bytes);

inline constexpr std::string_view notification_consumer = "notification-v1";
[[nodiscard]] consumer_spec notification_spec();

} // namespace parcelflow::domain
