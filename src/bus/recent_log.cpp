#include "bus/recent_log.hpp"

#include "support/assert.hpp"

#include <algorithm>

namespace parcelflow::bus {

void recent_log::append(std::uint64_t first, std::vector<offered> batch) {
  PF_ASSERT(!batch.empty());
  if (!segments_.empty())
    PF_ASSERT(segments_.back().first + segments_.back().events.size() == first);
  std::size_t bytes = 0;
  for (const auto& one : batch)
    bytes += one.event->bytes.size();
  bytes_ += bytes;
  segments_.push_back({first, bytes, std::move(batch)});
  while (!segments_.empty() && bytes_ > bytes_max_) {
    bytes_ -= segments_.front().bytes;
    segments_.pop_front();
  }
}

std::size_t recent_log::read(std::uint64_t from, std::size_t count,
                             std::string_view topic,
                             delivery_batch& out) const {
  auto at = std::upper_bound(segments_.begin(), segments_.end(), from,
                             [](std::uint64_t position, const segment& s) {
                               return position < s.first;
                             });
  if (at == segments_.begin())
    return 0;
  --at;
  std::size_t taken = 0;
  std::size_t index = from - at->first;
  for (; at != segments_.end() && taken < count; ++at, index = 0)
    for (; index < at->events.size() && taken < count; ++index, ++taken) {
      auto& one = out.emplace_back();
      one.event = at->events[index].event;
      one.offer = at->events[index].offer;
      one.topic = topic;
      one.token = from + taken;
    }
  return taken;
}

} // namespace parcelflow::bus
