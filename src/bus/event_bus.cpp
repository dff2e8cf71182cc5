#include "bus/event_bus.hpp"

namespace parcelflow::bus {

std::string_view to_string(durability level) noexcept {
  switch (level) {
  case durability::memory: return "memory";
  case durability::page_cache: return "page_cache";
  case durability::fsync: return "fsync";
  }
  return "unknown";
}

} // namespace parcelflow::bus
