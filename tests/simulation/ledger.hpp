// What the outside world knows: what clients and responders asked, and what
// they were told. An intent is written before the request goes out, its result
// when the answer comes; no answer means "maybe". The checker holds the store
// against it: whatever was confirmed must be there, whatever is there must
// have been asked for.
// Thread rule: the driver's thread.
#pragma once

#include "domain/order.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace parcelflow::simulation {

/// What an order asks for; one key may be tried with several.
struct order_body {
  std::string sku;
  std::int64_t quantity = 1;

  friend bool operator==(const order_body&, const order_body&) = default;
  friend bool operator<(const order_body& a, const order_body& b) {
    return std::tie(a.sku, a.quantity) < std::tie(b.sku, b.quantity);
  }
};

struct body_tries {
  std::uint64_t asked = 0;
  std::uint64_t refused = 0;
  /// Some request of it may have come through.
  [[nodiscard]] bool possible() const { return asked > refused; }
};

struct order_intent {
  std::map<order_body, body_tries> bodies;
  std::string order_id; ///< confirmed; every further answer must name it
  order_body confirmed_as;

  [[nodiscard]] bool confirmed() const { return !order_id.empty(); }
};

struct command_intent {
  std::uint64_t asked = 0;
  bool confirmed = false;
};

/// Tenant, and what is named in it.
using client_name = std::pair<std::string, std::string>;

class ledger {
public:
  void asked(const client_name& key, const order_body& what) {
    ++orders_[key].bodies[what].asked;
  }
  void refused(const client_name& key, const order_body& what) {
    ++orders_[key].bodies[what].refused;
  }
  /// A contradiction to an earlier answer is kept as a lie.
  void confirmed(const client_name& key, const order_body& what,
                 const std::string& order_id);

  command_intent& command(const client_name& order, domain::order_command c) {
    return commands_[order][c];
  }
  void waived(const client_name& letter) { waived_.insert(letter); }
  void replay_begun(const client_name& replay) { replays_.insert(replay); }

  using commands_of_order = std::map<domain::order_command, command_intent>;
  [[nodiscard]] const auto& orders() const { return orders_; }
  [[nodiscard]] const auto& commands() const { return commands_; }
  [[nodiscard]] const auto& waived_letters() const { return waived_; }
  [[nodiscard]] const auto& replays() const { return replays_; }
  [[nodiscard]] const auto& lies() const { return lies_; }
  [[nodiscard]] std::vector<client_name> confirmed_orders() const;

private:
  std::map<client_name, order_intent> orders_;
  std::map<client_name, commands_of_order> commands_;
  std::set<client_name> waived_;
  std::set<client_name> replays_;
  std::vector<std::string> lies_;
};

} // namespace parcelflow::simulation
