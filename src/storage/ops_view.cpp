#include "storage/ops_view.hpp"

#include "codec/event_json.hpp"
#include "codec/log_chain.hpp"
#include "codec/utc_time.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "storage/page_walk.hpp"
#include "support/assert.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::storage {

namespace {

constexpr std::string_view no_replay = "there is no such replay";

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<domain::replay> replay_of(row_reader& in, std::string_view tenant,
                                        std::string_view id) {
  return in.get(owner::dead_letter, replay_key(tenant, id), [&](auto bytes) {
    return domain::decode_replay(tenant, id, bytes);
  });
}

/// When the event at an outbox position was committed; 0 if there is none.
support::unix_ms committed_at(row_reader& in, std::uint64_t position) {
  const auto row = in.get(owner::order, outbox_key(the_lane, position),
                          [](auto bytes) { return decode_outbox(bytes); });
  if (!row)
    return 0;
  const auto event = in.whole(codec::decode_event(row->bytes));
  if (!event)
    return 0;
  return codec::parse_utc((*event)->envelope.occurred_at).value_or(0);
}

/// Counts the held streams, and takes the oldest of their events into account.
void add_held(row_reader& in, domain::outbox_status& into,
              support::unix_ms& oldest) {
  const auto from = key_writer(kind::held_stream).take();
  in.rows().scan(owner::relay, from, prefix_end(from),
                 [&](std::string_view, std::string_view value) {
                   const auto held = in.whole(decode_held_stream(value));
                   if (!held)
                     return false;
                   into.held_streams += 1;
                   if (into.held_streams <= status_view::rows_looked_at_max) {
                     const auto at = committed_at(in, held->first_position);
                     if (at != 0 && (oldest == 0 || at < oldest))
                       oldest = at;
                   }
                   return true;
                 });
}

bool concerns(const domain::log_entry& entry,
              const std::vector<std::string>& tenants) {
  return tenants.empty()
         || std::find(tenants.begin(), tenants.end(), entry.tenant_id)
              != tenants.end();
}

} // namespace

domain::outcome<domain::page<domain::replay>>
ops_view::replays(std::string_view tenant, const page_request& page) const {
  PF_ASSERT(page.limit > 0);
  row_reader in(*rows_);
  domain::page<domain::replay> shown;
  const auto all = key_writer(kind::replay).text(tenant).take();
  const auto upper =
    page.after.empty() ? prefix_end(all) : replay_key(tenant, page.after);
  in.rows().scan_back(owner::dead_letter, all, upper,
                      [&](std::string_view key, std::string_view value) {
                        if (shown.items.size() >= page.limit) {
                          shown.next = shown.items.back().replay_id;
                          return false;
                        }
                        key_reader parts(key);
                        parts.text();
                        if (auto one = in.whole(domain::decode_replay(
                              tenant, parts.text(), value)))
                          shown.items.push_back(*std::move(one));
                        return !in.failed();
                      });
  return answer(in, std::move(shown));
}

domain::outcome<domain::replay>
ops_view::replay(std::string_view tenant, std::string_view replay_id) const {
  row_reader in(*rows_);
  return answer(in, replay_of(in, tenant, replay_id), no_replay);
}

domain::outcome<domain::page<domain::replay_item>>
ops_view::replay_items(std::string_view tenant, std::string_view replay_id,
                       const page_request& page) const {
  row_reader in(*rows_);
  std::optional<domain::page<domain::replay_item>> shown;
  if (!replay_of(in, tenant, replay_id))
    return answer(in, std::move(shown), no_replay);
  shown.emplace();
  const auto all =
    key_writer(kind::replay_item).text(tenant).text(replay_id).take();
  auto from = all;
  if (!page.after.empty())
    from = replay_item_key(tenant, replay_id, number_of(page.after)) + '\0';
  std::uint64_t last = 0;
  in.rows().scan(owner::dead_letter, from, prefix_end(all),
                 [&](std::string_view key, std::string_view value) {
                   if (shown->items.size() >= page.limit) {
                     shown->next = std::to_string(last);
                     return false;
                   }
                   key_reader parts(key);
                   parts.text();
                   parts.text();
                   last = parts.number();
                   if (auto one = in.whole(domain::decode_replay_item(value)))
                     shown->items.push_back(*std::move(one));
                   return !in.failed();
                 });
  return answer(in, std::move(shown), no_replay);
}

domain::outbox_status ops_view::outbox(support::unix_ms now) const {
  row_reader in(*rows_);
  domain::outbox_status shown;
  const auto last = in.rows().last(owner::order, outbox_key(the_lane, 0),
                                   outbox_key(the_lane + 1, 0));
  if (last) {
    key_reader key(last->first);
    key.byte();
    shown.last_position = key.number();
  }
  // The cursor may be ahead of an outbox whose end was archived.
  shown.published_up_to = in.published_up_to();
  shown.last_position = std::max(shown.last_position, shown.published_up_to);
  support::unix_ms oldest = committed_at(in, shown.published_up_to + 1);
  add_held(in, shown, oldest);
  if (oldest != 0)
    shown.oldest_unpublished_age_ms =
      std::max<support::unix_ms>(now - oldest, 0);
  return shown;
}

domain::outcome<domain::pause_set> ops_view::pauses() const {
  row_reader in(*rows_);
  domain::pause_set shown;
  const auto from = key_writer(kind::pause).take();
  in.rows().scan(owner::dead_letter, from, prefix_end(from),
                 [&](std::string_view key, std::string_view value) {
                   key_reader parts(key);
                   domain::pause_target target;
                   target.tenant_id = parts.text();
                   target.consumer = parts.text();
                   target.aggregate_id = parts.text();
                   target.scope =
                     static_cast<domain::pause_scope>(parts.byte());
                   if (const auto one = in.whole(domain::decode_pause(value)))
                     shown.paused.emplace(target, *one);
                   return !in.failed();
                 });
  return answer(in, std::move(shown));
}

domain::outcome<domain::page<domain::log_entry>>
ops_view::operator_log(const std::vector<std::string>& tenants,
                       const page_request& page) const {
  row_reader in(*rows_);
  domain::page<domain::log_entry> shown;
  const auto from = operator_log_key(0);
  const auto upper = page.after.empty()
                       ? prefix_end(key_writer(kind::operator_log).take())
                       : operator_log_key(number_of(page.after));
  std::size_t looked_at = 0;
  std::uint64_t last = 0;
  in.rows().scan_back(owner::dead_letter, from, upper,
                      [&](std::string_view key, std::string_view value) {
                        if (shown.items.size() >= page.limit
                            || looked_at >= status_view::rows_looked_at_max) {
                          shown.next = std::to_string(last);
                          return false;
                        }
                        looked_at += 1;
                        last = key_reader(key).number();
                        auto entry =
                          in.whole(domain::decode_log_entry(last, value));
                        if (entry && concerns(*entry, tenants))
                          shown.items.push_back(*std::move(entry));
                        return !in.failed();
                      });
  return answer(in, std::move(shown));
}

domain::outcome<domain::chain_status> ops_view::verify_log() const {
  row_reader in(*rows_);
  codec::chain_check check;
  std::optional<domain::fault> wrong;
  const auto from = operator_log_key(0);
  in.rows().scan(owner::dead_letter, from,
                 prefix_end(key_writer(kind::operator_log).take()),
                 [&](std::string_view key, std::string_view value) {
                   const auto entry =
                     domain::decode_log_entry(key_reader(key).number(), value);
                   const auto taken = entry ? check.take(*entry) : entry.why();
                   if (!taken)
                     wrong = taken.why();
                   return !wrong;
                 });
  if (wrong)
    return *wrong;
  return domain::chain_status{check.length(), check.head()};
}

} // namespace parcelflow::storage
