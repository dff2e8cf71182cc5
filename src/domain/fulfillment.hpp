// Fulfillment: one job an order, started by OrderAccepted, then completed or
// cancelled, never back. The job is the consumer's effect record, so position,
// inbox and job are one row and move in one batch.
#pragma once

#include "domain/consumer_spec.hpp"

namespace parcelflow::domain {

enum class job_state : std::uint8_t { started = 1, completed, cancelled };

[[nodiscard]] std::string_view to_string(job_state state) noexcept;

struct fulfillment_job {
  std::string fulfillment_id; ///< "ful-" and the order id
  job_state state = job_state::started;
  unix_ms started_at = 0;
  unix_ms closed_at = 0; ///< 0 while started

  friend bool operator==(const fulfillment_job&,
                         const fulfillment_job&) = default;
};

[[nodiscard]] std::string encode(const fulfillment_job& job);
/// Nothing for an empty record (no job yet).
[[nodiscard]] outcome<std::optional<fulfillment_job>>
decode_job(std::string_view bytes);

inline constexpr std::string_view fulfillment_consumer = "fulfillment-v1";
[[nodiscard]] consumer_spec fulfillment_spec();

/// Also takes OrderAccepted v2; streams come to it by redirect alone.
inline constexpr std::string_view fulfillment_v2_consumer = "fulfillment-v2";
[[nodiscard]] consumer_spec fulfillment_v2_spec();

} // namespace parcelflow::domain
