#include "tests/simulation/ledger.hpp"

namespace parcelflow::simulation {

void ledger::confirmed(const client_name& key, const order_body& what,
                       const std::string& order_id) {
  auto& of = orders_[key];
  if (of.confirmed() && of.order_id != order_id)
    lies_.push_back("I5: key " + key.second + " of " + key.first
                    + " was confirmed as " + of.order_id + " and as "
                    + order_id);
  if (of.confirmed() && of.confirmed_as != what)
    lies_.push_back("R3: key " + key.second + " of " + key.first
                    + " was confirmed for two different orders");
  of.order_id = order_id;
  of.confirmed_as = what;
}

std::vector<client_name> ledger::confirmed_orders() const {
  std::vector<client_name> found;
  for (const auto& [of, order] : orders_)
    if (order.confirmed())
      found.emplace_back(of.first, order.order_id);
  return found;
}

} // namespace parcelflow::simulation
