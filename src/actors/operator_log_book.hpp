// The operator log, as its owner keeps it: appends entries, each chained to
// the one before. A part of the dead-letter owner; the caller decides what
// must wait for the round that makes an entry durable.
// Thread rule: the owner's thread. Errors: none; a failing store is fail-stop.
#pragma once

#include "domain/operator_log.hpp"
#include "storage/family.hpp"
#include "support/clock.hpp"

#include <cstdint>

namespace parcelflow::actors {

class operator_log_book {
public:
  /// Reads the end of the log.
  operator_log_book(storage::family& rows, const support::clock& clock);

  /// Fills in position, time and digests, and stages the entry.
  std::uint64_t append(domain::log_entry entry);

private:
  storage::family& rows_;
  const support::clock& clock_;
  std::uint64_t length_ = 0;
  domain::sha256_digest head_{};
};

} // namespace parcelflow::actors
