// I8: replays keep the event and are linked both ways. And what responders
// did: the operator log's chain, pauses.
#include "codec/log_chain.hpp"
#include "domain/operator_log.hpp"
#include "domain/pause.hpp"
#include "domain/replay.hpp"
#include "storage/audit_book.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <memory>

namespace parcelflow::storage {
namespace {

using domain::item_state;
using domain::replay_item;
using domain::replay_state;

bool is_over(replay_state state) {
  return state == replay_state::finished || state == replay_state::cancelled;
}

class replay_checks {
public:
  explicit replay_checks(audit_book& book) : book_(book) {}

  void visit_replay(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto of =
      book_.whole(row, domain::decode_replay(tenant, id, row.value));
    if (!of)
      return;
    std::uint64_t items = 0;
    domain::replay_counts final_ones;
    book_.each(owner::dead_letter,
               key_writer(kind::replay_item).text(tenant).text(id).take(),
               [&](auto, auto value) {
                 items += 1;
                 if (const auto item = domain::decode_replay_item(value))
                   if (domain::is_final(item->state))
                     final_ones.add(item->state);
                 return true;
               });
    const auto wrong = [&](std::string what) {
      book_.find(audit_rule::replay_identity, row, std::move(what));
    };
    if (items != of->total)
      wrong("has " + counted(items, "item") + " of "
            + std::to_string(of->total));
    if (final_ones != of->counts)
      wrong("counts other outcomes than its items have");
    if (is_over(of->state) && of->counts.sum() != of->total)
      wrong("is over, and not every item has an outcome");
    if (is_over(of->state) != (of->ended_at != 0))
      wrong("does not say when it ended");
  }

  void visit_item(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto item = book_.whole(row, domain::decode_replay_item(row.value));
    if (!item)
      return;
    if (!book_.has(owner::dead_letter, replay_key(tenant, id)))
      book_.find(audit_rule::replay_identity, row, "is of no replay");
    const auto letter_row = dead_letter_key(tenant, item->dead_letter_id);
    if (!book_.has(owner::dead_letter, letter_row))
      return book_.find(audit_rule::replay_identity, row,
                        "replays dead letter " + printable(item->dead_letter_id)
                          + ", which does not exist");
    const auto letter = book_.letter(tenant, item->dead_letter_id);
    if (!letter)
      return;
    if (letter->event_id != item->event_id || letter->digest != item->digest)
      book_.find(audit_rule::replay_identity, row,
                 "has another event than its dead letter");
    if (item->state != item_state::created_now)
      return;
    // A record keeps the last replays only.
    const auto& known = letter->replay_ids;
    if (known.size() < domain::history_max
        && std::ranges::find(known, id) == known.end())
      book_.find(audit_rule::replay_identity, owner::dead_letter, letter_row,
                 "does not name replay " + id + ", which applied it");
    check_created(row, tenant, id, *item);
  }

  void visit_open(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto letter = key.text();
    if (!book_.has(owner::dead_letter, dead_letter_key(tenant, letter)))
      book_.find(audit_rule::replay_identity, row,
                 "holds a dead letter that does not exist");
    constexpr std::string_view head("\x01\0", 2); // record version, key id
    const std::string id(
      row.value.substr(std::min(head.size(), row.value.size())));
    if (!row.value.starts_with(head) || id.empty())
      return book_.find(audit_rule::whole_rows, row,
                        "open-replay record does not parse");
    const auto of =
      book_.read(owner::dead_letter, replay_key(tenant, id), [&](auto bytes) {
        return domain::decode_replay(tenant, id, bytes);
      });
    if (!of || is_over(of->state))
      book_.find(audit_rule::replay_identity, row,
                 "is held by replay " + printable(id) + ", which does not run");
  }

  void visit_log(const audited_row& row) {
    const auto entry = book_.whole(
      row, domain::decode_log_entry(row.parts().number(), row.value));
    if (!entry || broken_)
      return;
    if (const auto taken = chain_.take(*entry); !taken) {
      broken_ = true; // what follows follows from it
      book_.find(audit_rule::books, row, taken.why().detail);
    }
  }

  void visit_pause(const audited_row& row) {
    (void)book_.whole(row, domain::decode_pause(row.value));
    auto key = row.parts();
    key.text();
    key.text();
    key.text();
    const auto scope = key.byte();
    if (scope < static_cast<std::uint8_t>(domain::pause_scope::relay)
        || scope > static_cast<std::uint8_t>(domain::pause_scope::stream))
      book_.find(audit_rule::whole_rows, row, "pauses nothing that there is");
  }

private:
  /// What a replay says it created is in the inbox, with its name.
  void check_created(const audited_row& row, const std::string& tenant,
                     const std::string& id, const replay_item& item) {
    const auto home = book_.home_of(item.consumer);
    if (!home)
      return;
    const auto keeper = book_.keeper(*home, tenant, item.consumer,
                                     item.aggregate_id, item.sequence);
    const auto stream = book_.stream(*home, tenant, keeper, item.aggregate_id);
    const auto used = stream
                        ? book_.used(*home, tenant, keeper, item.aggregate_id,
                                     *stream, item.sequence)
                        : std::nullopt;
    if (!used || used->entry.event_id != item.event_id
        || used->entry.digest != item.digest || used->entry.replay_id != id)
      book_.find(audit_rule::replay_identity, row,
                 "says it was applied now, and the inbox does not");
  }

  audit_book& book_;
  codec::chain_check chain_;
  bool broken_ = false;
};

} // namespace

void add_replay_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<replay_checks>(book);
  const auto add = [&](kind what,
                       void (replay_checks::*visit)(const audited_row&)) {
    to.push_back({owner::dead_letter, what, [checks, visit](const auto& row) {
                    ((*checks).*visit)(row);
                  }});
  };
  add(kind::operator_log, &replay_checks::visit_log);
  add(kind::replay, &replay_checks::visit_replay);
  add(kind::replay_item, &replay_checks::visit_item);
  add(kind::open_replay, &replay_checks::visit_open);
  add(kind::pause, &replay_checks::visit_pause);
}

} // namespace parcelflow::storage
