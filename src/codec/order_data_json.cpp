// The `data` of order events: how it is written and how consumers read it. The
// order of members is part of the golden bytes.
#include "codec/json_members.hpp"
#include "codec/json_text.hpp"
#include "codec/order_json.hpp"
#include "codec/utc_time.hpp"
#include "codec/value_rules.hpp"
#include "support/assert.hpp"

#include <limits>

namespace parcelflow::codec {
namespace {

using domain::failure;
using domain::order;
using domain::order_line;
using domain::unix_ms;

/// Wide: what was accepted under another configuration must stay readable.
constexpr line_limits readable_lines = {
  .lines_max = 10'000,
  .quantity_max = std::numeric_limits<std::int64_t>::max(),
  .unknown_members = true};

void append_lines(std::string& out, const std::vector<order_line>& lines) {
  char before = '[';
  for (const auto& line : lines) {
    out += before;
    before = ',';
    object_writer(out)
      .text("sku", line.sku)
      .number("quantity", line.quantity)
      .number("unitPriceMinor", line.unit_price_minor)
      .close();
  }
  out += ']';
}

std::string reserve_for(const order& of) {
  PF_ASSERT(!of.lines.empty() && !of.steps.empty());
  std::string out;
  out.reserve(320 + of.lines.size() * 96);
  return out;
}

std::string closed_data(const order& of, unix_ms at) {
  PF_ASSERT(!of.order_id.empty() && at > 0);
  std::string out;
  object_writer(out)
    .text("orderId", of.order_id)
    .text("reservationId", of.reservation_id)
    .text("at", support::to_rfc3339(at))
    .close();
  return out;
}

unix_ms instant(member_reader& members, std::string_view name) {
  return parse_utc(members.text(name, utc_instant_rule)).value_or(0);
}

} // namespace

std::string accepted_data(const order& of) {
  auto out = reserve_for(of);
  object_writer members(out);
  members.text("orderId", of.order_id)
    .text("reservationId", of.reservation_id)
    .text("authorizationId", of.authorization.id)
    .text("currency", of.currency)
    .number("totalMinor", of.total_minor);
  append_lines(members.member("lines"), of.lines);
  if (!of.customer_reference.empty())
    members.text("customerReference", of.customer_reference);
  members.text("acceptedAt", support::to_rfc3339(of.accepted_at())).close();
  return out;
}

std::string accepted_data_v2(const order& of) {
  auto out = reserve_for(of);
  object_writer members(out);
  members.text("orderId", of.order_id).text("reservationId", of.reservation_id);
  object_writer(members.member("authorization"))
    .text("id", of.authorization.id)
    .number("amountMinor", of.authorization.amount_minor)
    .close();
  members.text("currency", of.currency).number("totalMinor", of.total_minor);
  append_lines(members.member("lines"), of.lines);
  if (!of.customer_reference.empty())
    object_writer(members.member("customer"))
      .text("reference", of.customer_reference)
      .close();
  members.text("acceptedAt", support::to_rfc3339(of.accepted_at())).close();
  return out;
}

std::string cancelled_data(const order& of, unix_ms at) {
  return closed_data(of, at);
}

std::string completed_data(const order& of, unix_ms at) {
  return closed_data(of, at);
}

domain::outcome<accepted_facts> read_accepted(std::string_view data) {
  const auto parsed = parse_strict(data);
  if (!parsed)
    return {failure::invalid_envelope, parsed.why().detail};
  member_reader members(*parsed, failure::invalid_envelope);
  accepted_facts facts;
  facts.order_id = members.text("orderId", public_id_rule);
  facts.reservation_id = members.text("reservationId", public_id_rule);
  facts.authorization_id = members.text("authorizationId", public_id_rule);
  facts.currency = members.text("currency", currency_rule);
  facts.total_minor =
    members.integer("totalMinor", 0, std::numeric_limits<std::int64_t>::max());
  facts.lines = read_lines(members, readable_lines);
  facts.customer_reference =
    members.optional_text("customerReference", customer_reference_rule);
  facts.accepted_at = instant(members, "acceptedAt");
  if (members.failed())
    return members.why();
  return facts;
}

domain::outcome<closed_facts> read_closed(std::string_view data) {
  const auto parsed = parse_strict(data);
  if (!parsed)
    return {failure::invalid_envelope, parsed.why().detail};
  member_reader members(*parsed, failure::invalid_envelope);
  closed_facts facts;
  facts.order_id = members.text("orderId", public_id_rule);
  facts.reservation_id = members.text("reservationId", public_id_rule);
  facts.at = instant(members, "at");
  if (members.failed())
    return members.why();
  return facts;
}

domain::outcome<std::string> reservation_named_by(std::string_view data) {
  const auto member = find_member(data, "reservationId");
  if (member && member->size() > 2 && member->front() == '"'
      && domain::is_public_id(member->substr(1, member->size() - 2)))
    return std::string(member->substr(1, member->size() - 2));
  return {domain::failure::invalid_envelope,
          "data.reservationId is missing or no legal id"};
}

} // namespace parcelflow::codec
