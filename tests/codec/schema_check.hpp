// A small JSON Schema judge for docs/events: the keywords that those schemas
// use. A keyword that it does not know is itself a violation, so that no schema
// is ever half checked.
// Thread rule: free function without state.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace parcelflow::test {

/// What `value` breaks, as "path: rule" lines; empty if it conforms.
std::vector<std::string> violations(const nlohmann::json& schema,
                                    const nlohmann::json& value,
                                    const std::string& path = "$");

} // namespace parcelflow::test
