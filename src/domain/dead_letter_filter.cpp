#include "domain/dead_letter_filter.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace parcelflow::domain {

bool dead_letter_filter::matches(const letter_glance& of) const {
  if ((state && of.state != *state) || (cause && of.cause != *cause))
    return false;
  if ((!consumer.empty() && of.consumer != consumer)
      || (!event_type.empty() && of.event_type != event_type)
      || (!aggregate_id.empty() && of.aggregate_id != aggregate_id)
      || (event_version && of.event_version != *event_version))
    return false;
  if (of.first_seen < since || (until != 0 && of.first_seen >= until))
    return false;
  if (text.empty())
    return true;
  const std::array<std::string_view, 5> places{
    of.dead_letter_id, of.aggregate_id, of.event_id, of.trace_id, of.reason};
  return std::any_of(places.begin(), places.end(), [&](auto place) {
    return place.find(text) != std::string_view::npos;
  });
}

} // namespace parcelflow::domain
