// The dead-letter owner's other half: what responders ask for, each change in
// the operator log before its effect; and the actor's handlers.
#include "actors/dead_letter.hpp"
#include "storage/keys.hpp"
#include "support/fault_point.hpp"
#include "support/log.hpp"

#include <caf/actor_cast.hpp>

namespace parcelflow::actors {

using domain::failure;
using domain::fault;

namespace {

constexpr std::string_view no_letter = "there is no such dead letter";

stream_op op_of(const correction& what) {
  stream_op op;
  op.consumer = what.stream.consumer;
  op.tenant_id = what.who.tenant_id;
  op.aggregate_id = what.stream.aggregate_id;
  op.sequence = what.from;
  op.dead_letter_id = what.dead_letter_id;
  op.actor = what.who.actor;
  op.reason = what.who.reason;
  op.to_consumer = what.to_consumer;
  return op;
}

} // namespace

// --- the world around
// ----------------------------------------------------------

void dead_letter_state::meet(neighbours_ptr neighbours) {
  neighbours_ = std::move(neighbours);
  replays_->begin();
  after();
}

replay_ports dead_letter_state::ports_of_book() {
  replay_ports ports;
  ports.knows = [this](const std::string& consumer) {
    return neighbours_ && neighbours_->consumers.contains(consumer);
  };
  ports.operate = [this](stream_op op) {
    const auto to = neighbours_->consumers.find(op.consumer);
    to->second(std::make_shared<const stream_op>(std::move(op)));
  };
  ports.answered = [to = self_->address()](item_result of) {
    if (const auto me = caf::actor_cast<dead_letter_actor>(to))
      caf::anon_send(me, replayed_atom::value, std::move(of));
  };
  ports.load = [this](const std::string& tenant, const std::string& id) {
    return load(tenant, id);
  };
  ports.save = [this](const domain::dead_letter& letter) { save(letter); };
  ports.note = [this](domain::log_entry entry) {
    log_->append(std::move(entry));
  };
  ports.wake = [this](unix_ms pause) { alarm_.wake(self_, *clock_, pause); };
  return ports;
}

std::function<void(std::function<void()>)>
dead_letter_state::post_office() const {
  return [to = self_->address()](std::function<void()> what) {
    if (const auto me = caf::actor_cast<dead_letter_actor>(to))
      caf::anon_send(
        me, errand_atom::value,
        std::make_shared<const std::function<void()>>(std::move(what)));
  };
}

void dead_letter_state::run(const errand& what) {
  (*what)();
  after();
}

// --- replays
// -------------------------------------------------------------------

void dead_letter_state::execute(const execute_request& what) {
  replays_->execute(what);
  after();
}

void dead_letter_state::cancel(const cancel_request& what) {
  replays_->cancel(what);
  after();
}

void dead_letter_state::replayed(const item_result& of) {
  replays_->result(of);
  after();
}

void dead_letter_state::tick() {
  alarm_.rang();
  replays_->step();
  after();
}

// --- corrections
// -----------------------------------------------------------------

void dead_letter_state::log_correction(const correction& what,
                                       const std::string& verb,
                                       const std::string& target) {
  log_->append({0,
                0,
                what.who.actor,
                what.who.tenant_id,
                verb,
                target,
                what.who.reason,
                true,
                1,
                {},
                {}});
}

/// It was allowed and logged, and its consumer refused it: that is said too.
void dead_letter_state::log_refusal(const correction& what,
                                    const std::string& verb, const fault& why) {
  const auto& target = what.dead_letter_id.empty() ? what.stream.aggregate_id
                                                   : what.dead_letter_id;
  log_->append({0,
                0,
                "system",
                what.who.tenant_id,
                verb + ".refused",
                target,
                why.detail,
                true,
                1,
                {},
                {}});
}

void dead_letter_state::correct(const correction_ptr& what) {
  switch (what->what) {
  case correction::verb::waive: waive(what); break;
  case correction::verb::skip:
  case correction::verb::redirect: change_stream(what); break;
  case correction::verb::resend: resend(what); break;
  }
  after();
}

domain::status dead_letter_state::may_waive(const correction& what) {
  const auto letter = load(what.who.tenant_id, what.dead_letter_id);
  if (!letter)
    return {failure::not_found, std::string(no_letter)};
  if (letter->state() == domain::dead_letter_state::resolved)
    return {failure::illegal_transition,
            "the dead letter is resolved: its event was applied"};
  const auto holder = replays_->holder(what.who.tenant_id, what.dead_letter_id);
  if (!holder.empty())
    return {failure::illegal_transition,
            holder + " holds the dead letter: cancel it, or wait"};
  if (letter->consumer == domain::publish_consumer)
    return {failure::illegal_transition,
            "an event that was never published holds its stream: replay it"};
  return domain::done();
}

void dead_letter_state::waive(const correction_ptr& what) {
  const auto say = [this, what](domain::outcome<domain::dead_letter> given) {
    writer_->rows().when_durable(
      [what, given = std::move(given)] { what->waived(given); });
  };
  if (const auto allowed = may_waive(*what); !allowed)
    return say(allowed.why());
  auto letter = *load(what->who.tenant_id, what->dead_letter_id);
  if (letter.state() == domain::dead_letter_state::waived)
    return say(std::move(letter)); // asked for again
  log_correction(*what, "waive", what->dead_letter_id);
  auto op = op_of(*what);
  op.what = stream_op::verb::waive;
  op.consumer = letter.consumer;
  op.aggregate_id = letter.aggregate_id;
  op.sequence = letter.observed_sequence;
  op.answer = [this, what, say,
               post = post_office()](domain::outcome<stream_result> said) {
    post([this, what, say, said = std::move(said)] {
      if (said) // its consumer told this owner before it answered
        return say(*load(what->who.tenant_id, what->dead_letter_id));
      log_refusal(*what, "waive", said.why());
      say(said.why());
    });
  };
  const auto to = neighbours_->consumers.find(letter.consumer);
  if (to == neighbours_->consumers.end()) { // its consumer is gone for good
    add_step(letter, {domain::dead_letter_state::waived, what->who.actor,
                      what->who.reason, clock_->now()});
    save(letter);
    return say(std::move(letter));
  }
  writer_->rows().when_durable(
    [send = to->second, op = std::make_shared<const stream_op>(std::move(op))] {
      support::fault_point("ops.after_log");
      send(op);
    });
}

void dead_letter_state::change_stream(const correction_ptr& what) {
  const auto say = [this, what](domain::outcome<std::uint64_t> given) {
    writer_->rows().when_durable(
      [what, given = std::move(given)] { what->answer(given); });
  };
  const auto to = neighbours_->consumers.find(what->stream.consumer);
  if (to == neighbours_->consumers.end()
      || what->stream.consumer == domain::publish_consumer)
    return say({failure::not_found, "there is no such consumer"});
  const bool skips = what->what == correction::verb::skip;
  const std::string verb = skips ? "skip" : "redirect";
  const auto target =
    what->stream.consumer + " " + what->stream.aggregate_id + " "
    + (skips ? std::to_string(what->from) : "to " + what->to_consumer);
  log_correction(*what, verb, target);
  auto op = op_of(*what);
  op.what = skips ? stream_op::verb::skip : stream_op::verb::redirect;
  op.answer = [this, what, say, verb,
               post = post_office()](domain::outcome<stream_result> said) {
    post([this, what, say, verb, said = std::move(said)] {
      if (said)
        return say(said->position);
      log_refusal(*what, verb, said.why());
      say(said.why());
    });
  };
  writer_->rows().when_durable(
    [send = to->second, op = std::make_shared<const stream_op>(std::move(op))] {
      support::fault_point("ops.after_log");
      send(op);
    });
}

void dead_letter_state::resend(const correction_ptr& what) {
  const auto& stream = what->stream;
  if (!neighbours_->consumers.contains(stream.consumer)
      || stream.consumer == domain::publish_consumer) {
    return writer_->rows().when_durable([what] {
      what->answer({failure::not_found, "there is no such consumer"});
    });
  }
  log_correction(
    *what, "resend",
    stream.consumer + " " + stream.aggregate_id + " "
      + std::to_string(what->from) + ".."
      + (what->to == 0 ? std::string() : std::to_string(what->to)));
  resend_request request{stream.consumer,
                         what->who.tenant_id,
                         stream.aggregate_id,
                         std::max<std::uint64_t>(what->from, 1),
                         what->to == 0 ? UINT64_MAX : what->to,
                         what->answer};
  writer_->rows().when_durable(
    [ask = neighbours_->resend, request = std::move(request)] {
      support::fault_point("ops.after_log");
      ask(request);
    });
}

// --- pauses and notes
// --------------------------------------------------------------

void dead_letter_state::pause(const pause_request_ptr& what) {
  const bool known = pauses_.paused.contains(what->target);
  if (what->resume && !known) {
    writer_->rows().when_durable([what] {
      what->answer({failure::illegal_transition, "that is not paused"});
    });
    return after();
  }
  if (what->resume || !known) {
    log_->append({0,
                  0,
                  what->who.actor,
                  what->target.tenant_id,
                  what->resume ? "resume" : "pause",
                  domain::to_text(what->target),
                  what->who.reason,
                  true,
                  1,
                  {},
                  {}});
    auto key = storage::pause_key_of(what->target);
    const domain::pause row{what->who.actor, what->who.reason, clock_->now()};
    if (what->resume) {
      pauses_.paused.erase(what->target);
      writer_->rows().erase(std::move(key));
    } else {
      pauses_.paused.emplace(what->target, row);
      writer_->rows().put(std::move(key), domain::encode(row));
    }
  }
  auto now = std::make_shared<const domain::pause_set>(pauses_);
  writer_->rows().when_durable([this, what, now = std::move(now)] {
    if (neighbours_)
      neighbours_->obey(now);
    what->answer(now);
  });
  after();
}

void dead_letter_state::note(const note_request& what) {
  const auto position = log_->append(what.entry);
  writer_->rows().when_durable([answer = what.answer, position] {
    if (answer)
      answer(position);
  });
  after();
}

dead_letter_actor::behavior_type
dead_letter(dead_letter_actor::stateful_pointer<dead_letter_state> self,
            dead_letter_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](meet_atom, const neighbours_ptr& all) { state.meet(all); },
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tick_atom) { state.tick(); },
    [&state](errand_atom, const errand& what) { state.run(what); },
    [&state](tell_atom, const tell_ptr& what, const told_listener& from) {
      state.hear(*what, from);
    },
    [&state](again_atom, const dead_letter_ref& which) {
      state.seen_again(which);
    },
    [&state](execute_atom, const execute_ptr& what) { state.execute(*what); },
    [&state](cancel_atom, const cancel_ptr& what) { state.cancel(*what); },
    [&state](replayed_atom, const item_result& of) { state.replayed(of); },
    [&state](correct_atom, const correction_ptr& what) { state.correct(what); },
    [&state](pause_atom, const pause_request_ptr& what) { state.pause(what); },
    [&state](note_atom, const note_ptr& what) { state.note(*what); },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
