// A handler that is broken for some tenants: a decorator around an effect, for
// practising. It fails as a real one does, before it changed anything, so the
// core retries, exhausts and quarantines by the ordinary way; without it the
// effect is what it was, and a replay finds it well.
// Thread rule: pure, as the effect it stands in front of. Errors: none.
#pragma once

#include "domain/consumer_spec.hpp"

#include <string>
#include <vector>

namespace parcelflow::app {

/// Fails for every event of `tenants`, and is `real` for all others.
[[nodiscard]] domain::effect_function fail_for(std::vector<std::string> tenants,
                                               domain::effect_function real);

} // namespace parcelflow::app
