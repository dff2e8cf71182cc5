// The fake payment authorizer behind the payment port. What it does with a
// token is written in domain/payment.hpp. Its delays are real messages, so
// that deadlines are real too.
// Thread rule: an actor; owns nothing durable.
#pragma once

#include "actors/interfaces.hpp"
#include "support/clock.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace parcelflow::actors {

struct payment_state {
  static inline constexpr const char* name = "payment";
  const support::clock* clock = nullptr;
  order_actor asker; ///< set with the first question

  void authorize(payment_actor::pointer self,
                 const std::vector<authorize_request>& asked,
                 const order_actor& from);
};

payment_actor::behavior_type
fake_payment(payment_actor::stateful_pointer<payment_state> self,
             const support::clock* clock);

} // namespace parcelflow::actors
