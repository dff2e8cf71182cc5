// Ids that are derived, not drawn, so that a repeat meets the same record.
// Thread rule: plain values.
#pragma once

#include "domain/event.hpp"
#include "domain/replay.hpp"

#include <string>
#include <string_view>

namespace parcelflow::codec {

/// Of an event that a consumer could not apply: hash of consumer, tenant,
/// event id and content digest.
[[nodiscard]] std::string dead_letter_id(std::string_view consumer,
                                         std::string_view tenant,
                                         std::string_view event_id,
                                         const domain::sha256_digest& digest);

/// Of bytes that did not parse: hash of consumer, topic and the bytes.
[[nodiscard]] std::string dead_letter_id_of_bytes(std::string_view consumer,
                                                  std::string_view topic,
                                                  std::string_view bytes);

/// Of the set that a plan froze: its tenant and every item's identity.
[[nodiscard]] domain::sha256_digest plan_digest(const domain::replay_plan& of);

} // namespace parcelflow::codec
