// The evidence of an order: every field by its own name.
#include "codec/view_json.hpp"
#include "codec/view_members.hpp"

namespace parcelflow::codec {
namespace {

void write_receipt(std::string& text, const domain::publication& of,
                   const viewer& who) {
  object_writer out(text);
  time(out, "publishedAt", of.published_at);
  if (!of.broker_message_id.empty())
    position(out, "brokerMessageId", of.broker_message_id, who);
  out.number("attempts", of.attempts);
  out.close();
}

void write_event(std::string& text, const domain::event_evidence& of,
                 const domain::order& order, const viewer& who) {
  object_writer out(text);
  out.text("eventId", of.event_id)
    .text("eventType", of.event_type)
    .number("aggregateSequence", of.aggregate_sequence);
  time(out, "commitTime", of.committed_at);
  out.text("traceId", order.trace_id);
  position(out, "outboxPosition", std::to_string(of.outbox_position), who);
  write_stage(out, "published", of.published, {}, who);
  if (of.receipt)
    write_receipt(out.member("publicationReceipt"), *of.receipt, who);
  else
    out.raw("publicationReceipt", "null");
  array(
    out, "offeredAgain", of.offered_again,
    [&](std::string& list, const auto& one) { write_receipt(list, one, who); });
  out.number("unpublishedAgeMs", of.unpublished_age_ms)
    .number("publishAttempts", of.publish_attempts);
  if (who.sees_dead_letters())
    text_if(out, "lastPublishCause", of.last_publish_cause);
  out.close();
}

void write_waiting(object_writer& into, const domain::consumer_evidence& of,
                   const viewer& who) {
  if (!of.waiting)
    return;
  object_writer out(into.member("waiting"));
  out.text("cause", domain::to_string(of.waiting->cause));
  time(out, "since", of.waiting->since);
  out.number("events", of.waiting->rows)
    .number("expectedSequence", of.position + 1)
    .number("observedSequence", of.waiting_sequence);
  time(out, "nextAttemptAt", of.next_attempt_at);
  if (who.sees_dead_letters())
    text_if(out, "deadLetterId", of.dead_letter_id);
  out.close();
}

void write_consumer(std::string& text, const domain::consumer_evidence& of,
                    const evidence_frame& frame, const viewer& who) {
  domain::consumer_counts counts;
  for (const auto& one : frame.counts)
    if (one.consumer == of.consumer)
      counts = one;
  object_writer out(text);
  out.text("consumer", of.consumer).number("streamPosition", of.position);
  text_if(out, "redirectedTo", of.redirected_to);
  text_if(out, "cameFrom", of.came_from);
  array(out, "inbox", of.inbox, [](std::string& list, const auto& entry) {
    write_inbox_entry(list, entry);
  });
  write_waiting(out, of, who);
  object_writer rolled(out.member("rolledBackTransactions"));
  rolled.number("thisEvent", of.rolled_back.size())
    .number("thisProcess", counts.rolled_back);
  if (!of.rolled_back.empty() && who.sees_dead_letters())
    rolled.text("lastCause", of.rolled_back.back().cause);
  rolled.close();
  out.number("duplicateAcknowledgements", counts.duplicates_acknowledged);
  out.close();
}

/// Of the states an order can be in, those that this one allows next.
void write_states(object_writer& into, const domain::order_evidence& of) {
  const auto& order = of.view.order;
  const bool open = order.state() == domain::order_state::accepted;
  object_writer expected(into.member("expectedStates"));
  expected.text("order", domain::to_string(order.state()))
    .text("reservation", order.state() == domain::order_state::cancelled
                           ? "released"
                         : open ? "confirmed"
                                : "consumed")
    .text("fulfillment", order.state() == domain::order_state::cancelled
                           ? "cancelled"
                         : open ? "started"
                                : "completed")
    .number("streamPosition", order.steps.back().sequence);
  expected.close();
  object_writer observed(into.member("observedStates"));
  observed.text("order", domain::to_string(order.state()))
    .text("reservation",
          of.reservation ? domain::to_string(*of.reservation) : "none")
    .text("fulfillment",
          of.view.job ? domain::to_string(of.view.job->state) : "none");
  for (const auto& consumer : of.consumers)
    observed.number("streamPosition:" + consumer.consumer, consumer.position);
  observed.close();
}

std::string_view confirmation_of(const domain::order_view& of) {
  for (const auto& send : of.sends)
    if (send.template_name == domain::confirmation_template)
      return send.notification_id;
  return {};
}

void id_or_null(object_writer& into, std::string_view name,
                std::string_view value) {
  if (value.empty())
    into.raw(name, "null");
  else
    into.text(name, value);
}

} // namespace

void write_inbox_entry(std::string& text, const domain::inbox_entry& of) {
  object_writer out(text);
  out.text("inboxId", of.event_id)
    .number("aggregateSequence", of.sequence)
    .text("verdict", domain::to_string(of.mark))
    .text("via", domain::to_string(of.door));
  text_if(out, "note", of.note);
  text_if(out, "replayId", of.replay_id);
  time(out, "at", of.at);
  out.close();
}

std::string evidence_json(const domain::order_evidence& of,
                          const evidence_frame& frame, const viewer& who) {
  const auto& order = of.view.order;
  std::string text;
  object_writer out(text);
  out.text("actor", frame.actor)
    .text("tenant", order.tenant_id)
    .text("orderId", order.order_id)
    .text("environment", frame.environment);
  time(out, "asOf", frame.now);
  time(out, "commitTime", order.accepted_at());
  out.text("traceId", order.trace_id);
  write_states(out, of);
  array(out, "events", of.events, [&](std::string& list, const auto& event) {
    write_event(list, event, order, who);
  });
  array(out, "consumers", of.consumers,
        [&](std::string& list, const auto& consumer) {
          write_consumer(list, consumer, frame, who);
        });
  time(out, "countedSince", frame.counted_since);
  id_or_null(out, "fulfillmentId",
             of.view.job ? std::string_view(of.view.job->fulfillment_id)
                         : std::string_view());
  id_or_null(out, "notificationId", confirmation_of(of.view));
  write_effects(out, of.view);
  if (who.sees_dead_letters())
    array(out, "deadLetterIds", of.dead_letter_ids,
          [](std::string& list, const auto& id) { append_quoted(list, id); });
  out.close();
  return text;
}

} // namespace parcelflow::codec
