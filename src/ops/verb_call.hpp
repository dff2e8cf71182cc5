// One command on its way through a verb: what it was given, what it stands on,
// and where its answer goes. Included by the verbs' own files.
// Thread rule: moved from hand to hand; `answer` from any thread, once.
#pragma once

#include "codec/cursor.hpp"
#include "codec/view_json.hpp"
#include "ops/console_verbs.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::ops {

inline constexpr std::size_t page_items_max = 200;

struct verb_call {
  const console_dependencies& with;
  const admitted_command& given; ///< until the verb's function returns
  verb_answer answer;

  [[nodiscard]] std::string_view word(std::size_t index) const;
  [[nodiscard]] std::string_view term(std::string_view name) const;
  [[nodiscard]] std::uint64_t number(std::string_view name) const; ///< or 0
  [[nodiscard]] actors::ops_caller caller() const;
  [[nodiscard]] codec::viewer viewer() const;

  /// The page asked for. `filter`: the canonical text of what chooses rows, to
  /// which the cursor is bound, as to the tenant.
  [[nodiscard]] domain::outcome<storage::page_request>
  page(std::string_view list, std::string_view filter = {}) const;
  [[nodiscard]] std::string cursor(std::string_view list,
                                   std::string_view filter,
                                   const std::string& next) const;

private:
  [[nodiscard]] codec::cursor_scope page_scope(std::string_view list,
                                               std::string_view filter) const;
};

/// The filter that a command's terms are.
[[nodiscard]] domain::outcome<domain::dead_letter_filter>
filter_of(const verb_call& call);
/// As far as that caller may know of them.
[[nodiscard]] std::string pauses_json(const domain::pause_set& of,
                                      const domain::identity& who);

// Looking at the process.
void show_health(verb_call&& call);
void show_stats(verb_call&& call);
void list_tenants(verb_call&& call);
void show_outbox(verb_call&& call);
void list_pauses(verb_call&& call);
void show_log(verb_call&& call);
void verify_log(verb_call&& call);
void audit_store(verb_call&& call);
void drain_daemon(verb_call&& call);
// Looking at a tenant.
void list_streams(verb_call&& call);
void list_dead_letters(verb_call&& call);
void export_dead_letters(verb_call&& call);
void show_dead_letter(verb_call&& call);
void find_by_id(verb_call&& call);
void show_evidence(verb_call&& call);
void explain_order(verb_call&& call);
void list_replays(verb_call&& call);
void show_progress(verb_call&& call);
// Changing.
void begin_plan(verb_call&& call);
void execute_plan(verb_call&& call);
void cancel_replay(verb_call&& call);
void waive_dead_letter(verb_call&& call);
void skip_event(verb_call&& call);
void redirect_stream(verb_call&& call);
void resend_events(verb_call&& call);
void pause_target(verb_call&& call);
void resume_target(verb_call&& call);

} // namespace parcelflow::ops
