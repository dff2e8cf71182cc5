// I13: stock, reservations, and the lists of those that are held.
#include "domain/inventory.hpp"
#include "storage/audit_book.hpp"
#include "storage/keys.hpp"
#include "support/record.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace parcelflow::storage {
namespace {

using domain::reservation;
using domain::reservation_state;

struct held_chunk {
  struct member {
    std::string tenant;
    std::string reservation_id;
  };
  std::vector<member> members;
};

domain::outcome<held_chunk> decode_chunk(std::string_view bytes) {
  support::record_reader in(bytes, 1);
  held_chunk chunk;
  in.i64(); // the deadline
  chunk.members.resize(in.count());
  for (auto& one : chunk.members) {
    one.tenant = in.text();
    one.reservation_id = in.text();
    in.text(); // the idempotency key
  }
  if (!in.complete())
    return {domain::failure::storage_corrupt, "held chunk does not parse"};
  return chunk;
}

class stock_checks {
public:
  explicit stock_checks(audit_book& book) : book_(book) {}

  void visit_stock(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto sku = key.text();
    const auto of = book_.whole(row, domain::decode_stock(row.value));
    if (!of)
      return;
    if (!tenant_ || *tenant_ != tenant)
      sum_up(tenant);
    const auto at = live_.find(sku);
    const auto live = at == live_.end() ? 0 : at->second;
    if (of->reserved != live)
      book_.find(audit_rule::stock, row,
                 "says that " + std::to_string(of->reserved)
                   + " are reserved; its live reservations hold "
                   + std::to_string(live));
    if (of->reserved < 0 || of->on_hand < of->reserved)
      book_.find(audit_rule::stock, row,
                 "has " + std::to_string(of->on_hand) + " on hand and "
                   + std::to_string(of->reserved) + " reserved");
  }

  void visit_reservation(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto of = book_.whole(row, domain::decode_reservation(row.value));
    if (!of || !domain::is_live(of->state))
      return;
    for (const auto& line : of->lines)
      if (!book_.has(owner::inventory, stock_key(tenant, line.sku)))
        book_.find(audit_rule::stock, owner::inventory,
                   stock_key(tenant, line.sku),
                   "is missing, and reservation " + id + " holds of it");
    if (of->state == reservation_state::held)
      check_listed(row, tenant, id, *of);
    if (!has_order(tenant, id, *of))
      judge_orphan(row, *of);
  }

  void visit_chunk(const audited_row& row) {
    const auto chunk = book_.whole(row, decode_chunk(row.value));
    if (!chunk)
      return;
    for (const auto& one : chunk->members)
      if (!book_.has(owner::inventory,
                     reservation_key(one.tenant, one.reservation_id)))
        book_.find(audit_rule::stock, row,
                   "lists reservation " + printable(one.reservation_id)
                     + " of tenant " + printable(one.tenant)
                     + ", which does not exist");
  }

private:
  /// What the live reservations of a tenant hold; skus with none are left out.
  void sum_up(const std::string& tenant) {
    tenant_ = tenant;
    live_.clear();
    book_.each(owner::inventory,
               key_writer(kind::reservation).text(tenant).take(),
               [&](auto, auto value) {
                 const auto of = domain::decode_reservation(value);
                 if (of && domain::is_live(of->state))
                   for (const auto& line : of->lines)
                     live_[line.sku] += line.quantity;
                 return true;
               });
  }

  /// The order that its key names has this very reservation.
  [[nodiscard]] bool has_order(const std::string& tenant, const std::string& id,
                               const reservation& of) const {
    const auto names =
      book_.read(owner::order, idempotency_key(tenant, of.idempotency_key),
                 [](auto bytes) { return decode_key(bytes); });
    if (!names)
      return false;
    const auto order = book_.order(tenant, names->order_id);
    return order && order->reservation_id == id;
  }

  void judge_orphan(const audited_row& row, const reservation& of) {
    if (of.state == reservation_state::confirmed)
      return book_.find(audit_rule::stock, row,
                        "is confirmed, and no order has it");
    const auto& with = book_.options();
    const auto due = std::max(of.deadline, with.running_since) + with.grace_ms;
    if (with.mode == audit_mode::running && due < with.now)
      return book_.find(audit_rule::stock, row,
                        "is held without an order, "
                          + std::to_string(with.now - of.deadline)
                          + " ms beyond its deadline");
    book_.pend(audit_way::to_an_order, of.created_at, name_of(row.of, row.key),
               "is held without an order");
  }

  /// A held one is found again by its deadline.
  void check_listed(const audited_row& row, const std::string& tenant,
                    const std::string& id, const reservation& of) {
    const auto bytes =
      book_.at().get(owner::inventory, held_chunk_key(of.chunk));
    if (bytes) {
      const auto chunk = decode_chunk(*bytes);
      if (!chunk)
        return;
      const auto listed =
        std::ranges::any_of(chunk->members, [&](const auto& one) {
          return one.tenant == tenant && one.reservation_id == id;
        });
      if (listed)
        return;
    }
    book_.find(audit_rule::stock, row,
               "is held and not in chunk " + std::to_string(of.chunk)
                 + " of the held ones");
  }

  audit_book& book_;
  std::optional<std::string> tenant_; ///< whose `live_` is
  std::map<std::string, std::int64_t, std::less<>> live_;
};

} // namespace

void add_stock_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<stock_checks>(book);
  to.push_back({owner::inventory, kind::stock,
                [checks](const auto& row) { checks->visit_stock(row); }});
  to.push_back({owner::inventory, kind::reservation,
                [checks](const auto& row) { checks->visit_reservation(row); }});
  to.push_back({owner::inventory, kind::held_chunk,
                [checks](const auto& row) { checks->visit_chunk(row); }});
}

} // namespace parcelflow::storage
