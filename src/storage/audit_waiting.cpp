// I7 from the consumer's side: the waiting room, what lies aside, and what the
// dead-letter owner is still to be told.
#include "codec/event_json.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "support/digest.hpp"

#include <memory>

namespace parcelflow::storage {
namespace {

using domain::dead_letter_state;

/// Since when a record waits to be told.
support::unix_ms since_of(const tell_row& row) {
  if (row.closed)
    return row.closed->at;
  return row.opened ? row.opened->last_seen : 0;
}

class waiting_checks {
public:
  waiting_checks(audit_book& book, owner of) : book_(book), of_(of) {}

  void visit_room(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto consumer = key.text();
    const auto aggregate = key.text();
    const auto sequence = key.number();
    const auto room = book_.whole(row, decode_room(row.value));
    if (!room)
      return;
    const auto stream = book_.stream(of_, tenant, consumer, aggregate);
    if (!stream || !stream->waiting)
      book_.find(audit_rule::consumer_atom, row,
                 "waits, and its stream has no mark of it");
    if (stream && sequence <= stream->position)
      book_.find(audit_rule::consumer_atom, row,
                 "waits, and its stream is at position "
                   + std::to_string(stream->position));
    check_bytes(row, *room, tenant, aggregate, sequence);
    if (room->mode == room_mode::quarantined)
      check_letter(row, *room, tenant, room->dead_letter_id, true);
    else if (!room->dead_letter_id.empty())
      book_.find(audit_rule::quarantine_atom, row,
                 "names a dead letter and is not quarantined");
  }

  void visit_aside(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto room = book_.whole(row, decode_room(row.value));
    if (!room)
      return;
    if (room->dead_letter_id != id)
      book_.find(audit_rule::quarantine_atom, row,
                 "names dead letter " + printable(room->dead_letter_id));
    check_letter(row, *room, tenant, id, false);
  }

  void visit_index(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto consumer = key.text();
    const auto stream = book_.stream(of_, tenant, consumer, key.text());
    if (!stream || !stream->waiting)
      book_.find(audit_rule::consumer_atom, row,
                 "is in the index of waiting streams, and does not wait");
  }

  void visit_to_tell(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto tell = book_.whole(row, decode_tell(tenant, id, row.value));
    if (!tell)
      return;
    if (!tell->opened && !tell->closed)
      book_.find(audit_rule::quarantine_atom, row, "has nothing to tell");
    if (tell->opened
        && support::sha256_of(tell->opened->payload)
             != tell->opened->payload_sha256)
      book_.find(audit_rule::quarantine_atom, row,
                 "its payload does not match its SHA-256");
    book_.pend(audit_way::to_dead_letters, since_of(*tell),
               name_of(row.of, row.key), "is not told");
  }

  /// How far a later consumer came: no further than the outbox goes. What it
  /// has passed is in the consumer's account.
  void visit_history(const audited_row& row) {
    const auto cursor = decode_history_cursor(row.value);
    if (!cursor)
      return book_.find(audit_rule::whole_rows, row,
                        "history cursor does not parse");
    const auto end = book_.committed_up_to();
    if (cursor->next > end + 1)
      book_.find(audit_rule::books, row,
                 "stands at " + std::to_string(cursor->next)
                   + "; the outbox ends at " + std::to_string(end));
  }

  void visit_stop(const audited_row& row) {
    constexpr std::string_view clean("\x01\0", 2);
    constexpr std::string_view running("\x01\0\x01", 3);
    if (row.value != clean && row.value != running)
      book_.find(audit_rule::whole_rows, row, "the mark does not parse");
  }

private:
  /// What waits is what came: it parses, and says of itself what its row says.
  void check_bytes(const audited_row& row, const room_row& room,
                   const std::string& tenant, const std::string& aggregate,
                   std::uint64_t sequence) {
    const auto decoded = codec::decode_event(room.bytes);
    if (!decoded)
      return book_.find(audit_rule::whole_rows, row,
                        "its event does not parse: " + decoded.why().detail);
    const auto& about = (*decoded)->envelope;
    if (about.tenant_id != tenant)
      return book_.find(audit_rule::tenancy, row,
                        "its event is of tenant " + printable(about.tenant_id));
    if ((*decoded)->digest != room.digest || about.event_id != room.event_id
        || about.aggregate_id != aggregate
        || about.aggregate_sequence != sequence)
      book_.find(audit_rule::quarantine_atom, row,
                 "its event is not the one that its row describes");
  }

  /// Its one dead letter, which is open while the event waits for it.
  void check_letter(const audited_row& row, const room_row& room,
                    const std::string& tenant, const std::string& id,
                    bool waits) {
    const bool untold = book_.has(of_, to_tell_key(tenant, id));
    const auto key = dead_letter_key(tenant, id);
    const auto bytes = book_.at().get(owner::dead_letter, key);
    if (!bytes) {
      if (!untold)
        book_.find(audit_rule::quarantine_atom, row,
                   "has no dead letter " + printable(id));
      return;
    }
    const auto letter = domain::decode_dead_letter(tenant, id, *bytes);
    if (!letter)
      return;
    if (letter->event_id != room.event_id || letter->digest != room.digest)
      book_.find(audit_rule::quarantine_atom, owner::dead_letter, key,
                 "is not of the event that names it");
    if (letter->payload_sha256 != support::sha256_of(room.bytes))
      book_.find(audit_rule::quarantine_atom, row,
                 "has other bytes than its dead letter " + printable(id)
                   + " was opened with");
    if (waits && !untold && letter->state() == dead_letter_state::resolved)
      book_.find(audit_rule::quarantine_atom, owner::dead_letter, key,
                 "is resolved, and its event still waits");
  }

  audit_book& book_;
  owner of_;
};

} // namespace

void add_waiting_checks(audit_book& book, owner of, audit_passes& to) {
  const auto checks = std::make_shared<waiting_checks>(book, of);
  to.push_back({of, kind::waiting_room,
                [checks](const auto& row) { checks->visit_room(row); }});
  to.push_back({of, kind::waiting_stream,
                [checks](const auto& row) { checks->visit_index(row); }});
  to.push_back(
    {of, kind::aside, [checks](const auto& row) { checks->visit_aside(row); }});
  to.push_back({of, kind::to_tell,
                [checks](const auto& row) { checks->visit_to_tell(row); }});
  to.push_back({of, kind::clean_stop,
                [checks](const auto& row) { checks->visit_stop(row); }});
  to.push_back({of, kind::history,
                [checks](const auto& row) { checks->visit_history(row); }});
}

} // namespace parcelflow::storage
