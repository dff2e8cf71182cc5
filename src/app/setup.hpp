// What a start is judged by before anything is created, opened or issued, so
// that `run` and `check` refuse alike and a refused start leaves no trace.
// Thread rule: the main thread. Errors: config_invalid, with the setting's name
// and what to do; for a developer's tokens also storage_io.
#pragma once

#include "app/config.hpp"
#include "http/server.hpp"

namespace parcelflow::app {

[[nodiscard]] http::server_options door_options_of(const config& settings);

/// Is this a profile whose first start issues a token?
[[nodiscard]] bool gives_first_token(const config& settings);
[[nodiscard]] std::string dev_token_path(const config& settings);

/// Certificate and key, bus, crash point, tokens. Reads, and changes nothing.
[[nodiscard]] domain::status judge_setup(const config& settings);

} // namespace parcelflow::app
