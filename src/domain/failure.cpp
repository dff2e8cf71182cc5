#include "domain/failure.hpp"

namespace parcelflow::domain {

std::string_view to_string(failure code) noexcept {
  switch (code) {
  case failure::invalid_request: return "invalid_request";
  case failure::payload_too_large: return "payload_too_large";
  case failure::missing_idempotency_key: return "missing_idempotency_key";
  case failure::idempotency_key_reused: return "idempotency_key_reused";
  case failure::request_in_progress: return "request_in_progress";
  case failure::unauthenticated: return "unauthenticated";
  case failure::forbidden: return "forbidden";
  case failure::not_found: return "not_found";
  case failure::unknown_tenant: return "unknown_tenant";
  case failure::tenant_suspended: return "tenant_suspended";
  case failure::tenant_erased: return "tenant_erased";
  case failure::unknown_sku: return "unknown_sku";
  case failure::out_of_stock: return "out_of_stock";
  case failure::stock_below_reserved: return "stock_below_reserved";
  case failure::payment_declined: return "payment_declined";
  case failure::illegal_transition: return "illegal_transition";
  case failure::deadline_exceeded: return "deadline_exceeded";
  case failure::overloaded: return "overloaded";
  case failure::draining: return "draining";
  case failure::disk_full: return "disk_full";
  case failure::storage_io: return "storage_io";
  case failure::storage_corrupt: return "storage_corrupt";
  case failure::storage_format: return "storage_format";
  case failure::storage_locked: return "storage_locked";
  case failure::storage_rolled_back: return "storage_rolled_back";
  case failure::bus_unreachable: return "bus_unreachable";
  case failure::bus_refused: return "bus_refused";
  case failure::bus_unknown_outcome: return "bus_unknown_outcome";
  case failure::bus_closed: return "bus_closed";
  case failure::effect_transient: return "effect_transient";
  case failure::invalid_envelope: return "invalid_envelope";
  case failure::config_invalid: return "config_invalid";
  case failure::internal: return "internal";
  }
  return "unknown";
}

} // namespace parcelflow::domain
