// The registry of tokens and tenants as the HTTP door asks for it.
// Owner: wiring; the access_control must outlive it. Thread rule: any thread.
#pragma once

#include "app/access_control.hpp"
#include "http/routes.hpp"

namespace parcelflow::app {

class http_access final : public http::authenticator {
public:
  explicit http_access(const access_control& to) : to_(to) {}

  [[nodiscard]] domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms now) const override;
  [[nodiscard]] domain::status
  check_tenant(std::string_view tenant) const override;
  [[nodiscard]] std::vector<std::string> tenants() const override;

private:
  const access_control& to_;
};

/// What a consumer's counters say, for the evidence of an order.
[[nodiscard]] std::vector<domain::consumer_counts>
consumer_counts_of(support::metrics& metrics);

} // namespace parcelflow::app
