#include "domain/audit_feed.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t notes_record = 1;

effect_answer note_down(const event& of, const effect_context& context,
                        effect_rows&) {
  auto notes = decode_audit_notes(context.effect);
  if (!notes)
    return effect_answer::fail(notes.why().detail);
  const auto& about = of.envelope;
  notes->push_back({about.event_type, about.event_id, about.occurred_at});
  return effect_answer::apply(encode(*notes));
}

} // namespace

std::string encode(const std::vector<audit_note>& notes) {
  support::record_writer out(notes_record);
  out.u64(notes.size());
  for (const auto& one : notes)
    out.text(one.event_type).text(one.event_id).text(one.occurred_at);
  return out.take();
}

outcome<std::vector<audit_note>> decode_audit_notes(std::string_view bytes) {
  std::vector<audit_note> notes;
  if (bytes.empty())
    return notes;
  support::record_reader in(bytes, notes_record);
  notes.resize(in.count());
  for (auto& one : notes) {
    one.event_type = in.text();
    one.event_id = in.text();
    one.occurred_at = in.text();
  }
  if (!in.complete())
    return {failure::storage_corrupt, "audit notes do not parse"};
  return notes;
}

consumer_spec audit_feed_spec(start_at start) {
  consumer_spec spec;
  spec.name = audit_feed_consumer;
  spec.topics = {std::string(order_topic)};
  spec.supported = {{std::string(order_accepted), 1},
                    {std::string(order_accepted), 2},
                    {std::string(order_cancelled), 1},
                    {std::string(order_completed), 1}};
  spec.start = start;
  spec.added_later = true;
  spec.effect = note_down;
  return spec;
}

} // namespace parcelflow::domain
