// What changes something: each is in the operator log before its effect, which
// the desk sees to.
#include "codec/json_text.hpp"
#include "codec/ops_json.hpp"
#include "codec/view_json.hpp"
#include "ops/verb_call.hpp"

#include <utility>

namespace parcelflow::ops {

namespace {

/// Passes a fault on, and a value as JSON.
template <class Value, class Write>
actors::ops_answer<Value> answered(verb_answer answer, Write write) {
  return [answer = std::move(answer),
          write = std::move(write)](domain::outcome<Value> of) {
    if (!of)
      return answer(of.why());
    answer(write(*of));
  };
}

actors::ops_answer<std::uint64_t> number_answer(verb_call& call,
                                                std::string name) {
  return answered<std::uint64_t>(std::move(call.answer),
                                 [name = std::move(name)](std::uint64_t value) {
                                   std::string text;
                                   codec::object_writer out(text);
                                   out.number(name, value).close();
                                   return text;
                                 });
}

actors::stream_name stream_of(const verb_call& call) {
  return {std::string(call.word(0)), std::string(call.word(1))};
}

domain::pause_target target_of(const verb_call& call) {
  const auto what = call.word(0);
  domain::pause_target target;
  if (what == "consumer") {
    target.scope = domain::pause_scope::consumer;
    target.consumer = call.word(1);
  } else if (what == "tenant") {
    target.scope = domain::pause_scope::tenant;
    target.tenant_id = call.given.tenant;
  } else if (what == "stream") {
    target.scope = domain::pause_scope::stream;
    target.tenant_id = call.given.tenant;
    target.aggregate_id = call.word(1);
    target.consumer = call.word(2);
  }
  return target;
}

actors::ops_answer<domain::pause_set_ptr> pauses_answer(verb_call& call) {
  return answered<domain::pause_set_ptr>(
    std::move(call.answer),
    [who = call.given.who](const auto& of) { return pauses_json(*of, who); });
}

} // namespace

void begin_plan(verb_call&& call) {
  auto filter = filter_of(call);
  if (!filter)
    return call.answer(filter.why());
  call.with.desk->plan(
    call.caller(), *std::move(filter),
    answered<actors::plan_ptr>(std::move(call.answer), [](const auto& of) {
      return codec::plan_json(*of, false);
    }));
}

void execute_plan(verb_call&& call) {
  const auto rate = call.number("rate");
  if (rate > 1'000'000)
    return call.answer(domain::fault{domain::failure::invalid_request,
                                     "rate must be at most 1000000"});
  call.with.desk->execute(
    call.caller(), std::string(call.word(0)), static_cast<std::uint32_t>(rate),
    answered<actors::replay_ticket>(std::move(call.answer), [](const auto& of) {
      std::string text;
      codec::object_writer out(text);
      out.text("replayId", of.replay_id)
        .raw("repeated", of.repeated ? "true" : "false")
        .close();
      return text;
    }));
}

void cancel_replay(verb_call&& call) {
  call.with.desk->cancel(
    call.caller(), std::string(call.word(0)),
    answered<domain::replay>(std::move(call.answer), [](const auto& of) {
      return codec::replay_json(of);
    }));
}

void waive_dead_letter(verb_call&& call) {
  call.with.desk->waive(
    call.caller(), std::string(call.word(0)),
    answered<domain::dead_letter>(std::move(call.answer), [](const auto& of) {
      return codec::dead_letter_row_json(of);
    }));
}

void skip_event(verb_call&& call) {
  const auto sequence = number_of(call.word(2)).value_or(0);
  call.with.desk->skip(call.caller(), stream_of(call), sequence,
                       number_answer(call, "position"));
}

void redirect_stream(verb_call&& call) {
  call.with.desk->redirect(call.caller(), stream_of(call),
                           std::string(call.word(2)),
                           number_answer(call, "position"));
}

void resend_events(verb_call&& call) {
  const auto range = range_of(call.word(2)).value_or(number_range{1, 0});
  call.with.desk->resend(call.caller(), stream_of(call), range.from, range.to,
                         number_answer(call, "offeredAgain"));
}

void pause_target(verb_call&& call) {
  call.with.desk->pause(call.caller(), target_of(call), pauses_answer(call));
}

void resume_target(verb_call&& call) {
  call.with.desk->resume(call.caller(), target_of(call), pauses_answer(call));
}

} // namespace parcelflow::ops
