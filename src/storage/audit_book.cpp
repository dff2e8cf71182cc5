#include "storage/audit_book.hpp"

#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/record.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

audit_rule rule_of(audit_way way) noexcept {
  switch (way) {
  case audit_way::to_the_bus:
  case audit_way::to_a_consumer: return audit_rule::accounting;
  case audit_way::to_dead_letters: return audit_rule::quarantine_atom;
  case audit_way::to_an_order: return audit_rule::stock;
  }
  return audit_rule::whole_rows;
}

} // namespace

audit_book::audit_book(const store& of, audit_options options)
  : at_(of.read()), options_(std::move(options)) {
  report_.store_id = of.identity().store_id;
  report_.mode = options_.mode;
  report_.as_of = options_.now;
  std::erase_if(options_.consumers, [&](const auto& one) {
    return one.added_later && !has_begun(one);
  });
  for (const auto& one : options_.consumers)
    if (!one.by_redirect)
      report_.accounts.push_back({one.name});
}

bool audit_book::has_begun(const audited_consumer& of) const {
  const auto streams = key_writer(kind::stream).take();
  return has(of.of, clean_stop_key(of.name)) || has(of.of, history_key(of.name))
         || at_.last(of.of, streams, prefix_end(streams)).has_value();
}

void audit_book::find_once(audit_rule rule, owner of, const std::string& key,
                           std::string what) {
  if (told_.emplace(of, key).second)
    find(rule, of, key, std::move(what));
}

std::optional<history_cursor> decode_history_cursor(std::string_view value) {
  support::record_reader in(value, 1);
  history_cursor cursor;
  cursor.next = in.u64();
  cursor.done = in.flag();
  return in.complete() ? std::optional(cursor) : std::nullopt;
}

void audit_book::find(audit_rule rule, row_name row, std::string what) {
  report_.findings_total += 1;
  report_.findings_by_rule.at(static_cast<std::size_t>(rule)) += 1;
  if (report_.findings.size() < options_.findings_max)
    report_.findings.push_back({rule, std::move(row), std::move(what)});
}

void audit_book::find(audit_rule rule, owner of, std::string_view key,
                      std::string_view tenant, std::string what) {
  auto name = name_of(of, key);
  name.tenant = printable(tenant);
  find(rule, std::move(name), std::move(what));
}

void audit_book::pend(audit_way way, support::unix_ms since,
                      const row_name& row, const std::string& what) {
  auto& sum = report_.pending.at(static_cast<std::size_t>(way));
  sum.count += 1;
  if (sum.oldest == 0 || since < sum.oldest)
    sum.oldest = since;
  if (options_.mode == audit_mode::at_rest
      && since + options_.grace_ms < options_.now)
    find(rule_of(way), row, what + ", and nothing is on its way any more");
}

std::optional<domain::order> audit_book::order(std::string_view tenant,
                                               std::string_view id) const {
  return read(owner::order, order_key(tenant, id), [&](auto bytes) {
    return domain::decode_order(tenant, id, bytes);
  });
}

std::optional<domain::stream_row>
audit_book::stream(owner of, std::string_view tenant, std::string_view consumer,
                   std::string_view aggregate) const {
  return read(of, stream_key(tenant, consumer, aggregate),
              [](auto bytes) { return domain::decode_stream(bytes); });
}

std::optional<audit_book::used_sequence>
audit_book::used(owner of, std::string_view tenant, std::string_view consumer,
                 std::string_view aggregate, const domain::stream_row& row,
                 std::uint64_t sequence) const {
  const auto inlined =
    std::ranges::find(row.recent, sequence, &domain::inbox_entry::sequence);
  if (inlined != row.recent.end())
    return used_sequence{*inlined, stream_key(tenant, consumer, aggregate)};
  auto key = inbox_entry_key(tenant, consumer, aggregate, sequence);
  auto entry =
    read(of, key, [](auto bytes) { return domain::decode_inbox_entry(bytes); });
  if (!entry)
    return std::nullopt;
  return used_sequence{*std::move(entry), std::move(key)};
}

std::string audit_book::keeper(owner of, std::string_view tenant,
                               std::string_view consumer,
                               std::string_view aggregate,
                               std::uint64_t sequence) const {
  const auto row = stream(of, tenant, consumer, aggregate);
  return row && !row->forward_to.empty() && sequence > row->position
           ? row->forward_to
           : std::string(consumer);
}

std::optional<domain::dead_letter>
audit_book::letter(std::string_view tenant, std::string_view id) const {
  return read(owner::dead_letter, dead_letter_key(tenant, id), [&](auto bytes) {
    return domain::decode_dead_letter(tenant, id, bytes);
  });
}

std::optional<owner> audit_book::home_of(std::string_view consumer) const {
  for (const auto& one : options_.consumers)
    if (one.name == consumer)
      return one.of;
  return std::nullopt;
}

std::optional<std::uint64_t> decode_relay_cursor(std::string_view value) {
  constexpr std::string_view head("\x01\0", 2); // record version, key id
  if (!value.starts_with(head))
    return std::nullopt;
  key_reader in(value.substr(head.size()));
  const auto lane = in.byte();
  const auto position = in.number();
  const bool fits =
    in.complete() && lane == the_lane
    && in.kind_byte() == static_cast<std::uint8_t>(kind::outbox);
  return fits ? std::optional(position) : std::nullopt;
}

std::uint64_t audit_book::published_up_to() const {
  const auto value = at_.get(owner::relay, relay_cursor_key(the_lane));
  return value ? decode_relay_cursor(*value).value_or(0) : 0;
}

std::uint64_t audit_book::committed_up_to() const {
  const auto last = at_.last(owner::order, outbox_key(the_lane, 0),
                             outbox_key(the_lane + 1, 0));
  if (!last)
    return 0;
  key_reader in(last->first);
  in.byte();
  return in.number();
}

std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  if (count != 1)
    text += 's';
  return text;
}

} // namespace parcelflow::storage
