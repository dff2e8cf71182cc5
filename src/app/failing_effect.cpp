#include "app/failing_effect.hpp"

#include <algorithm>
#include <utility>

namespace parcelflow::app {

domain::effect_function fail_for(std::vector<std::string> tenants,
                                 domain::effect_function real) {
  return [tenants = std::move(tenants), real = std::move(real)](
           const domain::event& of, const domain::effect_context& context,
           domain::effect_rows& rows) {
    const auto& tenant = of.envelope.tenant_id;
    if (std::ranges::find(tenants, tenant) != tenants.end())
      return domain::effect_answer::fail(
        "consumer.fault_fail breaks it for this tenant");
    return real(of, context, rows);
  };
}

} // namespace parcelflow::app
