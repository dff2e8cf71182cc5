// I4: outbox events = applied + declined + skipped + waiting + quarantined,
// and while work goes on, pending; at each consumer.
#include "codec/identity.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

namespace parcelflow::storage {
namespace {

using domain::inbox_mark;

class account_book {
public:
  account_book(audit_book& book, audited_consumer at, audit_account& sums,
               const domain::event& event, std::uint64_t position,
               const row_name& name, support::unix_ms committed_at)
    : book_(book), at_(std::move(at)), sums_(sums), event_(event),
      position_(position), name_(name), committed_at_(committed_at) {}

  void run() {
    const auto& about = event_.envelope;
    sums_.events += 1;
    at_.name = book_.keeper(at_.of, about.tenant_id, at_.name,
                            about.aggregate_id, about.aggregate_sequence);
    const auto row =
      book_.stream(at_.of, about.tenant_id, at_.name, about.aggregate_id)
        .value_or(domain::stream_row{});
    if (about.aggregate_sequence <= row.start_mark && row.came_from.empty()) {
      sums_.before_start += 1;
      was_walked();
    } else if (about.aggregate_sequence <= row.position)
      used(row);
    else
      not_used();
  }

private:
  [[nodiscard]] bool is_this(std::string_view id,
                             const domain::sha256_digest& digest) const {
    return id == event_.envelope.event_id && digest == event_.digest;
  }
  /// The consumer took another event for it and set this one aside; a record
  /// that was waived stands without it.
  [[nodiscard]] bool lies_aside() const {
    const auto& about = event_.envelope;
    const auto id = codec::dead_letter_id(at_.name, about.tenant_id,
                                          about.event_id, event_.digest);
    return book_.has(at_.of, aside_key(about.tenant_id, id))
           || book_.has(owner::dead_letter,
                        dead_letter_key(about.tenant_id, id));
  }
  void pending() {
    sums_.pending += 1;
    book_.pend(audit_way::to_a_consumer, committed_at_, name_,
               "has not come to " + at_.name);
  }
  void wrong(std::string_view key, std::string what) {
    sums_.wrong += 1;
    book_.find(audit_rule::accounting, at_.of, key, std::move(what));
  }

  void used(const domain::stream_row& row) {
    const auto& about = event_.envelope;
    const auto found =
      book_.used(at_.of, about.tenant_id, at_.name, about.aggregate_id, row,
                 about.aggregate_sequence);
    if (!found) { // the stream's own check names the entry
      sums_.wrong += 1;
      return;
    }
    const auto& entry = found->entry;
    if (entry.door == domain::via::history)
      was_walked();
    if (entry.mark == inbox_mark::skipped)
      sums_.skipped += 1;
    else if (is_this(entry.event_id, entry.digest))
      (entry.mark == inbox_mark::applied ? sums_.applied : sums_.declined) += 1;
    else if (lies_aside())
      sums_.quarantined += 1;
    else if (entry.event_id == about.event_id)
      wrong(found->key, "took " + about.event_id
                          + " with another digest than it was committed with");
    else if (is_own(entry.event_id))
      wrong(found->key, "took " + printable(entry.event_id) + " as sequence "
                          + std::to_string(about.aggregate_sequence)
                          + ", which is " + about.event_id);
    else
      pending(); // a rival came first; this one will be set aside
  }

  /// An id of our own form belongs to one sequence of one order.
  [[nodiscard]] bool is_own(const std::string& id) const {
    domain::envelope other = event_.envelope;
    other.event_id = id;
    return domain::form_of(other) != domain::id_form::foreign;
  }

  [[nodiscard]] std::uint64_t walked_before() const {
    const auto row = book_.at().get(at_.of, history_key(at_.name));
    const auto cursor = row ? decode_history_cursor(*row) : std::nullopt;
    return cursor ? cursor->next : 0;
  }
  /// This event came out of the outbox, so the cursor is behind it.
  void was_walked() {
    if (at_.added_later && position_ >= walked_before())
      book_.find_once(audit_rule::accounting, at_.of, history_key(at_.name),
                      "stands before position " + std::to_string(position_)
                        + ", which it has passed");
  }

  void not_used() {
    const auto& about = event_.envelope;
    const auto key = waiting_room_key(
      about.tenant_id, at_.name, about.aggregate_id, about.aggregate_sequence);
    const auto room =
      book_.read(at_.of, key, [](auto bytes) { return decode_room(bytes); });
    if (!room)
      return on_the_way();
    if (is_this(room->event_id, room->digest))
      (room->mode == room_mode::quarantined ? sums_.quarantined
                                            : sums_.waiting) += 1;
    else if (lies_aside())
      sums_.quarantined += 1;
    else if (room->event_id == about.event_id)
      wrong(key, "keeps " + about.event_id
                   + " with another digest than it was committed with");
    else
      pending();
  }

  void on_the_way() {
    const auto& about = event_.envelope;
    const auto held = book_.read(
      owner::relay, held_stream_key(about.tenant_id, about.aggregate_id),
      [](auto bytes) { return decode_held_stream(bytes); });
    if (held && held->sequence <= about.aggregate_sequence
        && !held->dead_letter_id.empty())
      sums_.quarantined += 1; // by the pseudo-consumer `publish`
    else if (at_.added_later && position_ < walked_before()
             && !book_.has(at_.of, stream_key(about.tenant_id, at_.name,
                                              about.aggregate_id)))
      wrong(stream_key(about.tenant_id, at_.name, about.aggregate_id),
            "is missing; the history cursor has passed position "
              + std::to_string(position_));
    else
      pending();
  }

  audit_book& book_;
  audited_consumer at_;
  audit_account& sums_;
  const domain::event& event_;
  std::uint64_t position_; ///< in the outbox
  const row_name& name_;
  support::unix_ms committed_at_;
};

} // namespace

void account_for(audit_book& book, const domain::event& event,
                 std::uint64_t position, const row_name& outbox_row,
                 support::unix_ms committed_at) {
  const auto& consumers = book.options().consumers;
  auto sums = book.report().accounts.begin();
  for (const auto& one : consumers)
    if (!one.by_redirect)
      account_book(book, one, *sums++, event, position, outbox_row,
                   committed_at)
        .run();
}

} // namespace parcelflow::storage
