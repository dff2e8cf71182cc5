#include "storage/row_names.hpp"

#include <algorithm>
#include <array>

namespace parcelflow::storage {
namespace {

enum class form : std::uint8_t { none, text, number, byte };

struct part {
  form as = form::none;
  std::string_view name;
};

struct kind_facts {
  kind what;
  std::string_view name;
  std::uint32_t homes; ///< one bit an owner
  std::array<part, 4> parts;
};

constexpr std::uint32_t home(owner of) {
  return 1U << static_cast<unsigned>(of);
}
constexpr std::uint32_t consumer_homes =
  home(owner::inventory) | home(owner::fulfillment) | home(owner::notification)
  | home(owner::audit_feed);

constexpr part tenant{form::text, "tenant"};
constexpr part consumer{form::text, "consumer"};
constexpr part aggregate{form::text, "aggregateId"};
constexpr part sequence{form::number, "sequence"};
constexpr part letter{form::text, "deadLetterId"};
constexpr part lane{form::byte, "lane"};
constexpr part position{form::number, "position"};
constexpr part topic{form::text, "topic"};
constexpr part replay_id{form::text, "replayId"};

/// Ascending by kind.
constexpr kind_facts table[] = {
  {kind::order,
   "order",
   home(owner::order),
   {{tenant, {form::text, "orderId"}}}},
  {kind::idempotency_key,
   "idempotency_key",
   home(owner::order),
   {{tenant, {form::text, "idempotencyKey"}}}},
  {kind::outbox, "outbox", home(owner::order), {{lane, position}}},
  {kind::named_event,
   "named_event",
   home(owner::order),
   {{tenant, {form::text, "eventId"}}}},
  {kind::stock,
   "stock",
   home(owner::inventory),
   {{tenant, {form::text, "sku"}}}},
  {kind::reservation,
   "reservation",
   home(owner::inventory),
   {{tenant, {form::text, "reservationId"}}}},
  {kind::held_chunk,
   "held_chunk",
   home(owner::inventory),
   {{{form::number, "chunk"}}}},
  {kind::relay_cursor, "relay_cursor", home(owner::relay), {{lane}}},
  {kind::receipt_run,
   "receipt_run",
   home(owner::relay),
   {{lane, {form::number, "lastPosition"}}}},
  {kind::receipt_single,
   "receipt_single",
   home(owner::relay),
   {{lane, position, {form::number, "offer"}}}},
  {kind::held_stream, "held_stream", home(owner::relay), {{tenant, aggregate}}},
  {kind::publish_to_tell,
   "publish_to_tell",
   home(owner::relay),
   {{tenant, letter}}},
  {kind::stream, "stream", consumer_homes, {{tenant, consumer, aggregate}}},
  {kind::inbox_entry,
   "inbox_entry",
   consumer_homes,
   {{tenant, consumer, aggregate, sequence}}},
  {kind::foreign_event,
   "foreign_event",
   consumer_homes,
   {{tenant, consumer, {form::text, "eventId"}}}},
  {kind::waiting_room,
   "waiting_room",
   consumer_homes,
   {{tenant, consumer, aggregate, sequence}}},
  {kind::waiting_stream,
   "waiting_stream",
   consumer_homes,
   {{tenant, consumer, aggregate}}},
  {kind::aside, "aside", consumer_homes, {{tenant, letter}}},
  {kind::to_tell, "to_tell", consumer_homes, {{tenant, letter}}},
  {kind::clean_stop, "clean_stop", consumer_homes, {{consumer}}},
  {kind::skip,
   "skip",
   consumer_homes,
   {{tenant, consumer, aggregate, sequence}}},
  {kind::history, "history", consumer_homes, {{consumer}}},
  {kind::dead_letter,
   "dead_letter",
   home(owner::dead_letter),
   {{tenant, letter}}},
  {kind::payload, "payload", home(owner::dead_letter), {{tenant, letter}}},
  {kind::dead_letter_order,
   "dead_letter_order",
   home(owner::dead_letter),
   {{tenant, aggregate, letter}}},
  {kind::operator_log, "operator_log", home(owner::dead_letter), {{position}}},
  {kind::replay, "replay", home(owner::dead_letter), {{tenant, replay_id}}},
  {kind::replay_item,
   "replay_item",
   home(owner::dead_letter),
   {{tenant, replay_id, {form::number, "item"}}}},
  {kind::open_replay,
   "open_replay",
   home(owner::dead_letter),
   {{tenant, letter}}},
  {kind::pause,
   "pause",
   home(owner::dead_letter),
   {{tenant, consumer, aggregate, {form::byte, "scope"}}}},
  {kind::letter_counts, "letter_counts", home(owner::dead_letter), {{tenant}}},
  {kind::letter_time,
   "letter_time",
   home(owner::dead_letter),
   {{tenant, {form::number, "firstSeen"}, letter}}},
  {kind::topic_log,
   "topic_log",
   home(owner::bus),
   {{topic, {form::number, "lastPosition"}}}},
  {kind::topic_cursor, "topic_cursor", home(owner::bus), {{topic, consumer}}},
};

constexpr std::string_view hex_digits = "0123456789abcdef";

const kind_facts* facts_of(kind of) {
  const auto* const found =
    std::ranges::find(table, of, [](const auto& one) { return one.what; });
  return found == std::end(table) ? nullptr : found;
}

std::string value_of(const part& one, key_reader& in) {
  switch (one.as) {
  case form::text: return printable(in.text());
  case form::number: return std::to_string(in.number());
  case form::byte: return std::to_string(in.byte());
  case form::none: break;
  }
  return {};
}

} // namespace

std::string printable(std::string_view bytes) {
  constexpr std::size_t shown_max = 256;
  std::string out;
  for (const char c : bytes) {
    if (out.size() >= shown_max)
      return out += "...";
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte >= 0x20U && byte < 0x7FU && c != '\\')
      out += c;
    else
      (out += "\\x") += {hex_digits[byte >> 4U], hex_digits[byte & 0xFU]};
  }
  return out;
}

std::string_view to_string(kind of) noexcept {
  const auto* const facts = facts_of(of);
  return facts != nullptr ? facts->name : "unknown";
}

std::vector<kind> kinds_of(owner of) {
  std::vector<kind> found;
  for (const auto& one : table)
    if ((one.homes & home(of)) != 0)
      found.push_back(one.what);
  return found;
}

row_name name_of(owner of, std::string_view key) {
  row_name name;
  name.family = to_string(of);
  key_reader in(key);
  const auto* const facts = facts_of(static_cast<kind>(in.kind_byte()));
  if (facts != nullptr) {
    name.kind = facts->name;
    for (const auto& one : facts->parts) {
      if (one.as == form::none)
        break;
      auto value = value_of(one, in);
      if (one.name == tenant.name)
        name.tenant = std::move(value);
      else
        name.key.emplace_back(one.name, std::move(value));
    }
    if (in.complete() && (facts->homes & home(of)) != 0)
      return name;
  } else {
    const auto byte = in.kind_byte();
    name.kind = "0x";
    name.kind += {hex_digits[byte >> 4U], hex_digits[byte & 0xFU]};
  }
  name.whole = false;
  name.key = {{"bytes", printable(key)}};
  return name;
}

} // namespace parcelflow::storage
