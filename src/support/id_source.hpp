// The one seam for identity and chance. Ids are ULIDs: 48 bits of time, 80
// bits of chance, Crockford base 32, 26 characters; later ids of one source
// sort after earlier ones even when the clock stands or runs backwards, which
// is what keeps new rows at the end of their tenant's range.
// Thread rule: one source belongs to one thread.
#pragma once

#include "support/clock.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::support {

class id_source {
public:
  virtual ~id_source() = default;
  /// 26 characters, strictly greater than every earlier one of this source.
  virtual std::string next_ulid() = 0;
  /// Ids from here on are later than any of that time: what an earlier process
  /// gave out, although its clock may have been ahead of ours.
  virtual void not_before(unix_ms at) = 0;
  /// 32 lower-case hex digits, not all zero (W3C trace id).
  virtual std::string next_trace_id() = 0;
  /// Uniform in [0, bound); bound > 0. For jitter, not for secrets.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

/// Ids from a clock and a seed; the same seed and times give the same ids.
class seeded_id_source final : public id_source {
public:
  seeded_id_source(const clock& time, std::uint64_t seed);
  std::string next_ulid() override;
  void not_before(unix_ms at) override;
  std::string next_trace_id() override;
  std::uint64_t below(std::uint64_t bound) override;

private:
  std::uint64_t next_random() noexcept;

  const clock& time_;
  std::array<std::uint64_t, 4> state_{}; // xoshiro256**
  unix_ms last_ms_ = 0;
  std::uint16_t high_ = 0; // the 80 random bits of the last id
  std::uint64_t low_ = 0;
};

/// A seed from the operating system.
[[nodiscard]] std::uint64_t entropy_seed();

/// The time in a ULID; 0 for text that is none.
[[nodiscard]] unix_ms ulid_time(std::string_view ulid) noexcept;

/// True for 26 characters of Crockford base 32 (upper case).
[[nodiscard]] bool is_ulid(std::string_view text) noexcept;

} // namespace parcelflow::support
