// One request on its way through a route: what was asked, by whom, for which
// tenant. For the routes_*.cpp files alone.
// Thread rule: made on the door's thread; moved, never shared.
#pragma once

#include "codec/view_json.hpp"
#include "http/problem.hpp"
#include "http/routes.hpp"
#include "http/target.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::http {

/// What every call shares.
struct api::state {
  explicit state(api_dependencies of);

  api_dependencies with;
  support::unix_ms started_at = 0;
  support::counter unauthenticated;
  support::counter denied;
  /// Of the log line about requests without a valid token.
  support::unix_ms next_line_at = 0;
  std::uint64_t since_last_line = 0;
  domain::denial_book denials;
};

/// Name of the header that chooses among a token's tenants.
inline constexpr std::string_view tenant_header = "Parcelflow-Tenant";

struct route_call {
  std::shared_ptr<api::state> shared;
  std::shared_ptr<const request> in;
  request_target target;
  responder answer;
  // filled in by the door's checks, for routes that need a token
  domain::identity who;
  std::string tenant; ///< empty: a route that reaches beyond one

  [[nodiscard]] const api_dependencies& with() const { return shared->with; }
  [[nodiscard]] codec::viewer viewer() const {
    return {who.granted, &shared->with.cursors};
  }
  /// The path's last, or last but one, variable segment: routes say which.
  [[nodiscard]] const std::string& segment(std::size_t at) const {
    return target.path[at];
  }
  void refuse(const domain::fault& why) const { answer(problem_response(why)); }
  /// True if the query has none but these parameters; else refused.
  [[nodiscard]] bool
  only(std::initializer_list<std::string_view> parameters) const;
  /// True if the body says that it is JSON; else refused (415).
  [[nodiscard]] bool has_json() const;
};

[[nodiscard]] response json_response(int status, std::string body);

/// Which tenants a route tells about.
enum class reach : std::uint8_t {
  one_tenant = 1, ///< the one that the header names, or the token implies
  token,          ///< that one if the header names one, else all of the token's
  everything,     ///< the whole process: for admins of all tenants
};

/// What the door asks of a caller before a route is served.
struct admission {
  domain::role needed = domain::role::tenant_operator;
  reach over = reach::one_tenant;
  bool reads_only = false;
  bool of_records = false; ///< about dead letters and replays, nothing else
  std::string verb;        ///< of the route, for the operator log
};
/// The caller's identity and tenant, or the refusal. Reads no row.
[[nodiscard]] domain::status admit(route_call& call, const admission& asks);

// The routes. Each is handed the call for good and may move its answer away.
// routes_orders.cpp
void place_order(route_call&& call);
void cancel_order(route_call&& call);
void complete_order(route_call&& call);
// routes_views.cpp
void show_order(route_call&& call);
void show_evidence(route_call&& call);
void list_orders(route_call&& call);
// routes_stock.cpp
void put_stock(route_call&& call);
void show_stock(route_call&& call);
void list_stock(route_call&& call);
// routes_letters.cpp
void list_dead_letters(route_call&& call);
void export_dead_letters(route_call&& call);
void show_dead_letter(route_call&& call);
void show_payload(route_call&& call);
// routes_watch.cpp
void list_streams(route_call&& call);
void list_replays(route_call&& call);
void show_replay(route_call&& call);
void list_replay_items(route_call&& call);
void find_id(route_call&& call);
void explain_order(route_call&& call);
// routes_process.cpp
void list_operator_log(route_call&& call);
void verify_operator_log(route_call&& call);
void show_outbox(route_call&& call);
void list_tenants(route_call&& call);
void list_pauses(route_call&& call);
// routes_replay.cpp
void plan_replay(route_call&& call);
void show_plan(route_call&& call);
void list_plan_items(route_call&& call);
void execute_plan(route_call&& call);
void cancel_replay(route_call&& call);
void waive_letter(route_call&& call);
void skip_sequence(route_call&& call);
void redirect_stream(route_call&& call);
void resend_events(route_call&& call);
void pause_target(route_call&& call);
void resume_target(route_call&& call);
// routes_ops.cpp
void show_liveness(route_call&& call);
void show_readiness(route_call&& call);
void show_metrics(route_call&& call);

} // namespace parcelflow::http
