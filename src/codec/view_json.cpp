#include "codec/view_json.hpp"

#include "codec/json_text.hpp"
#include "codec/view_members.hpp"
#include "support/assert.hpp"

namespace parcelflow::codec {

using domain::stage;
using domain::stage_state;

namespace {

std::string_view name_of(stage_state state) noexcept {
  switch (state) {
  case stage_state::pending: return "pending";
  case stage_state::done: return "done";
  case stage_state::delayed: return "delayed";
  case stage_state::held: return "held";
  case stage_state::recovered: return "recovered";
  }
  return "unknown";
}

/// A sentence for a customer: no internals, no promise that is not kept.
std::string_view wording_of(stage_state state) noexcept {
  switch (state) {
  case stage_state::pending: return "not yet";
  case stage_state::done: return "done";
  case stage_state::delayed: return "delayed; it goes on by itself";
  case stage_state::held: return "on hold; our operations team has been told";
  case stage_state::recovered: return "done, after it was on hold";
  }
  return "unknown";
}

void write_links(object_writer& into, std::string_view order_id) {
  const auto self = order_path(order_id);
  object_writer links(into.member("links"));
  links.text("self", self)
    .text("cancel", self + "/cancel")
    .text("complete", self + "/complete")
    .text("evidence", self + "/evidence");
  links.close();
}

void write_progress(object_writer& into, const domain::order_view& of,
                    const viewer& who) {
  const auto& progress = of.progress;
  object_writer out(into.member("progress"));
  write_stage(out, "accepted", progress.accepted, {}, who);
  write_stage(out, "published", progress.published, {}, who);
  write_stage(out, "fulfillmentStarted", progress.fulfillment_started,
              "fulfillmentId", who);
  write_stage(out, "notified", progress.notified, "notificationId", who);
  out.close();
}

void write_lines(object_writer& into, const domain::order& of) {
  array(into, "lines", of.lines, [](std::string& text, const auto& line) {
    object_writer out(text);
    out.text("sku", line.sku)
      .number("quantity", line.quantity)
      .number("unitPriceMinor", line.unit_price_minor);
    out.close();
  });
}

void write_authorization(object_writer& into, const domain::authorization& of) {
  object_writer out(into.member("authorization"));
  out.text("id", of.id).number("amountMinor", of.amount_minor);
  out.text("outcome", of.voided_at == 0 ? "authorized" : "voided");
  time(out, "at", of.at);
  time(out, "voidedAt", of.voided_at);
  out.close();
}

void write_steps(object_writer& into, const domain::order& of) {
  array(into, "history", of.steps, [&](std::string& text, const auto& step) {
    object_writer out(text);
    out.text("state", domain::to_string(step.state));
    time(out, "at", step.at);
    out.text("eventId", domain::event_id_of(of, step));
    out.close();
  });
}

} // namespace

void write_stage(object_writer& into, std::string_view name, const stage& of,
                 std::string_view id_name, const viewer& who) {
  object_writer out(into.member(name));
  out.text("state", name_of(of.state)).text("message", wording_of(of.state));
  time(out, "at", of.at);
  time(out, "since", of.since);
  time(out, "nextAttemptAt", of.next_attempt_at);
  if (!id_name.empty())
    text_if(out, id_name, of.id);
  text_if(out, "replayId", of.replay_id);
  if (who.sees_dead_letters())
    text_if(out, "deadLetterId", of.dead_letter_id);
  out.close();
}

void write_effects(object_writer& into, const domain::order_view& of) {
  if (of.job) {
    object_writer job(into.member("fulfillment"));
    job.text("fulfillmentId", of.job->fulfillment_id)
      .text("state", domain::to_string(of.job->state));
    time(job, "startedAt", of.job->started_at);
    time(job, "closedAt", of.job->closed_at);
    job.close();
  }
  array(into, "notifications", of.sends, [](std::string& text, const auto& s) {
    object_writer send(text);
    send.text("notificationId", s.notification_id)
      .text("template", s.template_name);
    time(send, "at", s.at);
    send.close();
  });
}

std::string order_path(std::string_view order_id) {
  return "/v1/orders/" + std::string(order_id);
}

std::string placed_json(const domain::order& of) {
  std::string text;
  object_writer out(text);
  out.text("orderId", of.order_id).text("state", "accepted");
  time(out, "acceptedAt", of.accepted_at());
  out.number("totalMinor", of.total_minor)
    .text("currency", of.currency)
    .text("reservationId", of.reservation_id);
  write_links(out, of.order_id);
  out.close();
  return text;
}

std::string pending_json(std::string_view order_id) {
  std::string text;
  object_writer out(text);
  out.text("orderId", order_id)
    .text("state", "outcome_pending")
    .text("message", "The outcome is not known yet; repeat with the same key.");
  write_links(out, order_id);
  out.close();
  return text;
}

std::string command_json(const domain::order& of, domain::order_state target) {
  const auto* step = domain::step_of(of, target);
  PF_ASSERT(step != nullptr);
  std::string text;
  object_writer out(text);
  out.text("orderId", of.order_id).text("state", domain::to_string(target));
  time(out, "at", step->at);
  out.text("eventId", domain::event_id_of(of, *step));
  out.number("aggregateSequence", step->sequence);
  write_links(out, of.order_id);
  out.close();
  return text;
}

std::string order_json(const domain::order_view& of, const viewer& who) {
  const auto& order = of.order;
  std::string text;
  object_writer out(text);
  out.text("orderId", order.order_id)
    .text("tenant", order.tenant_id)
    .text("state", domain::to_string(order.state()));
  time(out, "acceptedAt", order.accepted_at());
  write_progress(out, of, who);
  write_lines(out, order);
  out.number("totalMinor", order.total_minor).text("currency", order.currency);
  text_if(out, "customerReference", order.customer_reference);
  out.text("idempotencyKey", order.idempotency_key)
    .text("reservationId", order.reservation_id);
  write_authorization(out, order.authorization);
  write_steps(out, order);
  write_effects(out, of);
  out.text("traceId", order.trace_id);
  write_links(out, order.order_id);
  out.close();
  return text;
}

std::string stock_json(std::string_view sku, const domain::stock& of) {
  std::string text;
  object_writer out(text);
  out.text("sku", sku)
    .number("onHand", of.on_hand)
    .number("reserved", of.reserved)
    .number("available", of.available());
  out.close();
  return text;
}

std::string list_json(const std::vector<std::string>& items,
                      std::string_view next_cursor,
                      std::optional<std::uint64_t> total) {
  std::string text;
  object_writer out(text);
  array(out, "items", items,
        [](std::string& list, const auto& item) { list += item; });
  if (total)
    out.number("total", *total);
  text_if(out, "nextCursor", next_cursor);
  out.close();
  return text;
}

} // namespace parcelflow::codec
