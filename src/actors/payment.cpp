#include "actors/payment.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>

namespace parcelflow::actors {

void payment_state::authorize(payment_actor::pointer self,
                              const std::vector<authorize_request>& asked,
                              const order_actor& from) {
  asker = from;
  std::vector<authorize_answer> now;
  for (const auto& one : asked) {
    auto plan = domain::authorize_fake(one.payment, clock->now());
    if (!plan.after_ms)
      continue; // silent: the order's deadline answers
    authorize_answer answer{one.attempt, std::move(plan.answer)};
    if (*plan.after_ms == 0)
      now.push_back(std::move(answer));
    else
      self->delayed_send(self, std::chrono::milliseconds(*plan.after_ms),
                         granted_atom::value,
                         std::make_shared<const std::vector<authorize_answer>>(
                           1, std::move(answer)));
  }
  if (!now.empty())
    self->send(
      from, granted_atom::value,
      std::make_shared<const std::vector<authorize_answer>>(std::move(now)));
}

payment_actor::behavior_type
fake_payment(payment_actor::stateful_pointer<payment_state> self,
             const support::clock* clock) {
  self->state.clock = clock;
  return {
    [self](authorize_atom, const authorize_batch& asked) {
      self->state.authorize(
        self, *asked, caf::actor_cast<order_actor>(self->current_sender()));
    },
    [self](granted_atom, const granted_batch& due) {
      if (self->state.asker)
        self->send(self->state.asker, granted_atom::value, due);
    },
    [](void_atom, const reservation_refs&) {
      // The fake holds no money; the order's record says that it is void.
    },
  };
}

} // namespace parcelflow::actors
