// The hash chain of the operator log.
// Thread rule: pure functions. Errors: storage_corrupt, naming the entry.
#pragma once

#include "domain/operator_log.hpp"

namespace parcelflow::codec {

/// What an entry's digest must be: SHA-256 over its framed fields, position
/// and the digest of the entry before included.
[[nodiscard]] domain::sha256_digest
chain_digest(const domain::log_entry& entry);

/// Walks the log from its first entry: give it each entry in order of keys.
class chain_check {
public:
  /// Names a changed, removed or reordered entry, once it shows.
  domain::status take(const domain::log_entry& entry);
  [[nodiscard]] std::uint64_t length() const noexcept { return length_; }
  [[nodiscard]] const domain::sha256_digest& head() const noexcept {
    return head_;
  }

private:
  std::uint64_t length_ = 0;
  domain::sha256_digest head_{};
};

} // namespace parcelflow::codec
