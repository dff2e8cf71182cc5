#include "codec/order_json.hpp"

#include "codec/digest_input.hpp"
#include "codec/json_members.hpp"
#include "codec/value_rules.hpp"

#include <algorithm>
#include <optional>

namespace parcelflow::codec {
namespace {

using domain::failure;
using domain::order_line;
using domain::order_request;

constexpr text_rule payment_token_rule = {
  [](std::string_view text) {
    return !text.empty() && text.size() <= 128
           && std::all_of(text.begin(), text.end(),
                          [](char c) { return c > ' ' && c <= '~'; });
  },
  "1 to 128 printable ASCII characters"};

/// Nothing if the sum exceeds what an order may cost.
std::optional<std::int64_t> total_of(const std::vector<order_line>& lines) {
  std::int64_t total = 0;
  for (const auto& line : lines) {
    std::int64_t cost = 0;
    if (__builtin_mul_overflow(line.quantity, line.unit_price_minor, &cost)
        || __builtin_add_overflow(total, cost, &total)
        || total > total_minor_max)
      return std::nullopt;
  }
  return total;
}

} // namespace

domain::outcome<order_request> parse_order(std::string_view body,
                                           const order_limits& limits) {
  const auto parsed = parse_strict(body, limits.json);
  if (!parsed)
    return parsed.why();
  member_reader members(*parsed, failure::invalid_request);
  members.only({"lines", "currency", "paymentToken", "customerReference"});
  order_request request;
  request.lines = read_lines(members, {.lines_max = limits.lines_max,
                                       .quantity_max = limits.quantity_max,
                                       .unknown_members = false});
  request.currency = members.text("currency", currency_rule);
  request.payment_token = members.text("paymentToken", payment_token_rule);
  request.customer_reference =
    members.optional_text("customerReference", customer_reference_rule);
  const auto total = total_of(request.lines);
  if (!total)
    members.fail("the total of the lines must be at most "
                 + std::to_string(total_minor_max) + " minor units");
  if (members.failed())
    return members.why();
  request.total_minor = *total;
  request.fingerprint = fingerprint_of(request);
  return request;
}

domain::sha256_digest fingerprint_of(const order_request& of) {
  auto lines = of.lines;
  std::sort(lines.begin(), lines.end(),
            [](const auto& a, const auto& b) { return a.sku < b.sku; });
  constexpr std::size_t usual_size = 512;
  digest_input input(usual_size);
  input.text(of.currency).text(of.payment_token).text(of.customer_reference);
  input.number(lines.size());
  for (const auto& line : lines)
    input.text(line.sku)
      .number(static_cast<std::uint64_t>(line.quantity))
      .number(static_cast<std::uint64_t>(line.unit_price_minor));
  return input.sha256();
}

domain::outcome<std::int64_t> parse_on_hand(std::string_view body) {
  const auto parsed = parse_strict(body, {.bytes_max = 1024, .depth_max = 2});
  if (!parsed)
    return parsed.why();
  member_reader members(*parsed, failure::invalid_request);
  members.only({"onHand"});
  const auto on_hand = members.integer("onHand", 0, on_hand_max);
  if (members.failed())
    return members.why();
  return on_hand;
}

} // namespace parcelflow::codec
