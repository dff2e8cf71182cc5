// Programmer errors. PF_ASSERT is on in every build, production included: a
// broken assumption about durable state must stop the process before it is
// acknowledged. Expected errors are `domain::outcome`, never an assertion.
#pragma once

namespace parcelflow::support {

/// Prints file, line and expression to stderr and aborts.
[[noreturn]] void assertion_failed(const char* file, int line,
                                   const char* expression) noexcept;

} // namespace parcelflow::support

#define PF_ASSERT(condition)                                                   \
  (static_cast<bool>(condition) ? static_cast<void>(0)                         \
                                : ::parcelflow::support::assertion_failed(     \
                                  __FILE__, __LINE__, #condition))
