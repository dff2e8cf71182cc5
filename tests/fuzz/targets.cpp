#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

std::span<const target> targets() {
  static constexpr target all[] = {
    {"envelope", envelope}, {"order", order},     {"key", key},
    {"record", record},     {"console", console}, {"request", request},
    {"settings", settings},
  };
  return all;
}

} // namespace parcelflow::fuzz
