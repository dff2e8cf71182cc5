// Who asks, and for which tenant: decided before any row is read.
#include "http/route_call.hpp"
#include "support/log.hpp"

namespace parcelflow::http {

using domain::failure;

namespace {

constexpr support::unix_ms line_pause_ms = 60'000;

/// What follows "Bearer " in the one Authorization header; empty if malformed.
std::string_view bearer_token(const request& in) {
  constexpr std::string_view scheme = "bearer ";
  const auto header = in.header("authorization");
  if (in.header_count("authorization") != 1 || header.size() <= scheme.size())
    return {};
  for (std::size_t i = 0; i < scheme.size(); ++i) {
    const char c = header[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c)
        != scheme[i])
      return {};
  }
  return header.substr(scheme.size());
}

/// Counted each time; logged at most once a minute, with how many.
void note_unauthenticated(api::state& shared, support::unix_ms now) {
  shared.unauthenticated.add();
  shared.since_last_line += 1;
  if (now < shared.next_line_at)
    return;
  shared.next_line_at = now + line_pause_ms;
  support::log::warning("http", "requests without a valid token",
                        {{"count", shared.since_last_line}});
  shared.since_last_line = 0;
}

/// Tenants of the program itself, and the scope of records without one.
bool is_built_in(std::string_view tenant) noexcept {
  return !tenant.empty() && (tenant.front() == '_' || tenant.front() == '~');
}

/// Counted each time; told without what the client wrote: a header that names
/// no tenant may hold anything.
void note_denied(const route_call& call, const std::string& tenant,
                 const std::string& verb, support::unix_ms now) {
  auto& shared = *call.shared;
  shared.denied.add();
  if (!call.with().denied)
    return;
  const auto state = call.with().access->check_tenant(tenant);
  const bool known = state || state.why().code != failure::unknown_tenant;
  shared.denials.note({call.who.token_id, known ? tenant : std::string(), verb},
                      now, call.with().denied);
}

domain::outcome<std::string> choose_tenant(const route_call& call) {
  const auto& in = *call.in;
  const auto& own = call.who.tenants;
  if (in.header_count(tenant_header) > 1)
    return {failure::invalid_request,
            "there must be one Parcelflow-Tenant header"};
  const auto asked = in.header(tenant_header);
  if (!asked.empty())
    return std::string(asked);
  if (!own.all && own.names.size() == 1)
    return own.names.front();
  return {failure::invalid_request,
          "this token reaches several tenants: name one in the header "
          "Parcelflow-Tenant"};
}

domain::fault denied(const route_call& call, const std::string& tenant,
                     const admission& asks) {
  note_denied(call, tenant, asks.verb, call.with().clock->now());
  return {failure::forbidden, "this token's role or tenants do not allow that"};
}

/// Beyond one tenant: no tenant is chosen, so none is checked.
domain::status admit_to_all(const route_call& call, const admission& asks) {
  const auto& who = call.who;
  const bool allowed = asks.over == reach::everything
                         ? who.granted == domain::role::admin && who.tenants.all
                         : who.granted >= asks.needed;
  if (!allowed)
    return denied(call, {}, asks);
  return domain::done();
}

domain::status admit_to_one(route_call& call, const admission& asks) {
  auto tenant = choose_tenant(call);
  if (!tenant)
    return tenant.why();
  const bool built_in = is_built_in(*tenant);
  // Records whose tenant could not be read are the admins' alone, who close
  // them too; else nobody writes to a built-in tenant by this door.
  const bool may_write =
    asks.of_records && *tenant == domain::unattributed_tenant;
  const bool allowed = built_in ? (asks.reads_only || may_write)
                                    && call.who.granted == domain::role::admin
                                    && call.who.tenants.all
                                : domain::may(call.who, asks.needed, *tenant);
  if (!allowed)
    return denied(call, *tenant, asks);
  call.tenant = *std::move(tenant);
  return built_in ? domain::done()
                  : call.with().access->check_tenant(call.tenant);
}

} // namespace

domain::status admit(route_call& call, const admission& asks) {
  const auto now = call.with().clock->now();
  const auto token = bearer_token(*call.in);
  auto who = token.empty()
               ? domain::outcome<domain::identity>{failure::unauthenticated, ""}
               : call.with().access->authenticate(token, now);
  if (!who) {
    note_unauthenticated(*call.shared, now);
    return {failure::unauthenticated, "a valid bearer token is required"};
  }
  call.who = *std::move(who);
  const bool names_one = call.in->header_count(tenant_header) > 0;
  if (asks.over == reach::everything
      || (asks.over == reach::token && !names_one))
    return admit_to_all(call, asks);
  return admit_to_one(call, asks);
}

} // namespace parcelflow::http
