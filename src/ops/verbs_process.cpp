// What concerns the process: health, figures, pauses, the operator log.
#include "codec/audit_json.hpp"
#include "codec/json_text.hpp"
#include "codec/ops_json.hpp"
#include "codec/view_json.hpp"
#include "domain/dead_letter.hpp"
#include "ops/verb_call.hpp"

#include <algorithm>

namespace parcelflow::ops {

namespace {

bool sees_everything(const verb_call& call) {
  const auto& who = call.given.who;
  return who.tenants.all && who.granted == domain::role::admin;
}

/// The tenants that a caller reaches, sorted; for an admin of all also the
/// scope of records without one.
std::vector<std::string> reached_by(const verb_call& call) {
  const auto& own = call.given.who.tenants;
  auto names = own.all ? call.with.tenants() : own.names;
  if (sees_everything(call))
    names.emplace_back(domain::unattributed_tenant);
  std::ranges::sort(names);
  return names;
}

/// One series of the metrics as an item of `stats`; empty for a comment, the
/// buckets of a histogram, and what nothing was counted in.
std::string series_json(std::string_view line) {
  const auto space = line.rfind(' ');
  if (line.empty() || line.front() == '#' || space == std::string_view::npos)
    return {};
  auto name = line.substr(0, space);
  std::string_view labels;
  if (const auto brace = name.find('{'); brace != std::string_view::npos) {
    labels = name.substr(brace + 1, name.size() - brace - 2);
    name = name.substr(0, brace);
  }
  const auto value = line.substr(space + 1);
  if (name.ends_with("_bucket") || value == "0")
    return {};
  constexpr std::string_view prefix = "parcelflow_";
  if (name.starts_with(prefix))
    name.remove_prefix(prefix.size());
  std::string text;
  codec::object_writer out(text);
  out.text("name", name).text("labels", labels).text("value", value).close();
  return text;
}

} // namespace

void show_health(verb_call&& call) {
  call.answer(call.with.health());
}

void show_stats(verb_call&& call) {
  const auto text = call.with.metrics->render();
  std::vector<std::string> items;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (auto item = series_json(std::string_view(text).substr(at, end - at));
        !item.empty())
      items.push_back(std::move(item));
    at = end + 1;
  }
  call.answer(codec::list_json(items, {}));
}

void list_tenants(verb_call&& call) {
  const auto page = call.page("tenants", call.given.who.token_id);
  if (!page)
    return call.answer(page.why());
  auto names = reached_by(call);
  std::erase_if(names, [&](const auto& one) { return one <= page->after; });
  std::string next;
  if (names.size() > page->limit) {
    names.resize(page->limit);
    next = names.back();
  }
  const auto found = call.with.ops.tenants(names);
  if (!found)
    return call.answer(found.why());
  std::vector<std::string> items;
  for (const auto& one : found->items)
    items.push_back(codec::tenant_json(one));
  call.answer(codec::list_json(
    items, call.cursor("tenants", call.given.who.token_id, next)));
}

void show_outbox(verb_call&& call) {
  call.answer(codec::outbox_json(call.with.ops.outbox(call.with.clock->now())));
}

std::string pauses_json(const domain::pause_set& of,
                        const domain::identity& who) {
  auto seen = of;
  std::erase_if(seen.paused, [&](const auto& one) {
    const auto& tenant = one.first.tenant_id;
    return !tenant.empty() && !who.tenants.contains(tenant);
  });
  return codec::pauses_json(seen);
}

void list_pauses(verb_call&& call) {
  const auto found = call.with.ops.pauses();
  if (!found)
    return call.answer(found.why());
  call.answer(pauses_json(*found, call.given.who));
}

void show_log(verb_call&& call) {
  const auto page = call.page("log", call.given.who.token_id);
  if (!page)
    return call.answer(page.why());
  const auto found = call.with.ops.operator_log(
    sees_everything(call) ? std::vector<std::string>{} : reached_by(call),
    *page);
  if (!found)
    return call.answer(found.why());
  std::vector<std::string> items;
  for (const auto& one : found->items)
    items.push_back(codec::log_entry_json(one, call.viewer()));
  call.answer(codec::list_json(
    items, call.cursor("log", call.given.who.token_id, found->next)));
}

/// A broken chain is an answer: it names the entry that is wrong.
void verify_log(verb_call&& call) {
  const auto found = call.with.ops.verify_log();
  if (!found && found.why().code != domain::failure::storage_corrupt)
    return call.answer(found.why());
  call.answer(codec::chain_json(found));
}

void audit_store(verb_call&& call) {
  call.with.gateway->audit(
    [answer = std::move(call.answer)](
      const std::shared_ptr<const domain::audit_report>& report) {
      if (report)
        answer(codec::audit_json(*report));
      else
        answer(domain::fault{domain::failure::overloaded,
                             "no audit can be made now; try again later"});
    });
}

/// The worker stops the daemon once this answer is on its way.
void drain_daemon(verb_call&& call) {
  domain::log_entry entry;
  entry.at = call.with.clock->now();
  entry.actor = call.given.who.token_id;
  entry.verb = "drain";
  entry.reason = call.term("reason");
  call.with.desk->note(std::move(entry),
                       [answer = std::move(call.answer)](
                         const domain::outcome<std::uint64_t>& written) {
                         if (!written)
                           return answer(written.why());
                         answer(std::string(R"({"draining":true})"));
                       });
}

} // namespace parcelflow::ops
