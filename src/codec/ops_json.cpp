#include "codec/ops_json.hpp"

#include "codec/view_members.hpp"
#include "support/digest.hpp"

namespace parcelflow::codec {
namespace {

void digest_if(object_writer& into, std::string_view name,
               const domain::sha256_digest& of) {
  if (of != domain::sha256_digest{})
    into.text(name, support::hex(of));
}

void write_item(std::string& text, const domain::replay_item& of) {
  using domain::item_state;
  object_writer out(text);
  out.text("deadLetterId", of.dead_letter_id)
    .text("consumer", of.consumer)
    .text("cause", domain::to_string(of.cause));
  text_if(out, "aggregateId", of.aggregate_id);
  out.number("aggregateSequence", of.sequence);
  text_if(out, "eventId", of.event_id);
  digest_if(out, "contentSha256", of.digest);
  out.text("predicted", domain::to_string(of.predicted));
  text_if(out, "prediction", of.prediction);
  out.text("state", domain::to_string(of.state));
  if (of.state == item_state::created_now
      || of.state == item_state::existed_before)
    out.text("via", domain::to_string(of.door));
  text_if(out, "reason", of.reason);
  text_if(out, "earlierReplayId", of.earlier_replay);
  time(out, "at", of.at);
  out.close();
}

void write_counts(object_writer& into, const domain::replay_counts& of) {
  object_writer out(into.member("counts"));
  out.number("createdNow", of.created_now)
    .number("existedBefore", of.existed_before)
    .number("declined", of.declined)
    .number("refused", of.refused)
    .number("stopped", of.stopped)
    .number("cancelled", of.cancelled);
  out.close();
}

} // namespace

std::string waiting_stream_json(const domain::waiting_stream& of) {
  std::string text;
  object_writer out(text);
  out.text("consumer", of.consumer)
    .text("aggregateId", of.aggregate_id)
    .number("streamPosition", of.position)
    .number("expectedSequence", of.position + 1)
    .text("cause", domain::to_string(of.cause));
  time(out, "since", of.since);
  out.number("events", of.rows);
  if (of.first_waiting != 0)
    out.number("firstWaiting", of.first_waiting);
  text_if(out, "headType", of.head_type);
  if (!of.head_type.empty())
    out.number("headVersion", of.head_version);
  time(out, "nextAttemptAt", of.next_attempt_at);
  text_if(out, "deadLetterId", of.dead_letter_id);
  out.close();
  return text;
}

std::string outbox_json(const domain::outbox_status& of) {
  std::string text;
  object_writer out(text);
  out.number("lastPosition", of.last_position)
    .number("publishedUpTo", of.published_up_to)
    .number("depth", of.depth())
    .number("heldStreams", of.held_streams)
    .number("oldestUnpublishedAgeMs", of.oldest_unpublished_age_ms);
  out.close();
  return text;
}

std::string tenant_json(const domain::tenant_status& of) {
  std::string text;
  object_writer out(text);
  out.text("tenant", of.tenant_id)
    .number("deadLettersOpen", of.dead_letters_open)
    .number("streamsWaiting", of.streams_waiting);
  time(out, "oldestWaitingSince", of.oldest_waiting_since);
  out.number("replaysRunning", of.replays_running);
  out.close();
  return text;
}

std::string pauses_json(const domain::pause_set& of) {
  std::string text;
  object_writer out(text);
  array(out, "items", of.paused, [](std::string& list, const auto& one) {
    const auto& [target, pause] = one;
    object_writer item(list);
    item.text("scope", domain::to_string(target.scope));
    text_if(item, "tenant", target.tenant_id);
    text_if(item, "consumer", target.consumer);
    text_if(item, "aggregateId", target.aggregate_id);
    item.text("actor", pause.actor);
    text_if(item, "reason", pause.reason);
    time(item, "since", pause.since);
    item.close();
  });
  out.close();
  return text;
}

std::string replay_item_json(const domain::replay_item& of) {
  std::string text;
  write_item(text, of);
  return text;
}

std::string replay_json(const domain::replay& of) {
  std::string text;
  object_writer out(text);
  out.text("replayId", of.replay_id)
    .text("planId", of.plan_id)
    .text("tenant", of.tenant_id)
    .text("state", domain::to_string(of.state))
    .text("filter", of.filter_text)
    .text("planSha256", support::hex(of.plan_digest))
    .text("actor", of.actor);
  text_if(out, "reason", of.reason);
  text_if(out, "cancelledBy", of.cancelled_by);
  out.number("ratePerSecond", of.rate_per_s);
  time(out, "startedAt", of.started_at);
  time(out, "endedAt", of.ended_at);
  out.number("total", of.total).number("done", of.counts.sum());
  write_counts(out, of.counts);
  const auto self = "/v1/replays/" + of.replay_id;
  object_writer links(out.member("links"));
  links.text("self", self).text("items", self + "/items");
  links.close();
  out.close();
  return text;
}

std::string plan_json(const domain::replay_plan& of, bool with_items) {
  std::string text;
  object_writer out(text);
  out.text("planId", of.plan_id)
    .text("tenant", of.tenant_id)
    .text("state", domain::to_string(of.state))
    .text("filter", of.filter_text)
    .text("actor", of.actor);
  time(out, "createdAt", of.created_at);
  time(out, "expiresAt", of.expires_at);
  out.number("lookedAt", of.looked_at).number("total", of.items.size());
  digest_if(out, "planSha256", of.digest);
  text_if(out, "replayId", of.replay_id);
  text_if(out, "why", of.why);
  if (with_items)
    array(out, "items", of.items, write_item);
  out.close();
  return text;
}

std::string found_json(const domain::found& of) {
  std::string text;
  object_writer out(text);
  out.text("kind", of.kind).text("id", of.id);
  text_if(out, "orderId", of.order_id);
  out.text("matchedBy", of.matched);
  out.close();
  return text;
}

std::string causal_line_json(const domain::causal_line& of, const viewer& who) {
  std::string text;
  object_writer out(text);
  out.text("orderId", of.order_id);
  text_if(out, "traceId", of.trace_id);
  std::vector<const domain::causal_step*> told;
  for (const auto& step : of.steps)
    if (!step.for_responders || who.sees_dead_letters())
      told.push_back(&step);
  array(out, "steps", told, [](std::string& list, const auto* step) {
    object_writer one(list);
    time(one, "at", step->at);
    one.text("what", step->what).text("where", step->where);
    text_if(one, "id", step->id);
    text_if(one, "detail", step->detail);
    one.close();
  });
  out.close();
  return text;
}

std::string log_entry_json(const domain::log_entry& of, const viewer& who) {
  std::string text;
  object_writer out(text);
  position(out, "position", std::to_string(of.position), who);
  time(out, "at", of.at);
  out.text("actor", of.actor);
  text_if(out, "tenant", of.tenant_id);
  out.text("verb", of.verb);
  text_if(out, "target", of.target);
  text_if(out, "reason", of.reason);
  out.raw("allowed", of.allowed ? "true" : "false").number("count", of.count);
  out.text("previousSha256", support::hex(of.previous))
    .text("sha256", support::hex(of.digest));
  out.close();
  return text;
}

std::string chain_json(const domain::outcome<domain::chain_status>& of) {
  std::string text;
  object_writer out(text);
  out.raw("intact", of ? "true" : "false");
  if (of)
    out.number("entries", of->entries)
      .text("headSha256", support::hex(of->head));
  else
    out.text("why", of.why().detail);
  out.close();
  return text;
}

} // namespace parcelflow::codec
