// sysexits, by name; and which one a failure ends a command with.
#pragma once

#include "domain/failure.hpp"

namespace parcelflow::app {

inline constexpr int exit_ok = 0;
inline constexpr int exit_usage = 64;
inline constexpr int exit_findings = 65; ///< EX_DATAERR
inline constexpr int exit_no_input = 66;
inline constexpr int exit_unavailable = 69;
inline constexpr int exit_internal = 70;
inline constexpr int exit_io = 74;
inline constexpr int exit_try_later = 75;
inline constexpr int exit_config = 78;

[[nodiscard]] inline int exit_code_of(domain::failure code) noexcept {
  using domain::failure;
  switch (code) {
  case failure::config_invalid: return exit_config;
  case failure::invalid_request: return exit_usage;
  case failure::not_found: return exit_no_input;
  case failure::storage_locked: return exit_try_later;
  case failure::storage_io:
  case failure::storage_corrupt:
  case failure::storage_format:
  case failure::storage_rolled_back:
  case failure::disk_full: return exit_io;
  case failure::bus_unreachable: return exit_unavailable;
  default: return exit_internal;
  }
}

} // namespace parcelflow::app
