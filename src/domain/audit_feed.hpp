// The audit feed: a consumer of a third party, and the example of one that is
// added to a system that ran before. It keeps, for each order, which events it
// saw; nothing in the order's way depends on it.
#pragma once

#include "domain/consumer_spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

struct audit_note {
  std::string event_type;
  std::string event_id;
  std::string occurred_at;

  friend bool operator==(const audit_note&, const audit_note&) = default;
};

[[nodiscard]] std::string encode(const std::vector<audit_note>& notes);
/// No notes for an empty record.
[[nodiscard]] outcome<std::vector<audit_note>>
decode_audit_notes(std::string_view bytes);

inline constexpr std::string_view audit_feed_consumer = "audit-feed-v1";
/// Takes every order event; `start` says what it wants of the time before.
[[nodiscard]] consumer_spec audit_feed_spec(start_at start);

} // namespace parcelflow::domain
