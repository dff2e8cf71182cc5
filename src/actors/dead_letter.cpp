#include "actors/dead_letter.hpp"

#include "storage/keys.hpp"
#include "support/fault_point.hpp"

#include <algorithm>
#include <limits>

namespace parcelflow::actors {

void dead_letter_state::init(dead_letter_actor::pointer self,
                             dead_letter_dependencies with) {
  self_ = self;
  clock_ = with.clock;
  metrics_ = with.metrics;
  writer_.emplace(std::move(with.rows), with.way);
  seen_again_ =
    metrics_->counter("parcelflow_dead_letters_seen_again_total",
                      "Deliveries of events that have a record already");
}

void dead_letter_state::hear(const dead_letter_tell& what,
                             const told_listener& from) {
  if (what.row.opened)
    open(*what.row.opened);
  if (what.row.closed)
    close(what.tenant_id, what.dead_letter_id, *what.row.closed);
  support::fault_point("dead_letter.before_commit");
  writer_->rows().when_durable(
    [this, from,
     answer = dead_letter_ref{what.tenant_id, what.dead_letter_id,
                              what.consumer, what.generation}] {
      support::fault_point("dead_letter.after_commit");
      self_->send(from, told_atom::value, answer);
    });
  after();
}

void dead_letter_state::open(const domain::dead_letter& told) {
  auto letter = load(told.tenant_id, told.dead_letter_id);
  if (!letter) {
    metrics_
      ->counter("parcelflow_dead_letters_opened_total",
                "Dead letters opened, by cause",
                {{"cause", std::string(to_string(told.cause))}})
      .add();
    auto& rows = writer_->rows();
    rows.put(storage::payload_key(told.tenant_id, told.dead_letter_id),
             std::string("\x01\0", 2) + told.payload);
    if (!told.aggregate_id.empty())
      rows.put(storage::dead_letter_order_key(told.tenant_id, told.aggregate_id,
                                              told.dead_letter_id),
               std::string("\x01\0", 2));
    save(told);
    return;
  }
  const auto& opening = told.steps.front();
  const bool told_before =
    std::find(letter->steps.begin(), letter->steps.end(), opening)
    != letter->steps.end();
  if (told_before
      || (letter->cause == told.cause
          && letter->state() != domain::dead_letter_state::resolved))
    return; // a crash came between
  // The same event stands for another reason now: the record follows.
  auto next = told;
  next.first_seen = letter->first_seen;
  next.seen = letter->seen;
  next.replay_ids = letter->replay_ids;
  next.steps = letter->steps;
  next.steps.push_back(opening);
  save(next);
}

void dead_letter_state::close(const std::string& tenant, const std::string& id,
                              const domain::dead_letter_step& step) {
  auto letter = load(tenant, id);
  if (!letter || letter->state() == step.to)
    return;
  letter->steps.push_back(step);
  metrics_
    ->counter("parcelflow_dead_letters_closed_total",
              "Dead letters resolved or waived, by cause",
              {{"cause", std::string(to_string(letter->cause))}})
    .add();
  save(*letter);
}

void dead_letter_state::seen_again(const dead_letter_ref& which) {
  auto letter = load(which.tenant_id, which.dead_letter_id);
  if (!letter)
    return;
  seen_again_.add();
  letter->last_seen = clock_->now();
  if (letter->seen < std::numeric_limits<std::uint64_t>::max())
    letter->seen += 1;
  save(*letter);
  after();
}

std::optional<domain::dead_letter>
dead_letter_state::load(const std::string& tenant, const std::string& id) {
  const auto row = writer_->rows().get(storage::dead_letter_key(tenant, id));
  if (!row)
    return std::nullopt;
  auto letter = domain::decode_dead_letter(tenant, id, *row);
  if (!letter)
    storage::corrupt_row("dead letter", letter.why());
  return *std::move(letter);
}

void dead_letter_state::save(const domain::dead_letter& letter) {
  writer_->rows().put(
    storage::dead_letter_key(letter.tenant_id, letter.dead_letter_id),
    domain::encode(letter));
}

void dead_letter_state::durable() {
  writer_->rows().round_done();
  after();
}

caf::result<bool> dead_letter_state::drain() {
  drained_ = self_->make_response_promise<bool>();
  auto promise = *drained_;
  after();
  return promise;
}

void dead_letter_state::after() {
  writer_->arm(self_);
  if (drained_ && writer_->idle()) {
    drained_->deliver(true);
    drained_.reset();
  }
}

dead_letter_actor::behavior_type
dead_letter(dead_letter_actor::stateful_pointer<dead_letter_state> self,
            dead_letter_dependencies with) {
  self->state.init(self, std::move(with));
  auto& state = self->state;
  return {
    [&state](durable_atom) { state.durable(); },
    [&state](flush_atom) { state.flush(); },
    [&state](tell_atom, const tell_ptr& what, const told_listener& from) {
      state.hear(*what, from);
    },
    [&state](again_atom, const dead_letter_ref& which) {
      state.seen_again(which);
    },
    [&state](drain_atom) { return state.drain(); },
  };
}

} // namespace parcelflow::actors
