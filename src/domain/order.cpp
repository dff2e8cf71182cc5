#include "domain/order.hpp"

#include "support/record.hpp"

#include <algorithm>

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t order_record = 1;
constexpr std::uint8_t named_record = 2; ///< a step has an event id of its own

} // namespace

std::string_view to_string(order_state state) noexcept {
  switch (state) {
  case order_state::accepted: return "accepted";
  case order_state::completed: return "completed";
  case order_state::cancelled: return "cancelled";
  }
  return "unknown";
}

order_state target_of(order_command command) noexcept {
  return command == order_command::cancel ? order_state::cancelled
                                          : order_state::completed;
}

std::string_view event_type_of(order_state state) noexcept {
  switch (state) {
  case order_state::accepted: return order_accepted;
  case order_state::completed: return order_completed;
  case order_state::cancelled: return order_cancelled;
  }
  return "unknown";
}

outcome<command_effect> judge(const order& of, order_command command) {
  if (of.state() == order_state::accepted)
    return command_effect::step;
  if (of.state() == target_of(command))
    return command_effect::taken_before;
  return {failure::illegal_transition,
          "the order is " + std::string(to_string(of.state())) + "; only an "
            + "accepted order can be "
            + std::string(to_string(target_of(command)))};
}

std::string event_id_of(const order& of, const order_step& step) {
  return step.event_id.empty() ? own_event_id(of.order_id, step.sequence)
                               : step.event_id;
}

const order_step* step_of(const order& of, order_state state) {
  const auto found =
    std::find_if(of.steps.begin(), of.steps.end(),
                 [&](const order_step& s) { return s.state == state; });
  return found == of.steps.end() ? nullptr : &*found;
}

std::string encode(const order& of) {
  const bool named =
    std::any_of(of.steps.begin(), of.steps.end(),
                [](const order_step& s) { return !s.event_id.empty(); });
  support::record_writer out(named ? named_record : order_record);
  out.text(of.idempotency_key).digest(of.fingerprint);
  out.text(of.reservation_id).text(of.authorization.id);
  out.i64(of.authorization.amount_minor).i64(of.authorization.at);
  out.i64(of.authorization.voided_at).text(of.currency).i64(of.total_minor);
  out.text(of.customer_reference).text(of.trace_id).text(of.traceparent);
  out.u64(of.accepted_version).u64(of.lines.size());
  for (const auto& line : of.lines)
    out.text(line.sku).i64(line.quantity).i64(line.unit_price_minor);
  out.u64(of.steps.size());
  for (const auto& step : of.steps) {
    out.choice(step.state)
      .u64(step.sequence)
      .u64(step.outbox_position)
      .i64(step.at);
    if (named)
      out.text(step.event_id);
  }
  return out.take();
}

outcome<order> decode_order(std::string_view tenant_id,
                            std::string_view order_id, std::string_view bytes) {
  support::record_reader in(bytes, named_record);
  order of;
  of.tenant_id = tenant_id;
  of.order_id = order_id;
  of.idempotency_key = in.text();
  of.fingerprint = in.digest();
  of.reservation_id = in.text();
  of.authorization.id = in.text();
  of.authorization.amount_minor = in.i64();
  of.authorization.at = in.i64();
  of.authorization.voided_at = in.i64();
  of.currency = in.text();
  of.total_minor = in.i64();
  of.customer_reference = in.text();
  of.trace_id = in.text();
  of.traceparent = in.text();
  of.accepted_version = in.u32();
  of.lines.resize(in.count());
  for (auto& line : of.lines) {
    line.sku = in.text();
    line.quantity = in.i64();
    line.unit_price_minor = in.i64();
  }
  of.steps.resize(in.count());
  for (auto& step : of.steps) {
    step.state = in.choice(order_state::accepted, order_state::cancelled);
    step.sequence = in.u64();
    step.outbox_position = in.u64();
    step.at = in.i64();
    if (in.version() >= named_record)
      step.event_id = in.text();
  }
  if (!in.complete() || of.steps.empty())
    return {failure::storage_corrupt, "order record does not parse"};
  return of;
}

} // namespace parcelflow::domain
