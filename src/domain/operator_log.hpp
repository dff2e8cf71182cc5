// The operator log: who was allowed or denied what, when and why. Append-only;
// each entry carries the digest of the one before, so that a changed, removed
// or reordered entry shows (codec/log_chain.hpp makes and checks the digests).
// An allowed change is in it durably before its effect; denials of
// authenticated actors are in it coalesced.
// Owner: the dead-letter owner. Thread rule: plain values.
#pragma once

#include "domain/event.hpp"
#include "domain/failure.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::domain {

using support::unix_ms;

struct log_entry {
  std::uint64_t position = 0; ///< contiguous from 1
  unix_ms at = 0;
  std::string actor;     ///< a token's id, or "system"
  std::string tenant_id; ///< empty: of the whole process
  std::string verb;      ///< e.g. "execute"; of a denial, what was asked
  std::string target;    ///< e.g. a dead-letter id, "fulfillment-v1 ord-7"
  std::string reason;    ///< as given; for a denial, why it was denied
  bool allowed = true;
  std::uint64_t count = 1; ///< denials: how many since the last entry
  sha256_digest previous{};
  sha256_digest digest{};

  friend bool operator==(const log_entry&, const log_entry&) = default;
};

/// With its digests. The position is the key's.
[[nodiscard]] std::string encode(const log_entry& entry);
[[nodiscard]] outcome<log_entry> decode_log_entry(std::uint64_t position,
                                                  std::string_view bytes);

} // namespace parcelflow::domain
