#include "ops/console_verbs.hpp"

#include "ops/verb_call.hpp"
#include "support/assert.hpp"

#include <utility>

namespace parcelflow::ops {

namespace {

struct verb_act {
  verb of;
  void (*act)(verb_call&&);
};

constexpr verb_act acts[] = {
  {verb::health, show_health},
  {verb::stats, show_stats},
  {verb::tenants, list_tenants},
  {verb::streams, list_streams},
  {verb::outbox, show_outbox},
  {verb::dead_letters, list_dead_letters},
  {verb::export_letters, export_dead_letters},
  {verb::show, show_dead_letter},
  {verb::find, find_by_id},
  {verb::evidence, show_evidence},
  {verb::explain, explain_order},
  {verb::plan, begin_plan},
  {verb::execute, execute_plan},
  {verb::cancel, cancel_replay},
  {verb::replays, list_replays},
  {verb::progress, show_progress},
  {verb::waive, waive_dead_letter},
  {verb::skip, skip_event},
  {verb::redirect, redirect_stream},
  {verb::resend, resend_events},
  {verb::pause, pause_target},
  {verb::resume, resume_target},
  {verb::pauses, list_pauses},
  {verb::log, show_log},
  {verb::verify, verify_log},
  {verb::audit, audit_store},
  {verb::drain, drain_daemon},
};

} // namespace

void run_verb(const console_dependencies& with, const admitted_command& what,
              verb_answer answer) {
  for (const auto& one : acts)
    if (one.of == what.what.what->id)
      return one.act({with, what, std::move(answer)});
  PF_ASSERT(!"a verb that nobody runs");
}

std::string_view verb_call::word(std::size_t index) const {
  return given.what.word(index);
}

std::string_view verb_call::term(std::string_view name) const {
  return given.what.term(name);
}

std::uint64_t verb_call::number(std::string_view name) const {
  return number_of(term(name)).value_or(0);
}

actors::ops_caller verb_call::caller() const {
  return {given.who.token_id, given.tenant, std::string(term("reason"))};
}

codec::viewer verb_call::viewer() const {
  return {given.who.granted, &with.cursors};
}

codec::cursor_scope verb_call::page_scope(std::string_view list,
                                          std::string_view filter) const {
  return {list, given.tenant, filter};
}

domain::outcome<storage::page_request>
verb_call::page(std::string_view list, std::string_view filter) const {
  storage::page_request request;
  if (!term("limit").empty()) {
    request.limit = number("limit");
    if (request.limit < 1 || request.limit > page_items_max)
      return {domain::failure::invalid_request,
              "limit must be a whole number from 1 to "
                + std::to_string(page_items_max)};
  }
  if (term("cursor").empty())
    return request;
  auto after = with.cursors.open(page_scope(list, filter), term("cursor"));
  if (!after)
    return {domain::failure::invalid_request,
            "cursor is not one of this list and these terms"};
  request.after = *std::move(after);
  return request;
}

std::string verb_call::cursor(std::string_view list, std::string_view filter,
                              const std::string& next) const {
  return next.empty() ? std::string()
                      : with.cursors.seal(page_scope(list, filter), next);
}

} // namespace parcelflow::ops
