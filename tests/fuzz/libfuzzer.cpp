// The entry of libFuzzer: FUZZ_TARGET names the target.
#include "tests/fuzz/targets.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using parcelflow::fuzz::targets;
  static const auto chosen = [] {
    const char* name = std::getenv("FUZZ_TARGET");
    for (const auto& one : targets())
      if (name != nullptr && one.name == name)
        return one;
    std::fputs("FUZZ_TARGET names no target\n", stderr);
    std::exit(64);
  }();
  chosen.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
