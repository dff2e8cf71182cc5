// I7 from the dead letters' side: each has its evidence, and says what became
// of its event.
#include "codec/identity.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/letter_counts.hpp"
#include "support/digest.hpp"

#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace parcelflow::storage {
namespace {

using domain::dead_letter;
using domain::dead_letter_state;

constexpr std::size_t payload_head = 2; // record version, key id

class letter_checks {
public:
  explicit letter_checks(audit_book& book) : book_(book) {}

  void visit_letter(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto of =
      book_.whole(row, domain::decode_dead_letter(tenant, id, row.value));
    if (!of)
      return;
    if (of->steps.front().to != dead_letter_state::open)
      book_.find(audit_rule::quarantine_atom, row, "never was opened");
    if (std::exchange(tenant_, tenant) != tenant
        && !book_.has(owner::dead_letter, letter_counts_key(tenant)))
      book_.find(audit_rule::books, owner::dead_letter,
                 letter_counts_key(tenant),
                 "is missing, and there are dead letters to count");
    check_payload(row, *of);
    check_index(*of);
    check_replays(row, *of);
    const auto state = of->state();
    if (state == dead_letter_state::open
        || state == dead_letter_state::replaying)
      check_open(row, *of);
    else if (state == dead_letter_state::resolved)
      check_resolved(row, *of);
  }

  void visit_payload(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    constexpr std::string_view head("\x01\0", payload_head);
    if (!row.value.starts_with(head))
      book_.find(audit_rule::whole_rows, row, "payload does not parse");
    if (!book_.has(owner::dead_letter, dead_letter_key(tenant, id)))
      book_.find(audit_rule::quarantine_atom, row,
                 "is the payload of no dead letter");
  }

  void visit_index(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto aggregate = key.text();
    const auto of = named(row, tenant, key.text());
    if (of && of->aggregate_id != aggregate)
      book_.find(audit_rule::quarantine_atom, row,
                 "names a dead letter of another order");
  }

  void visit_time(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    key.number();
    const auto of = named(row, tenant, key.text());
    if (of
        && row.key
             != letter_time_key(tenant, of->first_seen, of->dead_letter_id))
      book_.find(audit_rule::books, row,
                 "names a dead letter that was first seen at another time");
  }

  void visit_counts(const audited_row& row) {
    const auto tenant = row.parts().text();
    const auto counts = book_.whole(row, decode_letter_counts(row.value));
    if (!counts)
      return;
    std::map<counted_group, std::uint64_t> groups;
    book_.each(
      owner::dead_letter, key_writer(kind::dead_letter).text(tenant).take(),
      [&](auto, auto value) {
        if (const auto of = domain::decode_dead_letter(tenant, {}, value))
          groups[{of->consumer, of->cause, of->state()}] += 1;
        return true;
      });
    std::uint64_t all = 0;
    bool agrees = true;
    for (const auto& [group, count] : groups) {
      domain::dead_letter_filter filter;
      filter.consumer = std::get<0>(group);
      filter.cause = std::get<1>(group);
      filter.state = std::get<2>(group);
      agrees = agrees && counts->total(filter) == count;
      all += count;
    }
    if (!agrees || counts->total({}) != all)
      book_.find(audit_rule::books, row,
                 "counts other dead letters than there are");
  }

private:
  using counted_group =
    std::tuple<std::string, domain::dead_letter_cause, dead_letter_state>;

  /// What an index names; nothing if that does not parse, which its row says.
  std::optional<dead_letter> named(const audited_row& row,
                                   const std::string& tenant,
                                   const std::string& id) {
    const auto bytes =
      book_.at().get(owner::dead_letter, dead_letter_key(tenant, id));
    if (!bytes) {
      book_.find(audit_rule::quarantine_atom, row,
                 "names a dead letter that does not exist");
      return std::nullopt;
    }
    auto of = domain::decode_dead_letter(tenant, id, *bytes);
    return of ? std::optional(*std::move(of)) : std::nullopt;
  }

  void check_payload(const audited_row& row, const dead_letter& of) {
    const auto key = payload_key(of.tenant_id, of.dead_letter_id);
    const auto payload = book_.at().get(owner::dead_letter, key);
    const bool may_expire = of.state() == dead_letter_state::resolved
                            || of.state() == dead_letter_state::waived;
    if (!payload) {
      if (!may_expire)
        book_.find(audit_rule::quarantine_atom, owner::dead_letter, key,
                   "is missing, and its dead letter is "
                     + std::string(to_string(of.state())));
      return check_id(row, of, nullptr);
    }
    if (payload->size() < payload_head)
      return; // its own row says so
    const std::string bytes = payload->substr(payload_head);
    if (support::sha256_of(bytes) != of.payload_sha256)
      return book_.find(audit_rule::quarantine_atom, owner::dead_letter, key,
                        "is not what its SHA-256 in the dead letter says");
    check_id(row, of, &bytes);
  }

  /// Ids are made of what failed where, so that a repeat meets its record.
  void check_id(const audited_row& row, const dead_letter& of,
                const std::string* payload) {
    std::string due = of.dead_letter_id;
    if (!of.event_id.empty())
      due = codec::dead_letter_id(of.consumer, of.tenant_id, of.event_id,
                                  of.digest);
    else if (payload != nullptr)
      due = codec::dead_letter_id_of_bytes(of.consumer, of.topic, *payload);
    if (due != of.dead_letter_id)
      book_.find(audit_rule::quarantine_atom, row,
                 "has an id that its consumer, event and digest do not give");
  }

  void check_index(const dead_letter& of) {
    const auto time =
      letter_time_key(of.tenant_id, of.first_seen, of.dead_letter_id);
    if (!book_.has(owner::dead_letter, time))
      book_.find(audit_rule::books, owner::dead_letter, time,
                 "is missing from the index by time");
    if (of.aggregate_id.empty())
      return;
    const auto key =
      dead_letter_order_key(of.tenant_id, of.aggregate_id, of.dead_letter_id);
    if (!book_.has(owner::dead_letter, key))
      book_.find(audit_rule::quarantine_atom, owner::dead_letter, key,
                 "is missing from the index by order");
  }

  /// I8: the replays that it names exist; one of them holds it while it is
  /// being replayed.
  void check_replays(const audited_row& row, const dead_letter& of) {
    for (const auto& id : of.replay_ids)
      if (!book_.has(owner::dead_letter, replay_key(of.tenant_id, id)))
        book_.find(audit_rule::replay_identity, row,
                   "names replay " + printable(id) + ", which does not exist");
    if (of.state() == dead_letter_state::replaying
        && !book_.has(owner::dead_letter,
                      open_replay_key(of.tenant_id, of.dead_letter_id)))
      book_.find(audit_rule::replay_identity, row,
                 "is replaying, and no replay holds it");
  }

  /// An open one has its event somewhere.
  void check_open(const audited_row& row, const dead_letter& of) {
    if (of.consumer == domain::publish_consumer) {
      const auto held =
        book_.read(owner::relay, held_stream_key(of.tenant_id, of.aggregate_id),
                   [](auto bytes) { return decode_held_stream(bytes); });
      const bool untold =
        book_.has(owner::relay, key_writer(kind::publish_to_tell)
                                  .text(of.tenant_id)
                                  .text(of.dead_letter_id)
                                  .take());
      if (!untold && (!held || held->dead_letter_id != of.dead_letter_id))
        book_.find(audit_rule::quarantine_atom, row,
                   "is " + std::string(to_string(of.state()))
                     + ", and the relay does not hold its stream");
      return;
    }
    const auto home = book_.home_of(of.consumer);
    if (!home)
      return; // a consumer that is not of this program any more
    const bool untold =
      book_.has(*home, to_tell_key(of.tenant_id, of.dead_letter_id));
    if (!untold && !waits(*home, of)
        && !book_.has(*home, aside_key(of.tenant_id, of.dead_letter_id)))
      book_.find(audit_rule::quarantine_atom, row,
                 "is " + std::string(to_string(of.state()))
                   + ", and its event neither waits nor lies aside");
  }

  [[nodiscard]] std::string keeper_of(owner home, const dead_letter& of) const {
    return book_.keeper(home, of.tenant_id, of.consumer, of.aggregate_id,
                        of.observed_sequence);
  }

  [[nodiscard]] bool waits(owner home, const dead_letter& of) const {
    const auto room =
      book_.read(home,
                 waiting_room_key(of.tenant_id, keeper_of(home, of),
                                  of.aggregate_id, of.observed_sequence),
                 [](auto bytes) { return decode_room(bytes); });
    return room && room->dead_letter_id == of.dead_letter_id;
  }

  /// A resolved one has its event in the inbox.
  void check_resolved(const audited_row& row, const dead_letter& of) {
    const auto home = book_.home_of(of.consumer);
    if (!home || of.aggregate_id.empty())
      return;
    const auto keeper = keeper_of(*home, of);
    const auto stream =
      book_.stream(*home, of.tenant_id, keeper, of.aggregate_id);
    const auto used =
      stream && of.observed_sequence <= stream->position
        ? book_.used(*home, of.tenant_id, keeper, of.aggregate_id, *stream,
                     of.observed_sequence)
        : std::nullopt;
    const bool stands = used
                        && (used->entry.mark == domain::inbox_mark::skipped
                            || (used->entry.event_id == of.event_id
                                && used->entry.digest == of.digest));
    if (!stands)
      book_.find(audit_rule::quarantine_atom, row,
                 "is resolved, and its event is not in the inbox of "
                   + printable(of.consumer));
  }

  audit_book& book_;
  std::string tenant_; ///< of the last record
};

} // namespace

void add_letter_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<letter_checks>(book);
  to.push_back({owner::dead_letter, kind::dead_letter,
                [checks](const auto& row) { checks->visit_letter(row); }});
  to.push_back({owner::dead_letter, kind::payload,
                [checks](const auto& row) { checks->visit_payload(row); }});
  to.push_back({owner::dead_letter, kind::letter_counts,
                [checks](const auto& row) { checks->visit_counts(row); }});
  to.push_back({owner::dead_letter, kind::dead_letter_order,
                [checks](const auto& row) { checks->visit_index(row); }});
  to.push_back({owner::dead_letter, kind::letter_time,
                [checks](const auto& row) { checks->visit_time(row); }});
}

} // namespace parcelflow::storage
