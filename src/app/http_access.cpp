#include "app/http_access.hpp"

namespace parcelflow::app {

domain::outcome<domain::identity>
http_access::authenticate(std::string_view token, support::unix_ms now) const {
  return to_.authenticate(token, now);
}

domain::status http_access::check_tenant(std::string_view tenant) const {
  return to_.check_tenant(tenant);
}

std::vector<std::string> http_access::tenants() const {
  std::vector<std::string> names;
  for (const auto& [name, state] : to_.registry()->tenants)
    names.push_back(name);
  return names;
}

std::vector<domain::consumer_counts>
consumer_counts_of(support::metrics& metrics) {
  std::vector<domain::consumer_counts> all;
  for (const auto name :
       {domain::fulfillment_consumer, domain::notification_consumer,
        domain::inventory_consumer}) {
    const std::string consumer(name);
    // The same names and labels as in the consumer core: the same series.
    all.push_back(
      {consumer,
       metrics
         .counter("parcelflow_consumer_rollbacks_total",
                  "Effects that failed and left no trace",
                  {{"consumer", consumer}})
         .value(),
       metrics
         .counter(
           "parcelflow_consumer_verdicts_total", "Deliveries by verdict",
           {{"consumer", consumer},
            {"verdict", std::string(to_string(domain::verdict::duplicate))}})
         .value()});
  }
  return all;
}

} // namespace parcelflow::app
