// The one vocabulary of expected errors. Inside the process an error is a
// value: a function that can fail returns `outcome<T>`, never throws across a
// layer. Storage and bus translate their libraries' codes into `failure`;
// actors and HTTP translate `failure` outwards, each in one place.
// Thread rule: plain values. Programmer errors are PF_ASSERT, not these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace parcelflow::domain {

/// Why something was refused or went wrong. The names are public: they are the
/// last part of a problem's `type`, the `cause` in logs and the console's word.
enum class failure : std::uint8_t {
  // what a caller sent
  invalid_request = 1,
  payload_too_large,
  missing_idempotency_key,
  idempotency_key_reused,
  request_in_progress,
  unauthenticated,
  forbidden,
  not_found,
  // what the business refuses
  unknown_tenant,
  tenant_suspended,
  tenant_erased,
  unknown_sku,
  out_of_stock,
  stock_below_reserved,
  payment_declined,
  illegal_transition,
  // what the moment refuses
  deadline_exceeded,
  overloaded,
  draining,
  disk_full,
  // storage
  storage_io,
  storage_corrupt,
  storage_format,
  storage_locked,
  storage_rolled_back,
  // bus
  bus_unreachable,
  bus_refused,
  bus_unknown_outcome,
  bus_closed,
  // consumers
  effect_transient,
  invalid_envelope,
  // start
  config_invalid,
  internal,
};

/// The stable lower-case name, e.g. "out_of_stock".
[[nodiscard]] std::string_view to_string(failure code) noexcept;

/// A failure with the sentence that a person needs: what was wrong and what is
/// allowed. `detail` never holds a token or a payload.
struct fault {
  failure code = failure::internal;
  std::string detail;

  friend bool operator==(const fault&, const fault&) = default;
};

/// A value or the fault that stands in its place.
template <class T>
class [[nodiscard]] outcome {
public:
  outcome(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  outcome(fault why) : held_(std::in_place_index<1>, std::move(why)) {}
  outcome(failure code, std::string detail)
    : held_(std::in_place_index<1>, fault{code, std::move(detail)}) {}

  [[nodiscard]] bool ok() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& operator*() & { return std::get<0>(held_); }
  const T& operator*() const& { return std::get<0>(held_); }
  T&& operator*() && { return std::get<0>(std::move(held_)); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }

  [[nodiscard]] const fault& why() const { return std::get<1>(held_); }

private:
  std::variant<T, fault> held_;
};

/// For functions that succeed with nothing to say.
using status = outcome<std::monostate>;
inline status done() {
  return status{std::monostate{}};
}

} // namespace parcelflow::domain
