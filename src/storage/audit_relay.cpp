// The relay's books: the cursor, receipts, held streams.
#include "codec/event_json.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <memory>

namespace parcelflow::storage {
namespace {

class relay_checks {
public:
  explicit relay_checks(audit_book& book)
    : book_(book), published_(book.published_up_to()),
      committed_(book.committed_up_to()) {}

  void visit_cursor(const audited_row& row) {
    const auto position = decode_relay_cursor(row.value);
    if (!position)
      return book_.find(audit_rule::whole_rows, row,
                        "the cursor does not parse");
    if (*position > committed_)
      book_.find(audit_rule::books, row,
                 "stands at " + std::to_string(*position)
                   + "; the outbox ends at " + std::to_string(committed_));
  }

  void visit_run(const audited_row& row) {
    auto key = row.parts();
    key.byte();
    const auto last = key.number();
    const auto run = book_.whole(row, decode_receipt_run(row.value));
    if (!run)
      return;
    const auto first = run->first_position;
    if (first == 0 || first > last
        || run->broker_ids.size() != last - first + 1)
      book_.find(audit_rule::books, row,
                 "begins at " + std::to_string(first) + " and has "
                   + counted(run->broker_ids.size(), "receipt"));
    else if (first <= covered_)
      book_.find(audit_rule::books, row,
                 "begins at " + std::to_string(first) + ", which the run up to "
                   + std::to_string(covered_) + " covers already");
    if (last > published_)
      book_.find(audit_rule::books, row,
                 "goes beyond the cursor at " + std::to_string(published_));
    if (first > covered_ + 1)
      check_between(covered_ + 1, first - 1);
    covered_ = std::max(covered_, last);
  }

  /// After the last run: what the cursor passed must be accounted for, too.
  void end_of_runs() {
    const auto passed = std::min(published_, committed_);
    if (passed > covered_)
      check_between(covered_ + 1, passed);
  }

  void visit_single(const audited_row& row) {
    auto key = row.parts();
    key.byte();
    const auto position = key.number();
    const auto run = book_.whole(row, decode_receipt_run(row.value));
    if (!run)
      return;
    if (run->first_position != position || run->broker_ids.size() != 1)
      book_.find(audit_rule::books, row, "is not of this one position");
    if (position == 0 || position > committed_)
      book_.find(audit_rule::books, row,
                 "is of an event that the outbox does not have");
  }

  void visit_held(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto aggregate = key.text();
    const auto held = book_.whole(row, decode_held_stream(row.value));
    if (!held)
      return;
    const auto about = event_at(held->first_position);
    if (!about || about->tenant_id != tenant || about->aggregate_id != aggregate
        || about->aggregate_sequence != held->sequence)
      book_.find(audit_rule::books, row,
                 "names position " + std::to_string(held->first_position)
                   + ", which is not its sequence "
                   + std::to_string(held->sequence));
    const auto& id = held->dead_letter_id;
    if (!id.empty()
        && !book_.has(owner::dead_letter, dead_letter_key(tenant, id))
        && !book_.has(
          owner::relay,
          key_writer(kind::publish_to_tell).text(tenant).text(id).take()))
      book_.find(audit_rule::quarantine_atom, row,
                 "has no dead letter " + printable(id));
  }

  void visit_to_tell(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto tell = book_.whole(row, decode_tell(tenant, id, row.value));
    if (!tell)
      return;
    book_.pend(audit_way::to_dead_letters,
               tell->opened   ? tell->opened->last_seen
               : tell->closed ? tell->closed->at
                              : 0,
               name_of(row.of, row.key), "is not told");
  }

private:
  [[nodiscard]] std::optional<domain::envelope>
  event_at(std::uint64_t position) const {
    const auto row =
      book_.read(owner::order, outbox_key(the_lane, position),
                 [](auto bytes) { return decode_outbox(bytes); });
    if (!row)
      return std::nullopt;
    const auto event = codec::decode_event(row->bytes);
    return event ? std::optional((*event)->envelope) : std::nullopt;
  }

  /// Positions that no run covers: each was offered by itself later, or its
  /// stream is held at it or before.
  void check_between(std::uint64_t from, std::uint64_t to) {
    book_.at().scan(owner::order, outbox_key(the_lane, from),
                    outbox_key(the_lane, to + 1), [&](auto key, auto) {
                      key_reader in(key);
                      in.byte();
                      const auto position = in.number();
                      const auto about = event_at(position);
                      if (!about || is_held(*about) || has_single(position))
                        return true;
                      book_.find(audit_rule::books, owner::order, key,
                                 about->tenant_id,
                                 "the cursor passed it, and it has no receipt");
                      return true;
                    });
  }

  [[nodiscard]] bool is_held(const domain::envelope& about) const {
    const auto held = book_.read(
      owner::relay, held_stream_key(about.tenant_id, about.aggregate_id),
      [](auto bytes) { return decode_held_stream(bytes); });
    return held && held->sequence <= about.aggregate_sequence;
  }

  [[nodiscard]] bool has_single(std::uint64_t position) const {
    return book_.at()
      .first(owner::relay, receipt_single_key(the_lane, position, 0),
             receipt_single_key(the_lane, position + 1, 0))
      .has_value();
  }

  audit_book& book_;
  std::uint64_t published_;
  std::uint64_t committed_;
  std::uint64_t covered_ = 0; ///< by the runs so far
};

} // namespace

void add_relay_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<relay_checks>(book);
  to.push_back({owner::relay, kind::relay_cursor,
                [checks](const auto& row) { checks->visit_cursor(row); }});
  to.push_back({owner::relay, kind::receipt_run,
                [checks](const auto& row) { checks->visit_run(row); },
                [checks] { checks->end_of_runs(); }});
  to.push_back({owner::relay, kind::receipt_single,
                [checks](const auto& row) { checks->visit_single(row); }});
  to.push_back({owner::relay, kind::held_stream,
                [checks](const auto& row) { checks->visit_held(row); }});
  to.push_back({owner::relay, kind::publish_to_tell,
                [checks](const auto& row) { checks->visit_to_tell(row); }});
}

} // namespace parcelflow::storage
