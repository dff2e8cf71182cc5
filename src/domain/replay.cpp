#include "domain/replay.hpp"

#include "support/record.hpp"

#include <array>
#include <tuple>
#include <utility>

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t item_record = 1;
constexpr std::uint8_t replay_record = 1;

} // namespace

std::string_view to_string(item_state state) noexcept {
  switch (state) {
  case item_state::pending: return "pending";
  case item_state::sent: return "sent";
  case item_state::created_now: return "created_now";
  case item_state::existed_before: return "existed_before";
  case item_state::declined: return "declined";
  case item_state::refused: return "refused";
  case item_state::stopped: return "stopped";
  case item_state::cancelled: return "cancelled";
  }
  return "unknown";
}

bool is_final(item_state state) noexcept {
  return state != item_state::pending && state != item_state::sent;
}

bool runs_before(const replay_item& a, const replay_item& b) {
  const auto place = [](const replay_item& of) {
    return std::tie(of.consumer, of.aggregate_id, of.sequence,
                    of.dead_letter_id);
  };
  return place(a) < place(b);
}

std::string_view to_string(plan_state state) noexcept {
  switch (state) {
  case plan_state::planning: return "planning";
  case plan_state::ready: return "ready";
  case plan_state::failed: return "failed";
  case plan_state::executed: return "executed";
  case plan_state::expired: return "expired";
  }
  return "unknown";
}

std::string_view to_string(replay_state state) noexcept {
  switch (state) {
  case replay_state::running: return "running";
  case replay_state::cancelling: return "cancelling";
  case replay_state::finished: return "finished";
  case replay_state::cancelled: return "cancelled";
  }
  return "unknown";
}

void replay_counts::add(item_state state) {
  switch (state) {
  case item_state::pending:
  case item_state::sent: break;
  case item_state::created_now: created_now += 1; break;
  case item_state::existed_before: existed_before += 1; break;
  case item_state::declined: declined += 1; break;
  case item_state::refused: refused += 1; break;
  case item_state::stopped: stopped += 1; break;
  case item_state::cancelled: cancelled += 1; break;
  }
}

std::string to_text(const replay_counts& counts) {
  const std::array<std::pair<std::uint64_t, std::string_view>, 6> parts{
    {{counts.created_now, "created now"},
     {counts.existed_before, "existed before"},
     {counts.declined, "declined"},
     {counts.refused, "refused"},
     {counts.stopped, "stopped"},
     {counts.cancelled, "cancelled"}}};
  std::string text;
  for (const auto& [count, name] : parts)
    if (count > 0)
      text.append(text.empty() ? "" : ", ")
        .append(std::to_string(count))
        .append(" ")
        .append(name);
  return text;
}

std::string encode(const replay_item& item) {
  support::record_writer out(item_record);
  out.text(item.dead_letter_id).text(item.consumer).choice(item.cause);
  out.text(item.aggregate_id);
  out.u64(item.sequence).text(item.event_id).digest(item.digest);
  out.choice(item.predicted).text(item.prediction).choice(item.state);
  out.choice(item.door).text(item.reason).text(item.earlier_replay);
  out.i64(item.at);
  return out.take();
}

outcome<replay_item> decode_replay_item(std::string_view bytes) {
  support::record_reader in(bytes, item_record);
  replay_item item;
  item.dead_letter_id = in.text();
  item.consumer = in.text();
  item.cause = in.choice(dead_letter_cause::sequence_gap,
                         dead_letter_cause::publish_refused);
  item.aggregate_id = in.text();
  item.sequence = in.u64();
  item.event_id = in.text();
  item.digest = in.digest();
  item.predicted = in.choice(verdict::applied, verdict::parked);
  item.prediction = in.text();
  item.state = in.choice(item_state::pending, item_state::cancelled);
  item.door = in.choice(via::delivery, via::history);
  item.reason = in.text();
  item.earlier_replay = in.text();
  item.at = in.i64();
  if (!in.complete())
    return {failure::storage_corrupt, "replay item does not parse"};
  return item;
}

std::string encode(const replay& of) {
  support::record_writer out(replay_record);
  out.text(of.plan_id).digest(of.plan_digest).text(of.filter_text);
  out.text(of.actor).text(of.reason).u64(of.rate_per_s).choice(of.state);
  out.text(of.cancelled_by).i64(of.started_at).i64(of.ended_at).u64(of.total);
  const auto& counts = of.counts;
  out.u64(counts.created_now).u64(counts.existed_before).u64(counts.declined);
  out.u64(counts.refused).u64(counts.stopped).u64(counts.cancelled);
  return out.take();
}

outcome<replay> decode_replay(std::string_view tenant, std::string_view id,
                              std::string_view bytes) {
  support::record_reader in(bytes, replay_record);
  replay of;
  of.tenant_id = tenant;
  of.replay_id = id;
  of.plan_id = in.text();
  of.plan_digest = in.digest();
  of.filter_text = in.text();
  of.actor = in.text();
  of.reason = in.text();
  of.rate_per_s = in.u32();
  of.state = in.choice(replay_state::running, replay_state::cancelled);
  of.cancelled_by = in.text();
  of.started_at = in.i64();
  of.ended_at = in.i64();
  of.total = in.u64();
  of.counts.created_now = in.u64();
  of.counts.existed_before = in.u64();
  of.counts.declined = in.u64();
  of.counts.refused = in.u64();
  of.counts.stopped = in.u64();
  of.counts.cancelled = in.u64();
  if (!in.complete())
    return {failure::storage_corrupt, "replay record does not parse"};
  return of;
}

} // namespace parcelflow::domain
