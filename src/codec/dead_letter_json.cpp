// Dead letters, and the evidence of one.
#include "codec/view_json.hpp"
#include "codec/view_members.hpp"
#include "support/digest.hpp"
#include "support/json_text.hpp"

namespace parcelflow::codec {
namespace {

using domain::sha256_digest;

void write_attempt(std::string& text, const domain::attempt& of) {
  object_writer out(text);
  time(out, "at", of.at);
  out.text("cause", of.cause);
  out.close();
}

void write_identity(object_writer& out, const domain::dead_letter& of) {
  out.text("deadLetterId", of.dead_letter_id)
    .text("scope", of.tenant_id)
    .text("consumer", of.consumer)
    .text("state", domain::to_string(of.state()))
    .text("cause", domain::to_string(of.cause))
    .text("reason", of.reason);
  text_if(out, "topic", of.topic);
  text_if(out, "aggregateId", of.aggregate_id);
  text_if(out, "eventId", of.event_id);
  text_if(out, "eventType", of.event_type);
  out.number("eventVersion", of.event_version)
    .number("expectedSequence", of.expected_sequence)
    .number("observedSequence", of.observed_sequence);
  time(out, "firstSeen", of.first_seen);
  time(out, "lastSeen", of.last_seen);
  out.number("seen", of.seen);
}

void write_letter(object_writer& out, const domain::dead_letter& of) {
  write_identity(out, of);
  out.text("payloadSha256", support::hex(of.payload_sha256));
  if (of.digest != sha256_digest{})
    out.text("contentSha256", support::hex(of.digest));
  if (!of.known_event_id.empty())
    out.text("knownEventId", of.known_event_id)
      .text("knownContentSha256", support::hex(of.known_digest));
  text_if(out, "traceId", of.trace_id);
  out.text("environment", of.environment)
    .text("decision", of.decision)
    .text("replayRole", of.replay_role);
  array(out, "attempts", of.attempts,
        [](std::string& list, const auto& one) { write_attempt(list, one); });
  array(out, "steps", of.steps, [](std::string& list, const auto& step) {
    object_writer one(list);
    one.text("state", domain::to_string(step.to)).text("actor", step.actor);
    text_if(one, "reason", step.reason);
    time(one, "at", step.at);
    one.close();
  });
  array(out, "replayIds", of.replay_ids,
        [](std::string& list, const auto& id) { append_quoted(list, id); });
}

void write_result(object_writer& into, const domain::dead_letter_evidence& of) {
  if (!of.result)
    return into.raw("resultingEffect", "null"), void();
  object_writer out(into.member("resultingEffect"));
  text_if(out, "effectId", of.effect_id);
  write_inbox_entry(out.member("inbox"), *of.result);
  out.close();
}

/// What may be told of bytes that are not shown here.
void write_payload_facts(object_writer& into,
                         const std::optional<std::uint64_t>& bytes) {
  object_writer out(into.member("payload"));
  out.raw("expired", bytes ? "false" : "true");
  if (bytes)
    out.number("bytes", *bytes);
  out.close();
}

void write_control(object_writer& into,
                   const std::optional<domain::control_stream>& of) {
  if (!of)
    return into.raw("control", "null"), void();
  object_writer out(into.member("control"));
  out.text("tenant", of->tenant_id)
    .text("consumer", of->consumer)
    .text("aggregateId", of->aggregate_id)
    .number("streamPosition", of->position);
  time(out, "lastAppliedAt", of->last_applied_at);
  out.close();
}

} // namespace

std::string dead_letter_row_json(const domain::dead_letter& of) {
  std::string text;
  object_writer out(text);
  write_identity(out, of);
  out.close();
  return text;
}

std::string dead_letter_json(const domain::dead_letter& of) {
  std::string text;
  object_writer out(text);
  write_letter(out, of);
  out.close();
  return text;
}

std::string dead_letter_json(const domain::dead_letter_evidence& of,
                             const evidence_frame& frame) {
  std::string text;
  object_writer out(text);
  write_letter(out, of.letter);
  out.text("actor", frame.actor);
  time(out, "asOf", frame.now);
  write_payload_facts(out, of.payload_bytes);
  out.number("streamPosition", of.position);
  text_if(out, "redirectedTo", of.redirected_to);
  write_result(out, of);
  write_control(out, of.control);
  out.close();
  return text;
}

} // namespace parcelflow::codec
