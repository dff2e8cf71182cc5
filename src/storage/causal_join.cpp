#include "storage/causal_join.hpp"

#include "domain/replay.hpp"
#include "storage/consumer_homes.hpp"
#include "storage/dead_letter_join.hpp"
#include "storage/keys.hpp"
#include "storage/order_join.hpp"

#include <algorithm>
#include <set>

namespace parcelflow::storage {

using domain::causal_step;
using support::unix_ms;

namespace {

constexpr std::size_t rows_max = 200; ///< of one kind, of one order

std::string joined(std::string_view first, std::string_view second) {
  std::string text(first);
  if (!second.empty())
    text.append(text.empty() ? "" : ": ").append(second);
  return text;
}

class line_writer {
public:
  line_writer(row_reader& in, std::string_view tenant,
              std::string_view aggregate)
    : in_(&in), tenant_(tenant), aggregate_(aggregate) {}

  std::optional<domain::causal_line> line(unix_ms now) {
    line_.order_id = aggregate_;
    if (auto order = in_->order(tenant_, aggregate_))
      add_order(*std::move(order), now);
    for (const auto& where : consumers_of(*in_))
      add_consumer(where);
    add_letters();
    for (const auto& id : replays_)
      add_replay(id);
    if (line_.steps.empty())
      return std::nullopt;
    std::stable_sort(line_.steps.begin(), line_.steps.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    return std::move(line_);
  }

private:
  void add(unix_ms at, std::string_view what, std::string_view where,
           std::string id, std::string detail) {
    add({at, std::string(what), std::string(where), std::move(id),
         std::move(detail), false});
  }
  /// What the tenant's own people are not told.
  void add_internal(unix_ms at, std::string_view what, std::string_view where,
                    std::string id, std::string detail) {
    add({at, std::string(what), std::string(where), std::move(id),
         std::move(detail), true});
  }
  /// An attempt stands in the waiting room and in the record: told once.
  void add(causal_step step) {
    auto& steps = line_.steps;
    if (std::find(steps.begin(), steps.end(), step) == steps.end())
      steps.push_back(std::move(step));
  }

  // --- request, key, batch, outbox, attempts --------------------------------
  void add_order(domain::order of, unix_ms now) {
    line_.trace_id = of.trace_id;
    const auto begin = std::min(of.accepted_at(), of.authorization.at);
    add(begin, "requested", "order", of.idempotency_key,
        "placed under this idempotency key");
    add(begin, "reserved", "inventory", of.reservation_id,
        "stock is held for it");
    add(of.authorization.at, "authorized", "payment", of.authorization.id,
        of.authorization.voided_at == 0 ? "the payment stands"
                                        : "voided since");
    const auto evidence = evidence_of(*in_, std::move(of), now);
    for (const auto& event : evidence.events)
      add_event(event);
    add_effects(evidence.view);
  }

  void add_event(const domain::event_evidence& of) {
    const bool first = of.aggregate_sequence == 1;
    add(of.committed_at, "committed", "order", of.event_id,
        of.event_type
          + (first ? ", with order and key in one durable batch"
                   : ", with the order's next state in one durable batch"));
    if (of.receipt)
      add(of.receipt->published_at, "published", "relay", of.event_id,
          "accepted by the bus, attempts: "
            + std::to_string(of.receipt->attempts));
    for (const auto& again : of.offered_again)
      add(again.published_at, "offered_again", "relay", of.event_id, {});
    if (const auto held = in_->held(tenant_, aggregate_);
        held && held->sequence == of.aggregate_sequence) {
      for (const auto& one : held->attempts)
        add_internal(one.at, "publish_refused", "relay", of.event_id,
                     one.cause);
    }
    if (of.published.since != 0)
      add(of.published.since, "not_published", "relay", of.event_id,
          of.published.state == domain::stage_state::held
            ? "held; a responder has been told"
            : "goes on by itself");
  }

  // --- verdicts and effects -------------------------------------------------
  void add_consumer(const consumer_home& where) {
    const auto row = in_->stream(where.of, tenant_, where.name, aggregate_);
    for (const auto& entry :
         in_->older_inbox(where.of, tenant_, where.name, aggregate_))
      add_entry(where, entry);
    for (const auto& entry : row.recent)
      if (row.came_from.empty() || entry.sequence > row.start_mark)
        add_entry(where, entry);
    if (!row.came_from.empty())
      add_internal(moved_at(row), "taken_over", where.name, row.came_from,
                   "redirected here by a responder, position "
                     + std::to_string(row.start_mark));
    if (!row.waiting)
      return;
    add(row.waiting->since, "waits", where.name, {},
        "for sequence " + std::to_string(row.position + 1) + " ("
          + std::string(domain::to_string(row.waiting->cause)) + ")");
    if (const auto room =
          in_->first_in_room(where.of, tenant_, where.name, aggregate_))
      for (const auto& one : room->second.attempts)
        add_internal(one.at, "attempt_failed", where.name,
                     room->second.event_id, one.cause);
  }

  void add_entry(const consumer_home& where, const domain::inbox_entry& of) {
    auto detail = "sequence " + std::to_string(of.sequence) + " by "
                  + std::string(domain::to_string(of.door));
    if (!of.replay_id.empty()) {
      detail += " " + of.replay_id;
      replays_.insert(of.replay_id);
    }
    if (of.mark == domain::inbox_mark::declined)
      detail = joined(detail, of.note);
    add(of.at, domain::to_string(of.mark), where.name, of.event_id,
        std::move(detail));
  }

  /// The rows do not say when; what came right after does.
  static unix_ms moved_at(const domain::stream_row& row) {
    for (const auto& entry : row.recent)
      if (entry.sequence > row.start_mark)
        return entry.at;
    return row.waiting ? row.waiting->since : 0;
  }

  void add_effects(const domain::order_view& of) {
    if (of.job) {
      add(of.job->started_at, "effect", "fulfillment", of.job->fulfillment_id,
          "job started");
      if (of.job->closed_at != 0)
        add(of.job->closed_at, "effect", "fulfillment", of.job->fulfillment_id,
            joined("job", domain::to_string(of.job->state)));
    }
    for (const auto& send : of.sends)
      add(send.at, "effect", "notification", send.notification_id,
          joined("sent", send.template_name));
  }

  // --- dead letters and replays ---------------------------------------------
  void add_letters() {
    const auto from =
      key_writer(kind::dead_letter_order).text(tenant_).text(aggregate_).take();
    std::vector<std::string> ids;
    in_->rows().scan(owner::dead_letter, from, prefix_end(from),
                     [&](std::string_view key, std::string_view) {
                       key_reader at(key);
                       at.text();
                       at.text();
                       ids.push_back(at.text());
                       return ids.size() < rows_max;
                     });
    for (const auto& id : ids)
      if (const auto letter = letter_of(*in_, tenant_, id))
        add_letter(*letter);
  }

  void add_letter(const domain::dead_letter& of) {
    for (const auto& one : of.attempts)
      add_internal(one.at, "attempt_failed", of.consumer, of.event_id,
                   one.cause);
    bool first = true;
    for (const auto& step : of.steps) {
      auto detail = first ? joined(domain::to_string(of.cause), of.reason)
                          : joined("by " + step.actor, step.reason);
      add_internal(step.at,
                   first ? "dead_letter_opened" : domain::to_string(step.to),
                   "dead_letter", of.dead_letter_id, std::move(detail));
      first = false;
    }
    replays_.insert(of.replay_ids.begin(), of.replay_ids.end());
  }

  void add_replay(const std::string& id) {
    const auto row =
      in_->get(owner::dead_letter, replay_key(tenant_, id), [&](auto bytes) {
        return domain::decode_replay(tenant_, id, bytes);
      });
    if (!row)
      return;
    add_internal(row->started_at, "replay_started", "dead_letter", id,
                 joined("by " + row->actor, row->reason));
    if (row->ended_at != 0)
      add_internal(row->ended_at, "replay_ended", "dead_letter", id,
                   std::string(domain::to_string(row->state))
                     + ", items: " + std::to_string(row->total));
  }

  row_reader* in_;
  std::string tenant_;
  std::string aggregate_;
  domain::causal_line line_;
  std::set<std::string> replays_;
};

} // namespace

std::optional<domain::causal_line> causal_line_of(row_reader& in,
                                                  std::string_view tenant,
                                                  std::string_view aggregate,
                                                  unix_ms now) {
  return line_writer(in, tenant, aggregate).line(now);
}

} // namespace parcelflow::storage
