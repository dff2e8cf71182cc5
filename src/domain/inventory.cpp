#include "domain/inventory.hpp"

#include "support/record.hpp"

#include <algorithm>
#include <map>

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t stock_record = 1;
constexpr std::uint8_t reservation_record = 1;

std::map<std::string, std::int64_t>
sum_by_sku(const std::vector<reserved_line>& lines) {
  std::map<std::string, std::int64_t> sums;
  for (const auto& line : lines)
    sums[line.sku] += line.quantity;
  return sums;
}

} // namespace

std::string_view to_string(reservation_state state) noexcept {
  switch (state) {
  case reservation_state::held: return "held";
  case reservation_state::confirmed: return "confirmed";
  case reservation_state::released: return "released";
  case reservation_state::consumed: return "consumed";
  }
  return "unknown";
}

outcome<stock_changes> reserve(const std::vector<reserved_line>& lines,
                               const stock_lookup& lookup) {
  stock_changes changes;
  for (const auto& [sku, quantity] : sum_by_sku(lines)) {
    auto row = lookup(sku);
    if (!row)
      return {failure::unknown_sku, "no such sku: " + sku};
    if (row->available() < quantity)
      return {failure::out_of_stock, sku + ": asked " + std::to_string(quantity)
                                       + ", available "
                                       + std::to_string(row->available())};
    row->reserved += quantity;
    changes.emplace_back(sku, *row);
  }
  return changes;
}

outcome<stock_changes> settle(const reservation& of, reservation_state to,
                              const stock_lookup& lookup) {
  stock_changes changes;
  for (const auto& [sku, quantity] : sum_by_sku(of.lines)) {
    auto row = lookup(sku);
    if (!row || row->reserved < quantity)
      return {failure::storage_corrupt,
              "stock of " + sku + " holds less than its reservations"};
    row->reserved -= quantity;
    if (to == reservation_state::consumed)
      row->on_hand -= quantity;
    changes.emplace_back(sku, *row);
  }
  return changes;
}

outcome<stock> set_on_hand(std::optional<stock> current, std::int64_t on_hand) {
  stock next = current.value_or(stock{});
  if (on_hand < next.reserved)
    return {failure::stock_below_reserved,
            "on_hand " + std::to_string(on_hand) + " is below the "
              + std::to_string(next.reserved) + " that orders hold"};
  next.on_hand = on_hand;
  return next;
}

std::string encode(const stock& of) {
  return support::record_writer(stock_record)
    .i64(of.on_hand)
    .i64(of.reserved)
    .take();
}

outcome<stock> decode_stock(std::string_view bytes) {
  support::record_reader in(bytes, stock_record);
  stock of;
  of.on_hand = in.i64();
  of.reserved = in.i64();
  if (!in.complete())
    return {failure::storage_corrupt, "stock record does not parse"};
  return of;
}

std::string encode(const reservation& of) {
  support::record_writer out(reservation_record);
  out.choice(of.state).text(of.idempotency_key).digest(of.fingerprint);
  out.i64(of.created_at).i64(of.deadline).u64(of.chunk).u64(of.lines.size());
  for (const auto& line : of.lines)
    out.text(line.sku).i64(line.quantity);
  return out.take();
}

outcome<reservation> decode_reservation(std::string_view bytes) {
  support::record_reader in(bytes, reservation_record);
  reservation of;
  of.state = in.choice(reservation_state::held, reservation_state::consumed);
  of.idempotency_key = in.text();
  of.fingerprint = in.digest();
  of.created_at = in.i64();
  of.deadline = in.i64();
  of.chunk = in.u64();
  of.lines.resize(in.count());
  for (auto& line : of.lines) {
    line.sku = in.text();
    line.quantity = in.i64();
  }
  if (!in.complete())
    return {failure::storage_corrupt, "reservation record does not parse"};
  return of;
}

} // namespace parcelflow::domain
