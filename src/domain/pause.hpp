// What a responder has paused: the relay, one consumer, one tenant, one
// stream. Accepted orders go on being accepted; what is paused waits durably
// and goes on at resume. Rows of the dead-letter owner; the owners concerned
// read them at start and are told of changes.
// Thread rule: plain values; a set that is shared is not changed.
#pragma once

#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace parcelflow::domain {

using support::unix_ms;

enum class pause_scope : std::uint8_t { relay = 1, consumer, tenant, stream };

[[nodiscard]] std::string_view to_string(pause_scope scope) noexcept;

/// The relay has no name; a consumer is named by `consumer`; a tenant by
/// `tenant_id`; a stream by all three, for every consumer if that is empty.
struct pause_target {
  pause_scope scope = pause_scope::relay;
  std::string tenant_id;
  std::string consumer;
  std::string aggregate_id;

  friend bool operator==(const pause_target&, const pause_target&) = default;
  friend bool operator<(const pause_target& a, const pause_target& b) {
    return std::tie(a.scope, a.tenant_id, a.consumer, a.aggregate_id)
           < std::tie(b.scope, b.tenant_id, b.consumer, b.aggregate_id);
  }
};

/// "relay", "consumer fulfillment-v1", "tenant tn-a", "stream tn-a ord-7".
[[nodiscard]] std::string to_text(const pause_target& target);

struct pause {
  std::string actor;
  std::string reason;
  unix_ms since = 0;

  friend bool operator==(const pause&, const pause&) = default;
};

struct pause_set {
  std::map<pause_target, pause> paused;

  [[nodiscard]] bool relay() const;
  [[nodiscard]] bool consumer(std::string_view name) const;
  /// The tenant, or that stream for this consumer.
  [[nodiscard]] bool stream(std::string_view tenant,
                            std::string_view consumer_name,
                            std::string_view aggregate) const;
};
using pause_set_ptr = std::shared_ptr<const pause_set>;

[[nodiscard]] std::string encode(const pause& of);
[[nodiscard]] outcome<pause> decode_pause(std::string_view bytes);

} // namespace parcelflow::domain
