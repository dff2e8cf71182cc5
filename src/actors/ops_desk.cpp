#include "actors/ops_desk.hpp"

#include "actors/ops_desk_links.hpp"

#include <caf/send.hpp>

#include <utility>

namespace parcelflow::actors {

using domain::failure;

namespace {

constexpr std::size_t reason_bytes_max = 500;

/// Why a caller's words do not do; nothing if they do.
template <class Value>
bool refused(const ops_caller& who, bool needs_reason,
             const ops_answer<Value>& answer) {
  if (needs_reason && who.reason.empty())
    answer({failure::invalid_request, "a reason is needed: say why"});
  else if (who.reason.size() > reason_bytes_max)
    answer(
      {failure::invalid_request,
       "a reason has at most " + std::to_string(reason_bytes_max) + " bytes"});
  else
    return false;
  return true;
}

} // namespace

ops_desk::ops_desk(std::unique_ptr<links> to) : to_(std::move(to)) {}
ops_desk::~ops_desk() = default;

void ops_desk::plan(ops_caller who, domain::dead_letter_filter filter,
                    ops_answer<plan_ptr> answer) {
  plan_request what{std::move(who), std::move(filter), std::move(answer)};
  caf::anon_send(to_->planner, plan_atom::value,
                 std::make_shared<const plan_request>(std::move(what)));
}

void ops_desk::show_plan(const std::string& tenant, const std::string& plan_id,
                         ops_answer<plan_ptr> answer) {
  show_plan_request what{tenant, plan_id, std::move(answer)};
  caf::anon_send(to_->planner, show_atom::value,
                 std::make_shared<const show_plan_request>(std::move(what)));
}

void ops_desk::execute(ops_caller who, const std::string& plan_id,
                       std::uint32_t rate_per_s,
                       ops_answer<replay_ticket> answer) {
  if (refused(who, false, answer))
    return;
  execute_request what{std::move(who), plan_id, rate_per_s, nullptr,
                       std::move(answer)};
  caf::anon_send(to_->planner, execute_atom::value,
                 std::make_shared<const execute_request>(std::move(what)));
}

void ops_desk::cancel(ops_caller who, const std::string& replay_id,
                      ops_answer<domain::replay> answer) {
  if (refused(who, false, answer))
    return;
  cancel_request what{std::move(who), replay_id, std::move(answer)};
  caf::anon_send(to_->dead_letters, cancel_atom::value,
                 std::make_shared<const cancel_request>(std::move(what)));
}

void ops_desk::waive(ops_caller who, const std::string& dead_letter_id,
                     ops_answer<domain::dead_letter> answer) {
  if (refused(who, true, answer))
    return;
  auto what = std::make_shared<correction>();
  what->what = correction::verb::waive;
  what->who = std::move(who);
  what->dead_letter_id = dead_letter_id;
  what->waived = std::move(answer);
  caf::anon_send(to_->dead_letters, correct_atom::value,
                 correction_ptr(std::move(what)));
}

void ops_desk::skip(ops_caller who, stream_name stream, std::uint64_t sequence,
                    ops_answer<std::uint64_t> position) {
  if (refused(who, true, position))
    return;
  auto what = std::make_shared<correction>();
  what->what = correction::verb::skip;
  what->who = std::move(who);
  what->stream = std::move(stream);
  what->from = sequence;
  what->answer = std::move(position);
  caf::anon_send(to_->dead_letters, correct_atom::value,
                 correction_ptr(std::move(what)));
}

void ops_desk::redirect(ops_caller who, stream_name stream,
                        const std::string& to_consumer,
                        ops_answer<std::uint64_t> position) {
  if (refused(who, true, position))
    return;
  auto what = std::make_shared<correction>();
  what->what = correction::verb::redirect;
  what->who = std::move(who);
  what->stream = std::move(stream);
  what->to_consumer = to_consumer;
  what->answer = std::move(position);
  caf::anon_send(to_->dead_letters, correct_atom::value,
                 correction_ptr(std::move(what)));
}

void ops_desk::resend(ops_caller who, stream_name stream, std::uint64_t from,
                      std::uint64_t to, ops_answer<std::uint64_t> answer) {
  if (refused(who, false, answer))
    return;
  if (to != 0 && to < from)
    return answer(
      {failure::invalid_request, "the range must not end before it begins"});
  auto what = std::make_shared<correction>();
  what->what = correction::verb::resend;
  what->who = std::move(who);
  what->stream = std::move(stream);
  what->from = from;
  what->to = to;
  what->answer = std::move(answer);
  caf::anon_send(to_->dead_letters, correct_atom::value,
                 correction_ptr(std::move(what)));
}

void ops_desk::pause(ops_caller who, domain::pause_target target,
                     ops_answer<domain::pause_set_ptr> answer) {
  if (refused(who, true, answer))
    return;
  pause_request what{std::move(who), std::move(target), false,
                     std::move(answer)};
  caf::anon_send(to_->dead_letters, pause_atom::value,
                 std::make_shared<const pause_request>(std::move(what)));
}

void ops_desk::resume(ops_caller who, domain::pause_target target,
                      ops_answer<domain::pause_set_ptr> answer) {
  if (refused(who, false, answer))
    return;
  pause_request what{std::move(who), std::move(target), true,
                     std::move(answer)};
  caf::anon_send(to_->dead_letters, pause_atom::value,
                 std::make_shared<const pause_request>(std::move(what)));
}

void ops_desk::note(domain::log_entry entry,
                    ops_answer<std::uint64_t> position) {
  note_request what{std::move(entry), std::move(position)};
  caf::anon_send(to_->dead_letters, note_atom::value,
                 std::make_shared<const note_request>(std::move(what)));
}

std::shared_ptr<void> ops_desk::tail(tail_listener listener) {
  return to_->feed->listen(std::move(listener));
}

} // namespace parcelflow::actors
