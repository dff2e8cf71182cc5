#include "domain/sequence_rule.hpp"

#include <algorithm>

namespace parcelflow::domain {
namespace {

judgement judge_used(const event& of, const stream_row& row,
                     stream_facts& facts) {
  judgement j;
  j.expected = row.position + 1;
  const auto sequence = of.envelope.aggregate_sequence;
  const auto inlined =
    std::find_if(row.recent.begin(), row.recent.end(),
                 [&](const auto& e) { return e.sequence == sequence; });
  std::optional<inbox_entry> entry;
  if (inlined != row.recent.end())
    entry = *inlined;
  else
    entry = facts.older_entry(sequence);
  if (!entry) {
    // The start mark stands for the range that came before this consumer.
    j.what = sequence <= row.start_mark ? verdict::skipped : verdict::stale;
    return j;
  }
  if (entry->mark == inbox_mark::skipped) {
    // A hole may be skipped before its event was ever seen.
    if (entry->event_id.empty() || entry->event_id == of.envelope.event_id) {
      j.what = verdict::skipped;
      return j;
    }
  } else if (entry->event_id == of.envelope.event_id
             && entry->digest == of.digest) {
    j.what = verdict::duplicate;
    return j;
  }
  j.what = verdict::fork;
  j.known_digest = entry->digest;
  j.known_event_id = entry->event_id;
  return j;
}

/// A foreign id that was used elsewhere is the same id with other content.
bool used_elsewhere(const event& of, stream_facts& facts, judgement& j) {
  if (form_of(of.envelope) != id_form::foreign)
    return false;
  const auto place = facts.place_of(of.envelope.event_id);
  if (!place
      || (place->aggregate_id == of.envelope.aggregate_id
          && place->sequence == of.envelope.aggregate_sequence))
    return false;
  j.what = verdict::fork;
  j.known_event_id = of.envelope.event_id;
  j.reason = "the event id was used by " + place->aggregate_id + " at sequence "
             + std::to_string(place->sequence);
  return true;
}

/// An event that waits already is the same one again, or a rival of it.
bool stands_in_room(const event& of, stream_facts& facts, judgement& j) {
  const auto parked = facts.parked_at(of.envelope.aggregate_sequence);
  if (!parked)
    return false;
  if (parked->event_id == of.envelope.event_id && parked->digest == of.digest) {
    j.what = verdict::parked;
    return true;
  }
  j.what = verdict::fork;
  j.known_digest = parked->digest;
  j.known_event_id = parked->event_id;
  return true;
}

} // namespace

judgement judge(const event& of, const stream_row& row,
                const std::vector<event_kind>& supported, stream_facts& facts) {
  judgement j;
  j.expected = row.position + 1;
  if (form_of(of.envelope) == id_form::contradictory) {
    j.reason = "the event id names another aggregate or sequence";
    return j;
  }
  const auto sequence = of.envelope.aggregate_sequence;
  if (sequence <= row.position)
    return judge_used(of, row, facts);
  if (used_elsewhere(of, facts, j))
    return j;
  if (row.waiting && stands_in_room(of, facts, j))
    return j;
  if (sequence > j.expected) {
    j.what = row.waiting ? verdict::waiting : verdict::gap;
    return j;
  }
  const bool known =
    std::any_of(supported.begin(), supported.end(), [&](const auto& k) {
      return k.type == of.envelope.event_type
             && k.version == of.envelope.event_version;
    });
  j.what = known ? verdict::applied : verdict::unsupported;
  if (!known)
    j.reason = of.envelope.event_type + " v"
               + std::to_string(of.envelope.event_version)
               + " is not in this consumer's set";
  return j;
}

} // namespace parcelflow::domain
