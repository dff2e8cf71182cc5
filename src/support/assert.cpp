#include "support/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace parcelflow::support {

void assertion_failed(const char* file, int line,
                      const char* expression) noexcept {
  std::fprintf(stderr,
               "{\"level\":\"critical\",\"component\":\"assert\","
               "\"msg\":\"%s:%d: %s\"}\n",
               file, line, expression);
  std::fflush(stderr);
  std::abort();
}

} // namespace parcelflow::support
