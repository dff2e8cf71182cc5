#include "storage/order_join.hpp"

#include "storage/consumer_homes.hpp"
#include "storage/keys.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <atomic>

namespace parcelflow::storage {

using domain::stage;
using domain::stage_state;
using domain::wait_cause;
using support::unix_ms;

namespace {

stage done_at(unix_ms at, std::string id) {
  stage done;
  done.state = stage_state::done;
  done.at = at;
  done.id = std::move(id);
  return done;
}

/// Why the acceptance is not applied: it waits, or nothing came yet.
stage waiting_stage(row_reader& in, const domain::order& of,
                    const placed_stream& stream) {
  const auto& [where, row, from] = stream;
  stage shown;
  if (!row.waiting)
    return shown;
  shown.since = row.waiting->since;
  const auto room =
    in.first_in_room(where.of, of.tenant_id, where.name, of.order_id);
  const bool is_head = room && room->first == row.position + 1;
  switch (row.waiting->cause) {
  case wait_cause::retry:
    shown.state = stage_state::delayed;
    if (is_head)
      shown.next_attempt_at = room->second.next_at;
    break;
  case wait_cause::gap: shown.state = stage_state::delayed; break;
  case wait_cause::paused: shown.state = stage_state::held; break;
  case wait_cause::unsupported:
  case wait_cause::exhausted:
    shown.state = stage_state::held;
    if (is_head)
      shown.dead_letter_id = room->second.dead_letter_id;
    break;
  }
  return shown;
}

/// What became of the acceptance at one consumer. `at` and `id` are of the
/// effect; without an effect the event was declined or skipped: a responder
/// knows, and it does not go on by itself.
stage effect_stage(row_reader& in, const domain::order& of,
                   const placed_stream& stream, unix_ms at, std::string id) {
  const auto& [where, row, from] = stream;
  if (row.position == 0)
    return waiting_stage(in, of, stream);
  const auto entry = used_at(in, where, of.tenant_id, of.order_id, row, 1);
  if (id.empty()) {
    stage held;
    held.state = stage_state::held;
    held.since = entry ? entry->at : 0;
    if (entry && entry->mark == domain::inbox_mark::skipped)
      held.dead_letter_id = entry->note;
    return held;
  }
  auto done = done_at(at, std::move(id));
  if (entry && entry->door == domain::via::replay) {
    done.state = stage_state::recovered;
    done.replay_id = entry->replay_id;
  }
  return done;
}

/// The stage of a held stream's event: the stream is held at or before it.
stage held_stage(const held_stream& held, const domain::order_step& step) {
  stage shown;
  shown.since = held.attempts.empty() ? step.at : held.attempts.front().at;
  if (!held.dead_letter_id.empty()) {
    shown.state = stage_state::held;
    shown.dead_letter_id = held.dead_letter_id;
  } else {
    shown.state = stage_state::delayed;
    shown.next_attempt_at = held.next_at;
  }
  return shown;
}

/// The cursor and the receipts are one write, so this is a bug or damage.
/// Nobody can say when the bus accepted the event: it is not shown as done.
void note_missing_receipt(const domain::order& of,
                          const domain::order_step& step) {
  static std::atomic_flag noted; // each look at the order would say it again
  if (noted.test_and_set())
    return;
  support::log::error(
    "storage", "a published event has no receipt; later ones are not logged",
    {{"event", domain::event_id_of(of, step)},
     {"position", step.outbox_position}});
}

domain::consumer_evidence consumer_evidence_of(row_reader& in,
                                               const domain::order& of,
                                               const consumer_home& where,
                                               domain::stream_row row) {
  domain::consumer_evidence shown;
  shown.consumer = where.name;
  shown.position = row.position;
  shown.redirected_to = row.forward_to;
  shown.came_from = row.came_from;
  shown.inbox = in.older_inbox(where.of, of.tenant_id, where.name, of.order_id);
  shown.inbox.insert(shown.inbox.end(), row.recent.begin(), row.recent.end());
  shown.waiting = row.waiting;
  if (!row.waiting)
    return shown;
  const auto room =
    in.first_in_room(where.of, of.tenant_id, where.name, of.order_id);
  if (!room)
    return shown;
  shown.waiting_sequence = room->first;
  shown.rolled_back = room->second.attempts;
  shown.next_attempt_at = room->second.next_at;
  shown.dead_letter_id = room->second.dead_letter_id;
  return shown;
}

/// The three of every order whether they have seen it or not; of the others
/// those that have.
std::vector<domain::consumer_evidence>
consumers_evidence_of(row_reader& in, const domain::order& of) {
  constexpr std::size_t of_every_order = 3;
  std::vector<domain::consumer_evidence> all;
  std::size_t number = 0;
  for (const auto& where : consumers_of(in)) {
    auto row = in.stream(where.of, of.tenant_id, where.name, of.order_id);
    if (number++ < of_every_order || row != domain::stream_row{})
      all.push_back(consumer_evidence_of(in, of, where, std::move(row)));
  }
  return all;
}

domain::event_evidence event_evidence_of(row_reader& in,
                                         const domain::order& of,
                                         const domain::order_step& step,
                                         unix_ms now) {
  domain::event_evidence shown;
  shown.event_id = domain::event_id_of(of, step);
  shown.event_type = domain::event_type_of(step.state);
  shown.aggregate_sequence = step.sequence;
  shown.outbox_position = step.outbox_position;
  shown.committed_at = step.at;
  shown.published = published_stage(in, of, step);
  shown.receipt = in.receipt(step.outbox_position);
  shown.offered_again = in.single_receipts(step.outbox_position);
  if (!shown.receipt && !shown.offered_again.empty()) {
    shown.receipt = shown.offered_again.front(); // it was held, and then went
    shown.offered_again.erase(shown.offered_again.begin());
  }
  if (shown.receipt)
    shown.publish_attempts = shown.receipt->attempts;
  const auto held = in.held(of.tenant_id, of.order_id);
  if (held && held->sequence == step.sequence) {
    shown.publish_attempts = held->attempts.size();
    if (!held->attempts.empty())
      shown.last_publish_cause = held->attempts.back().cause;
  }
  if (!shown.published.finished())
    shown.unpublished_age_ms = std::max<unix_ms>(now - step.at, 0);
  return shown;
}

std::vector<std::string> dead_letters_of(row_reader& in,
                                         const domain::order& of) {
  std::vector<std::string> ids;
  const auto from = key_writer(kind::dead_letter_order)
                      .text(of.tenant_id)
                      .text(of.order_id)
                      .take();
  in.rows().scan(owner::dead_letter, from, prefix_end(from),
                 [&](std::string_view key, std::string_view) {
                   key_reader at(key);
                   at.text();
                   at.text();
                   ids.push_back(at.text());
                   return true;
                 });
  return ids;
}

} // namespace

stage published_stage(row_reader& in, const domain::order& of,
                      const domain::order_step& step) {
  const auto held = in.held(of.tenant_id, of.order_id);
  if (held && held->sequence <= step.sequence)
    return held_stage(*held, step);
  auto receipt = in.receipt(step.outbox_position);
  if (!receipt) {
    auto later = in.single_receipts(step.outbox_position);
    if (!later.empty())
      receipt = std::move(later.front());
  }
  if (receipt)
    return done_at(receipt->published_at, receipt->broker_message_id);
  if (in.published_up_to() >= step.outbox_position)
    note_missing_receipt(of, step);
  return {};
}

domain::order_view view_of(row_reader& in, domain::order of) {
  domain::order_view view;
  const auto fulfillment =
    follow(in, {owner::fulfillment, std::string(domain::fulfillment_consumer)},
           of.tenant_id, of.order_id);
  const auto notification = follow(
    in, {owner::notification, std::string(domain::notification_consumer)},
    of.tenant_id, of.order_id);
  if (auto job = in.whole(domain::decode_job(fulfillment.row.effect)))
    view.job = std::move(*job);
  if (auto sends = in.whole(domain::decode_sends(notification.row.effect)))
    view.sends = std::move(*sends);

  auto& progress = view.progress;
  progress.accepted = done_at(of.accepted_at(), of.order_id);
  progress.published = published_stage(in, of, of.steps.front());
  progress.fulfillment_started =
    effect_stage(in, of, fulfillment, view.job ? view.job->started_at : 0,
                 view.job ? view.job->fulfillment_id : std::string());
  const auto sent =
    std::find_if(view.sends.begin(), view.sends.end(), [](const auto& send) {
      return send.template_name == domain::confirmation_template;
    });
  const bool is_sent = sent != view.sends.end();
  progress.notified =
    effect_stage(in, of, notification, is_sent ? sent->at : 0,
                 is_sent ? sent->notification_id : std::string());
  view.order = std::move(of);
  return view;
}

domain::order_evidence evidence_of(row_reader& in, domain::order of,
                                   unix_ms now) {
  domain::order_evidence shown;
  for (const auto& step : of.steps)
    shown.events.push_back(event_evidence_of(in, of, step, now));
  shown.consumers = consumers_evidence_of(in, of);
  const auto reservation =
    in.get(owner::inventory, reservation_key(of.tenant_id, of.reservation_id),
           [](auto bytes) { return domain::decode_reservation(bytes); });
  if (reservation)
    shown.reservation = reservation->state;
  shown.dead_letter_ids = dead_letters_of(in, of);
  shown.view = view_of(in, std::move(of));
  return shown;
}

} // namespace parcelflow::storage
