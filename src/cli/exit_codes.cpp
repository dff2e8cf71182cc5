#include "cli/exit_codes.hpp"

#include "domain/failure.hpp"

namespace parcelflow::cli {

using domain::failure;

namespace {

int code_of(failure code) noexcept {
  switch (code) {
  case failure::invalid_request:
  case failure::payload_too_large: return exit_usage;
  case failure::unauthenticated:
  case failure::forbidden:
  case failure::unknown_tenant:
  case failure::tenant_suspended:
  case failure::tenant_erased: return exit_denied;
  case failure::deadline_exceeded:
  case failure::overloaded:
  case failure::draining:
  case failure::request_in_progress:
  case failure::bus_unreachable: return exit_try_later;
  case failure::not_found:
  case failure::illegal_transition: return exit_data;
  case failure::storage_io:
  case failure::storage_corrupt:
  case failure::storage_format:
  case failure::disk_full: return exit_io;
  default: return exit_internal;
  }
}

} // namespace

int exit_code_of(std::string_view failure_name) noexcept {
  for (auto i = 1; i <= static_cast<int>(failure::internal); ++i)
    if (domain::to_string(static_cast<failure>(i)) == failure_name)
      return code_of(static_cast<failure>(i));
  return exit_internal;
}

} // namespace parcelflow::cli
