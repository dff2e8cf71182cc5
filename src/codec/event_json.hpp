// The event envelope as text: JSON with the members eventId, eventType,
// eventVersion, tenantId, aggregateId, aggregateSequence, occurredAt, traceId,
// traceparent (optional) and data. `data` travels as verbatim bytes, in both
// directions: the digest covers them.
// Thread rule: free functions without state; an event is immutable once made.
// Errors: `invalid_envelope`, saying which member and what is allowed, never
// quoting a value.
#pragma once

#include "codec/strict_json.hpp"
#include "domain/event.hpp"
#include "domain/failure.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::codec {

struct envelope_limits {
  json_limits json;
};

/// SHA-256 over tenant, aggregate, sequence, event id, type, version,
/// occurredAt and `data` (see digest_input.hpp). The trace is left out: the
/// same fact told under another trace is the same fact.
[[nodiscard]] domain::sha256_digest digest_of(const domain::envelope& of);

/// Encodes once; the result is shared by everything downstream. `of.data` must
/// be the text of a JSON object, the other texts UTF-8.
[[nodiscard]] domain::event_ptr make_event(domain::envelope of);

/// Reads bytes from outside. Unknown members are accepted and stay in `bytes`.
[[nodiscard]] domain::outcome<domain::event_ptr>
decode_event(std::string_view bytes, const envelope_limits& limits = {});

/// The tenant that bytes name which are no event, if they are JSON so far and
/// the name is legal: whose they are, and who may see them.
[[nodiscard]] std::optional<std::string>
tenant_named_in(std::string_view bytes, const envelope_limits& limits = {});

} // namespace parcelflow::codec
