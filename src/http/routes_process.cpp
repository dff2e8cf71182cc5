// What responders look at beyond one tenant: the operator log, the outbox,
// tenants side by side, what is paused.
#include "codec/ops_json.hpp"
#include "http/list_query.hpp"
#include "http/route_call.hpp"

#include <algorithm>

namespace parcelflow::http {

namespace {

bool sees_everything(const route_call& call) {
  return call.tenant.empty() && call.who.tenants.all
         && call.who.granted == domain::role::admin;
}

/// The tenants that the call tells about, ascending: for an admin of all also
/// those that are not served, and the scope of records without one.
std::vector<std::string> tenants_of(const route_call& call) {
  if (!call.tenant.empty())
    return {call.tenant};
  const auto& access = *call.with().access;
  auto names = call.who.tenants.all ? access.tenants() : call.who.tenants.names;
  if (sees_everything(call))
    names.emplace_back(domain::unattributed_tenant);
  else
    std::erase_if(names,
                  [&](const auto& name) { return !access.check_tenant(name); });
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

void list_operator_log(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "operator-log", {});
  if (!query)
    return call.refuse(query.why());
  std::vector<std::string> tenants; // none: every entry
  if (!sees_everything(call)) {
    tenants = tenants_of(call);
    if (tenants.empty())
      return answer_list(call, *query, {}, {});
  }
  const auto page = call.with().ops.operator_log(tenants, query->page);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(codec::log_entry_json(one, call.viewer()));
  answer_list(call, *query, items, page->next);
}

void verify_operator_log(route_call&& call) {
  if (call.only({}))
    call.answer(
      json_response(200, codec::chain_json(call.with().ops.verify_log())));
}

void show_outbox(route_call&& call) {
  if (call.only({}))
    call.answer(json_response(200, codec::outbox_json(call.with().ops.outbox(
                                     call.with().clock->now()))));
}

void list_pauses(route_call&& call) {
  if (!call.only({}))
    return;
  const auto pauses = call.with().ops.pauses();
  if (!pauses)
    return call.refuse(pauses.why());
  call.answer(json_response(200, codec::pauses_json(*pauses)));
}

void list_tenants(route_call&& call) {
  if (!call.only({"cursor", "limit"}))
    return;
  const auto query = read_list(call, "tenants", {});
  if (!query)
    return call.refuse(query.why());
  auto names = tenants_of(call);
  names.erase(names.begin(),
              std::upper_bound(names.begin(), names.end(), query->page.after));
  const bool more = names.size() > query->page.limit;
  names.resize(std::min(names.size(), query->page.limit));
  const auto page = call.with().ops.tenants(names);
  if (!page)
    return call.refuse(page.why());
  std::vector<std::string> items;
  for (const auto& one : page->items)
    items.push_back(codec::tenant_json(one));
  answer_list(call, *query, items, more ? names.back() : std::string());
}

} // namespace parcelflow::http
