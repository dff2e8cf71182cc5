// The API: every route of docs/API.md as one handler for the door. A request
// goes the same way everywhere: path -> method -> token -> tenant -> role ->
// headers and body -> the owners (through the gateway) or the owners' rows
// (through status_view) -> one answer. Whatever is refused is refused before
// any side effect, and a request without a valid token reads no row.
//
// Owner: wiring; what `api_dependencies` points to must outlive the last
// answer. Thread rule: called on the door's thread; answers of owners are
// written on the owners' threads. Errors: problem documents, see problem.hpp.
#pragma once

#include "actors/gateway.hpp"
#include "actors/ops_desk.hpp"
#include "codec/cursor.hpp"
#include "codec/order_json.hpp"
#include "domain/access.hpp"
#include "domain/denial_book.hpp"
#include "domain/order_view.hpp"
#include "http/server.hpp"
#include "storage/ops_view.hpp"
#include "storage/status_view.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::http {

/// Who a token belongs to, and whether a tenant may be served now.
class authenticator {
public:
  virtual ~authenticator() = default;
  /// `token` is what follows "Bearer ". unauthenticated, without saying why.
  [[nodiscard]] virtual domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms now) const = 0;
  /// unknown_tenant, tenant_suspended, tenant_erased.
  [[nodiscard]] virtual domain::status
  check_tenant(std::string_view tenant) const = 0;
  /// The names of all that are registered, ascending.
  [[nodiscard]] virtual std::vector<std::string> tenants() const = 0;
};

struct readiness {
  bool ready = false;
  std::vector<std::string> reasons; ///< why not, one sentence each
  /// For ?verbose: name and value as JSON text. Never changes `ready`.
  std::vector<std::pair<std::string, std::string>> detail;
};

/// {"ready":…,"reasons":[…]}; verbose: with "detail".
[[nodiscard]] std::string readiness_json(const readiness& of, bool verbose);

struct api_dependencies {
  actors::gateway* gateway = nullptr;
  storage::status_view view;
  storage::ops_view ops;
  const authenticator* access = nullptr;
  codec::order_limits order_limits;
  std::size_t export_letters_max = 5'000; ///< made on the door's thread
  codec::cursor_sealer cursors;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids; ///< of the door's thread
  support::metrics* metrics = nullptr;
  std::string environment; ///< the profile's name
  /// Asked at each /readyz; must not block.
  std::function<readiness()> ready;
  /// Of every consumer, since the process began. May be empty.
  std::function<std::vector<domain::consumer_counts>()> counts;
  /// For the operator log, at most once a minute for an actor and verb, see
  /// denial_book.hpp; may be empty. On the door's thread; must not block.
  domain::denial_listener denied;
  /// What responders do; every change and look is in the operator log first.
  actors::ops_desk* desk = nullptr;
};

/// One line of the table of routes, for those who must forget none.
struct route_entry {
  std::string_view method;
  std::string_view path; ///< a name in braces stands for one segment
  domain::role needed;
  bool open; ///< asks for no token
};
[[nodiscard]] std::vector<route_entry> route_table();

class api {
public:
  explicit api(api_dependencies with);
  void operator()(const std::shared_ptr<const request>& in,
                  responder answer) const;

  struct state; ///< see route_call.hpp

private:
  std::shared_ptr<state> state_;
};

} // namespace parcelflow::http
