// An event as the domain knows it: a stable envelope around versioned facts.
// Made once by its producer, immutable after, shared by pointer between
// threads. Its digest is computed from the content by whoever made the object
// (the producer, or the codec that parsed received bytes), never copied in
// from outside.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

using sha256_digest = std::array<std::uint8_t, 32>;

struct envelope {
  std::string event_id;
  std::string event_type;          ///< e.g. "OrderAccepted"
  std::uint32_t event_version = 0; ///< major version of `data`
  std::string tenant_id;
  std::string aggregate_id;             ///< the order id
  std::uint64_t aggregate_sequence = 0; ///< contiguous from 1
  std::string occurred_at;              ///< RFC 3339, UTC
  std::string trace_id;                 ///< 32 lower-case hex digits
  std::string traceparent;              ///< W3C, or empty
  std::string data;                     ///< JSON object, verbatim bytes

  friend bool operator==(const envelope&, const envelope&) = default;
};

struct event {
  domain::envelope envelope;
  std::string bytes; ///< the whole envelope as JSON, as produced or received
  sha256_digest digest{}; ///< see codec::digest_of
};

using event_ptr = std::shared_ptr<const event>;

/// The one topic of order events.
inline constexpr std::string_view order_topic = "order.events";

inline constexpr std::string_view order_accepted = "OrderAccepted";
inline constexpr std::string_view order_cancelled = "OrderCancelled";
inline constexpr std::string_view order_completed = "OrderCompleted";

/// Ids of our own form: `ord-<ulid>`, and `evt-<ulid>-<sequence>` derived from
/// it. Any other id is legal too and stays opaque.
[[nodiscard]] std::string own_event_id(std::string_view order_id,
                                       std::uint64_t sequence);

enum class id_form : std::uint8_t {
  foreign,       ///< not of our form: consumers index it
  own,           ///< our form, and it agrees with its envelope
  contradictory, ///< our form, but names another aggregate or sequence
};

/// How the event id of an envelope relates to its aggregate and sequence.
[[nodiscard]] id_form form_of(const envelope& of);

/// Legal tenant names: [a-z0-9][a-z0-9-]{0,62}, or one of the built-in names,
/// which begin with '_'.
[[nodiscard]] bool is_tenant_name(std::string_view text) noexcept;

/// Legal ids from outside (event, order, sku): 1..128 bytes of [A-Za-z0-9._:-].
[[nodiscard]] bool is_public_id(std::string_view text) noexcept;

} // namespace parcelflow::domain
