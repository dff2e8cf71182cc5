#include "bus/payload_rule.hpp"

#include <algorithm>
#include <string>

namespace parcelflow::bus {

using domain::failure;

std::optional<std::vector<publish_result>>
refuse_oversize(const std::vector<offered>& batch, std::size_t payload_max) {
  const auto oversize = [payload_max](const offered& one) {
    return one.event->bytes.size() > payload_max;
  };
  if (std::none_of(batch.begin(), batch.end(), oversize))
    return std::nullopt;
  std::vector<publish_result> results;
  results.reserve(batch.size());
  for (const auto& one : batch)
    if (oversize(one))
      results.emplace_back(
        failure::bus_refused,
        "the event has " + std::to_string(one.event->bytes.size())
          + " bytes, allowed are " + std::to_string(payload_max));
    else
      results.emplace_back(failure::bus_unreachable,
                           "a batch is accepted whole, and another event of "
                           "this one was refused");
  return results;
}

std::vector<publish_result> accepted_from(std::uint64_t first,
                                          std::size_t count) {
  std::vector<publish_result> results;
  results.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    results.emplace_back("p" + std::to_string(first + i));
  return results;
}

} // namespace parcelflow::bus
