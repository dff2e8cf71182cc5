#include "domain/inventory.hpp"
#include "domain/order.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/keys.hpp"
#include "tests/simulation/people.hpp"
#include "tests/simulation/promises_parts.hpp"

#include <map>
#include <utility>

namespace parcelflow::simulation {
namespace {

using domain::order_state;
using domain::reservation_state;
using storage::kind;
using storage::owner;
using name = std::pair<std::string, std::string>; ///< tenant, and what in it

class judge {
public:
  judge(const test::rows& at, std::vector<std::string>& found)
    : at_(at), found_(found) {}

  void run() {
    each(owner::order, kind::order, [&](auto tenant, auto id, auto value) {
      if (const auto of = domain::decode_order(tenant, id, value))
        order(*of);
    });
    each(owner::inventory, kind::reservation,
         [&](auto tenant, auto, auto value) {
           const auto of = domain::decode_reservation(value);
           if (of && of->state == reservation_state::consumed)
             for (const auto& line : of->lines)
               taken_[{tenant, line.sku}] += line.quantity;
         });
    each(owner::inventory, kind::stock, [&](auto tenant, auto sku, auto value) {
      const auto of = domain::decode_stock(value);
      if (of && of->on_hand + taken_[{tenant, sku}] != people::shelf(sku))
        found_.push_back("I13: " + tenant + " has "
                         + std::to_string(of->on_hand) + " of " + sku
                         + " on hand, and orders took "
                         + std::to_string(taken_[{tenant, sku}]));
    });
  }

private:
  template <class Visit>
  void each(owner of, kind what, Visit visit) const {
    const auto from = storage::key_writer(what).take();
    at_.scan(of, from, storage::prefix_end(from), [&](auto key, auto value) {
      storage::key_reader in(key);
      const std::string tenant = in.text();
      const std::string id = in.text();
      visit(tenant, id, value);
      return true;
    });
  }

  void order(const domain::order& of) {
    const auto row =
      at_.get(owner::inventory,
              storage::reservation_key(of.tenant_id, of.reservation_id));
    const auto held = row ? domain::decode_reservation(*row) : domain::fault{};
    if (!held || held->lines.size() != of.lines.size()
        || held->lines.front().sku != of.lines.front().sku
        || held->lines.front().quantity != of.lines.front().quantity)
      found_.push_back("I13: " + of.order_id
                       + " is not what its reservation holds");
    else if (told(of))
      ends_alike(of, held->state);
  }

  /// Inventory has applied all there is of the order.
  [[nodiscard]] bool told(const domain::order& of) const {
    const auto row =
      at_.get(owner::inventory,
              storage::stream_key(of.tenant_id, domain::inventory_consumer,
                                  of.order_id));
    const auto stream = row ? domain::decode_stream(*row) : domain::fault{};
    return stream && stream->position == of.steps.size();
  }

  void ends_alike(const domain::order& of, reservation_state state) {
    const auto due =
      of.state() == order_state::accepted    ? reservation_state::confirmed
      : of.state() == order_state::cancelled ? reservation_state::released
                                             : reservation_state::consumed;
    if (state != due)
      found_.push_back(
        "I13: " + of.order_id + " is " + std::string(to_string(of.state()))
        + ", and its reservation is " + std::string(to_string(state)));
  }

  const test::rows& at_;
  std::vector<std::string>& found_;
  std::map<name, std::int64_t> taken_;
};

} // namespace

void shelf_promises(const test::rows& at, std::vector<std::string>& found) {
  judge(at, found).run();
}

} // namespace parcelflow::simulation
