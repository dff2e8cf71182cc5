// I6: a stream's position and its inbox; the index of foreign event ids.
#include "domain/event.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <memory>

namespace parcelflow::storage {
namespace {

using domain::inbox_entry;
using domain::inbox_mark;
using domain::stream_row;

class stream_checks {
public:
  stream_checks(audit_book& book, owner of) : book_(book), of_(of) {}

  void visit_stream(const audited_row& row) {
    auto key = row.parts();
    tenant_ = key.text();
    consumer_ = key.text();
    aggregate_ = key.text();
    const auto stream = book_.whole(row, domain::decode_stream(row.value));
    if (!stream)
      return;
    check_recent(row, *stream);
    const auto before = stream->start_mark;
    auto applied = count_older(before + 1, last_older(*stream));
    for (const auto& entry : stream->recent)
      if (entry.sequence > before) // else a copy of whose it was before
        applied += check_entry(entry, row.key) ? 1 : 0;
    check_effect(book_, row, *stream, applied);
    check_mark(row, *stream);
    check_hand_over(row, *stream);
  }

  void visit_skip(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto consumer = key.text();
    const auto aggregate = key.text();
    const auto sequence = key.number();
    const auto skip = book_.whole(row, decode_skip(row.value));
    if (!skip)
      return;
    const auto stream = book_.stream(of_, tenant, consumer, aggregate);
    const auto used =
      stream ? book_.used(of_, tenant, consumer, aggregate, *stream, sequence)
             : std::nullopt;
    if (!used || used->entry.mark != inbox_mark::skipped
        || used->entry.note != skip->dead_letter_id)
      book_.find(audit_rule::consumer_atom, row,
                 "tells of a skip that is not in the inbox");
  }

  void visit_inbox(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto consumer = key.text();
    const auto aggregate = key.text();
    const auto sequence = key.number();
    const auto entry = book_.whole(row, domain::decode_inbox_entry(row.value));
    if (entry && entry->sequence != sequence)
      book_.find(audit_rule::consumer_atom, row,
                 "holds the entry of sequence "
                   + std::to_string(entry->sequence));
    const auto stream = book_.stream(of_, tenant, consumer, aggregate);
    if (!stream || sequence > stream->position || sequence == 0
        || (sequence <= stream->start_mark && stream->came_from.empty()))
      return book_.find(audit_rule::consumer_atom, row,
                        "its stream is at position "
                          + std::to_string(stream ? stream->position : 0));
    const bool inlined =
      std::ranges::find(stream->recent, sequence, &inbox_entry::sequence)
      != stream->recent.end();
    if (inlined)
      book_.find(audit_rule::consumer_atom, row,
                 "its sequence is in the stream's row, too");
  }

  void visit_foreign(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto consumer = key.text();
    const auto event_id = key.text();
    const auto place = book_.whole(row, decode_place(row.value));
    if (!place)
      return;
    const auto stream =
      book_.stream(of_, tenant, consumer, place->aggregate_id);
    const auto used = stream
                        ? book_.used(of_, tenant, consumer, place->aggregate_id,
                                     *stream, place->sequence)
                        : std::nullopt;
    if (!used || used->entry.event_id != event_id)
      book_.find(audit_rule::consumer_atom, row,
                 "names sequence " + std::to_string(place->sequence) + " of "
                   + printable(place->aggregate_id)
                   + ", where another event stands or none");
  }

private:
  /// Inline entries are the last ones, without a hole.
  void check_recent(const audited_row& row, const stream_row& stream) {
    const auto& recent = stream.recent;
    const auto wrong = [&](std::string what) {
      book_.find(audit_rule::consumer_atom, row, std::move(what));
    };
    const std::string at = "position " + std::to_string(stream.position);
    if (stream.start_mark > stream.position)
      return wrong("starts behind its own " + at);
    if (recent.empty()) {
      if (stream.position > stream.start_mark)
        wrong("is at " + at + " without an inbox entry");
      return;
    }
    for (std::size_t i = 1; i < recent.size(); ++i)
      if (recent[i].sequence != recent[i - 1].sequence + 1)
        return wrong(recent[i].sequence == recent[i - 1].sequence
                       ? "has sequence " + std::to_string(recent[i].sequence)
                           + " twice in its inbox"
                       : "has a hole in its inbox behind sequence "
                           + std::to_string(recent[i - 1].sequence));
    const auto first = stream.came_from.empty() ? stream.start_mark + 1 : 1;
    if (recent.back().sequence != stream.position
        || recent.front().sequence < first)
      wrong("is at " + at + ", its inbox ends at sequence "
            + std::to_string(recent.back().sequence));
  }

  /// The last sequence whose entry has a row of its own.
  static std::uint64_t last_older(const stream_row& stream) {
    if (stream.recent.empty())
      return stream.position;
    const auto first = stream.recent.front().sequence;
    return first == 0 ? 0 : first - 1;
  }

  /// Entries from `next` to `last` in rows of their own; how many were applied.
  std::uint64_t count_older(std::uint64_t next, std::uint64_t last) {
    if (next > last)
      return 0;
    std::uint64_t applied = 0;
    const auto missing = [&](std::uint64_t upto) {
      const auto key = inbox_entry_key(tenant_, consumer_, aggregate_, next);
      book_.find(audit_rule::consumer_atom, of_, key,
                 next == upto ? std::string("is missing")
                              : "is missing, and so are those up to sequence "
                                  + std::to_string(upto));
    };
    auto prefix = inbox_entry_key(tenant_, consumer_, aggregate_, 0);
    prefix.resize(prefix.size() - 8);
    book_.each(of_, prefix, [&](auto key, auto value) {
      key_reader in(key);
      in.text();
      in.text();
      in.text();
      const auto sequence = in.number();
      if (sequence < next || sequence > last)
        return sequence <= last; // the row's own check says so
      if (sequence > next)
        missing(sequence - 1);
      next = sequence + 1;
      if (const auto entry = domain::decode_inbox_entry(value))
        applied += check_entry(*entry, key) ? 1 : 0;
      return true;
    });
    if (next <= last)
      missing(last);
    return applied;
  }

  /// An entry by itself; true if it was applied.
  bool check_entry(const inbox_entry& entry, std::string_view key) {
    if (entry.mark == inbox_mark::skipped) {
      if (entry.note.empty())
        book_.find(audit_rule::consumer_atom, of_, key,
                   "skips sequence " + std::to_string(entry.sequence)
                     + " without naming a dead letter");
      const auto why = skip_key(tenant_, consumer_, aggregate_, entry.sequence);
      if (!book_.has(of_, why))
        book_.find(audit_rule::consumer_atom, of_, why,
                   "is missing: nobody says who skipped it, and why");
      return false;
    }
    domain::envelope about;
    about.event_id = entry.event_id;
    about.aggregate_id = aggregate_;
    about.aggregate_sequence = entry.sequence;
    const auto form = domain::form_of(about);
    if (form == domain::id_form::contradictory)
      book_.find(audit_rule::consumer_atom, of_, key,
                 "has " + printable(entry.event_id) + " as sequence "
                   + std::to_string(entry.sequence));
    if (form == domain::id_form::foreign)
      check_place(entry);
    if (entry.door == domain::via::replay)
      check_replay(entry, key);
    return entry.mark == inbox_mark::applied;
  }

  /// I8: what a replay applied names it, and it exists.
  void check_replay(const inbox_entry& entry, std::string_view key) {
    if (entry.replay_id.empty()
        || !book_.has(owner::dead_letter, replay_key(tenant_, entry.replay_id)))
      book_.find(audit_rule::replay_identity, of_, key,
                 "was replayed by " + printable(entry.replay_id)
                   + ", which does not exist");
  }

  void check_place(const inbox_entry& entry) {
    const auto key = foreign_event_key(tenant_, consumer_, entry.event_id);
    const auto bytes = book_.at().get(of_, key);
    if (!bytes)
      return book_.find(audit_rule::consumer_atom, of_, key,
                        "is missing; it was used by " + printable(aggregate_));
    const auto place = decode_place(*bytes);
    if (place
        && (place->aggregate_id != aggregate_
            || place->sequence != entry.sequence))
      book_.find(audit_rule::consumer_atom, of_, key,
                 "does not name " + printable(aggregate_) + ", sequence "
                   + std::to_string(entry.sequence) + ", which used it");
  }

  /// The mark of a waiting stream, its index, its rows in the room.
  void check_mark(const audited_row& row, const stream_row& stream) {
    if (!stream.waiting)
      return; // rows and index entries say it themselves
    const auto index = waiting_stream_key(tenant_, consumer_, aggregate_);
    if (!book_.has(of_, index))
      book_.find(audit_rule::consumer_atom, of_, index,
                 "is missing, and its stream waits");
    std::uint64_t rows = 0;
    auto prefix = waiting_room_key(tenant_, consumer_, aggregate_, 0);
    prefix.resize(prefix.size() - 8);
    book_.each(of_, prefix, [&](auto, auto) { return ++rows != 0; });
    if (rows != stream.waiting->rows || rows == 0)
      book_.find(audit_rule::consumer_atom, row,
                 "waits with " + counted(stream.waiting->rows, "event")
                   + " by its mark; the waiting room has "
                   + std::to_string(rows));
  }

  /// A stream that was handed to another consumer of this family goes on there
  /// where it ended here.
  void check_hand_over(const audited_row& row, const stream_row& stream) {
    if (!stream.forward_to.empty()) {
      const auto to = book_.stream(of_, tenant_, stream.forward_to, aggregate_);
      if (!to || to->came_from != consumer_
          || to->start_mark != stream.position)
        book_.find(audit_rule::consumer_atom, row,
                   "was handed to " + printable(stream.forward_to)
                     + ", which did not take it at position "
                     + std::to_string(stream.position));
    }
    if (!stream.came_from.empty()) {
      const auto from =
        book_.stream(of_, tenant_, stream.came_from, aggregate_);
      if (!from || from->forward_to != consumer_)
        book_.find(audit_rule::consumer_atom, row,
                   "came from " + printable(stream.came_from)
                     + ", which did not hand it over");
    }
  }

  audit_book& book_;
  owner of_;
  std::string tenant_; ///< of the stream that is looked at
  std::string consumer_;
  std::string aggregate_;
};

} // namespace

void add_stream_checks(audit_book& book, owner of, audit_passes& to) {
  const auto checks = std::make_shared<stream_checks>(book, of);
  to.push_back({of, kind::stream,
                [checks](const auto& row) { checks->visit_stream(row); }});
  to.push_back({of, kind::inbox_entry,
                [checks](const auto& row) { checks->visit_inbox(row); }});
  to.push_back(
    {of, kind::skip, [checks](const auto& row) { checks->visit_skip(row); }});
  to.push_back({of, kind::foreign_event,
                [checks](const auto& row) { checks->visit_foreign(row); }});
}

} // namespace parcelflow::storage
