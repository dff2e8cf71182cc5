#include "tests/mutants/chosen.hpp"

#include <atomic>
#include <string>

namespace parcelflow::mutants {
namespace {

std::string the_one;
std::atomic<std::uint64_t> times{0};

} // namespace

const char* marker() noexcept {
  return "parcelflow-mutants-marker";
}

void choose(std::string_view name) {
  the_one = name;
  times = 0;
}

bool chosen(std::string_view name) noexcept {
  if (name != the_one)
    return false;
  ++times;
  return true;
}

std::uint64_t reached() noexcept {
  return times;
}

} // namespace parcelflow::mutants
