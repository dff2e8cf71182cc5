// What responders are shown, as JSON: one shape over HTTP and for the console's
// --json. Members are named as in view_json; times are RFC 3339 in UTC, digests
// hex, members without a value left out. No payload is in any of them.
// Thread rule: pure functions. Errors: none.
#pragma once

#include "codec/view_json.hpp"
#include "domain/operator_log.hpp"
#include "domain/ops_view.hpp"
#include "domain/pause.hpp"
#include "domain/replay.hpp"

#include <string>

namespace parcelflow::codec {

[[nodiscard]] std::string waiting_stream_json(const domain::waiting_stream& of);
[[nodiscard]] std::string outbox_json(const domain::outbox_status& of);
[[nodiscard]] std::string tenant_json(const domain::tenant_status& of);
/// {"items":[…]}.
[[nodiscard]] std::string pauses_json(const domain::pause_set& of);

[[nodiscard]] std::string replay_item_json(const domain::replay_item& of);
/// With `done` and `counts` of the items that are final.
[[nodiscard]] std::string replay_json(const domain::replay& of);
/// With its items, if asked for.
[[nodiscard]] std::string plan_json(const domain::replay_plan& of,
                                    bool with_items);

[[nodiscard]] std::string found_json(const domain::found& of);
/// Without what operators are not told, if one asks.
[[nodiscard]] std::string causal_line_json(const domain::causal_line& of,
                                           const viewer& who);
/// The position is veiled for whoever is no admin.
[[nodiscard]] std::string log_entry_json(const domain::log_entry& of,
                                         const viewer& who);
/// {"intact":true,"entries":…}, or {"intact":false,"why":…}, which names the
/// entry that is wrong.
[[nodiscard]] std::string
chain_json(const domain::outcome<domain::chain_status>& of);

} // namespace parcelflow::codec
