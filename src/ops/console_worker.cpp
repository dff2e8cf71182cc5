#include "ops/console_worker.hpp"

#include "ops/console_verbs.hpp"
#include "support/log.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace parcelflow::ops {

namespace {

constexpr std::uint32_t tail_waiting_max = 1000;
constexpr unix_ms timer_max_ms = 3'600'000;

} // namespace

void console_worker_state::start(caf::event_based_actor* self,
                                 worker_setup with) {
  self_ = self;
  with_ = std::move(with);
  session_ =
    std::make_unique<console_session>(with_.limits, with_.with->access);
  session_->open(now());
  pump();
}

unix_ms console_worker_state::now() const {
  return with_.with->clock->steady();
}

void console_worker_state::input(const std::string& bytes) {
  reading_ = false;
  session_->receive(bytes, now());
  pump();
}

void console_worker_state::sent() {
  in_flight_ = false;
  if (flow_)
    flow_->waiting -= rows_written_;
  rows_written_ = 0;
  session_->sent(now());
  pump();
}

void console_worker_state::answer(std::uint64_t ticket,
                                  const domain::outcome<std::string>& what) {
  session_->answer(ticket, what, now());
  pump();
  // The answer is on its way to the broker, and the stop comes after it.
  if (ticket == drain_ticket_ && what)
    with_.with->drain();
}

void console_worker_state::row(std::uint64_t ticket,
                               const std::string& document) {
  if (ticket != tail_ticket_)
    return;
  ++rows_taken_;
  if (const auto lost = flow_->dropped.exchange(0); lost > 0)
    session_->stream(ticket, "{\"notShown\":" + std::to_string(lost) + '}');
  session_->stream(ticket, document);
  pump();
}

void console_worker_state::tick() {
  timer_at_ = 0;
  session_->tick(now());
  pump();
}

void console_worker_state::pump() {
  if (auto command = session_->take_command())
    run(*command);
  if (tail_ && session_->tailing() != tail_ticket_)
    tail_.reset();
  // One write at a time; what comes meanwhile waits in the session.
  if (!in_flight_)
    if (auto bytes = session_->take_output(now()); !bytes.empty()) {
      in_flight_ = true;
      rows_written_ = std::exchange(rows_taken_, 0);
      self_->send(with_.broker, output_atom::value, with_.connection,
                  std::move(bytes));
    }
  // The broker lets what it has leave; what the session has goes there first.
  const bool all_handed_over = session_->output_size() == 0;
  if (session_->over() && (all_handed_over || session_->given_up())
      && !std::exchange(told_over_, true))
    self_->send(with_.broker, over_atom::value, with_.connection,
                session_->given_up());
  if (session_->wants_input() && !reading_) {
    reading_ = true;
    self_->send(with_.broker, read_atom::value, with_.connection);
  }
  set_timer();
}

void console_worker_state::run(const admitted_command& what) {
  if (what.what.what->id == verb::tail)
    return run_tail(what);
  const auto ticket = what.ticket;
  if (what.what.what->id == verb::drain)
    drain_ticket_ = ticket;
  const auto to = caf::actor_cast<caf::actor>(self_);
  try {
    run_verb(*with_.with, what, [to, ticket](domain::outcome<std::string> of) {
      caf::anon_send(
        to, answer_atom::value, ticket,
        std::make_shared<const domain::outcome<std::string>>(std::move(of)));
    });
  } catch (const std::exception& error) {
    support::log::error(
      "console", "a command failed",
      {{"verb", what.what.what->name}, {"what", std::string(error.what())}});
    session_->answer(
      ticket,
      domain::fault{domain::failure::internal, "something went wrong inside"},
      now());
  }
}

void console_worker_state::run_tail(const admitted_command& what) {
  tail_ticket_ = what.ticket;
  flow_ = std::make_shared<tail_flow>();
  rows_taken_ = 0;
  rows_written_ = 0;
  tail_ = with_.with->desk->tail([to = caf::actor_cast<caf::actor>(self_),
                                  ticket = what.ticket, of = what.what,
                                  tenant = what.tenant,
                                  flow = flow_](const actors::tail_line& line) {
    auto row = tail_row(of, tenant, line);
    if (row.empty())
      return;
    if (flow->waiting >= tail_waiting_max) {
      ++flow->dropped;
      return;
    }
    ++flow->waiting;
    caf::anon_send(to, row_atom::value, ticket, std::move(row));
  });
}

void console_worker_state::set_timer() {
  const auto at = session_->next_tick();
  if (timer_at_ != 0 && timer_at_ <= at)
    return; // it will look again then
  const auto wait = std::clamp<unix_ms>(at - now(), 1, timer_max_ms);
  timer_at_ = now() + wait;
  self_->delayed_send(self_, std::chrono::milliseconds(wait), tick_atom::value);
}

caf::behavior console_worker(caf::stateful_actor<console_worker_state>* self,
                             worker_setup with) {
  auto& state = self->state;
  state.start(self, std::move(with));
  return {
    [&state](input_atom, const std::string& bytes) { state.input(bytes); },
    [&state](sent_atom) { state.sent(); },
    [&state](answer_atom, std::uint64_t ticket, const document_ptr& what) {
      state.answer(ticket, *what);
    },
    [&state](row_atom, std::uint64_t ticket, const std::string& document) {
      state.row(ticket, document);
    },
    [&state](tick_atom) { state.tick(); },
  };
}

} // namespace parcelflow::ops
