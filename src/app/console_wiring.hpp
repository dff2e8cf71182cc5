// The ops console as the daemon has it: its options from the configuration,
// and who may come in.
// Owner: the daemon; what is passed by reference outlives the console.
// Thread rule: the functions given out are called from any thread.
#pragma once

#include "app/access_control.hpp"
#include "app/config.hpp"
#include "ops/console_server.hpp"
#include "support/clock.hpp"
#include "support/metrics.hpp"

#include <string>
#include <vector>

namespace parcelflow::app {

[[nodiscard]] ops::console_options console_options_of(const config& settings);

/// `denied` hears of denials at most once a minute for an actor and a verb.
[[nodiscard]] ops::session_access
console_access_of(const access_control& registry, const support::clock& clock,
                  support::metrics& metrics, domain::denial_listener denied);

/// Every registered tenant that is not erased.
[[nodiscard]] std::vector<std::string>
tenants_of(const domain::access_registry& registry);

} // namespace parcelflow::app
