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
  load_open_counts();
  pauses_ = *pauses_of(*with.way.store);
  log_.emplace(writer_->rows(), *clock_);
  replays_.emplace(writer_->rows(), *clock_, *metrics_, with.replaying,
                   ports_of_book());
}

void dead_letter_state::load_open_counts() {
  for (auto cause = domain::dead_letter_cause::sequence_gap;
       cause <= domain::dead_letter_cause::publish_refused;
       cause =
         static_cast<domain::dead_letter_cause>(static_cast<int>(cause) + 1))
    open_now_[cause] =
      metrics_->gauge("parcelflow_dead_letters_open",
                      "Dead letters that are open or replaying, by cause",
                      {{"cause", std::string(to_string(cause))}});
  const auto from = storage::key_writer(storage::kind::letter_counts).take();
  writer_->rows().scan(from, storage::prefix_end(from), [&](auto, auto value) {
    const auto counts = storage::decode_letter_counts(value);
    if (!counts)
      storage::corrupt_row("letter counts", counts.why());
    for (auto& [cause, gauge] : open_now_)
      for (const auto state : {domain::dead_letter_state::open,
                               domain::dead_letter_state::replaying}) {
        domain::dead_letter_filter filter;
        filter.cause = cause;
        filter.state = state;
        gauge.add(static_cast<double>(counts->total(filter).value_or(0)));
      }
    return true;
  });
}

void dead_letter_state::hear(const dead_letter_tell& what,
                             const told_listener& from) {
  const bool waived = what.row.opened && !open(*what.row.opened);
  if (what.row.closed)
    close(what.tenant_id, what.dead_letter_id, *what.row.closed);
  support::fault_point("dead_letter.before_commit");
  writer_->rows().when_durable(
    [this, from,
     answer = dead_letter_ref{what.tenant_id, what.dead_letter_id,
                              what.consumer, what.generation, waived}] {
      support::fault_point("dead_letter.after_commit");
      self_->send(from, told_atom::value, answer);
    });
  after();
}

/// False: a responder waived that record for good; the event only came again.
bool dead_letter_state::open(const domain::dead_letter& told) {
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
    rows.put(storage::letter_time_key(told.tenant_id, told.first_seen,
                                      told.dead_letter_id),
             std::string("\x01\0", 2));
    save(told);
    return true;
  }
  const auto& opening = told.steps.front();
  const bool told_before =
    std::find(letter->steps.begin(), letter->steps.end(), opening)
    != letter->steps.end();
  if (letter->cause == told.cause
      && letter->state() == domain::dead_letter_state::waived) {
    if (!told_before)
      count_again(*letter);
    return false;
  }
  if (told_before
      || (letter->cause == told.cause
          && letter->state() != domain::dead_letter_state::resolved))
    return true; // a crash came between
  // The same event stands for another reason now: the record follows.
  auto next = told;
  next.first_seen = letter->first_seen;
  next.seen = letter->seen;
  next.replay_ids = letter->replay_ids;
  next.steps = letter->steps;
  add_step(next, opening);
  save(next);
  return true;
}

void dead_letter_state::close(const std::string& tenant, const std::string& id,
                              const domain::dead_letter_step& step) {
  auto letter = load(tenant, id);
  if (!letter || letter->state() == step.to)
    return;
  add_step(*letter, step);
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
  count_again(*letter);
  after();
}

void dead_letter_state::count_again(domain::dead_letter& letter) {
  seen_again_.add();
  letter.last_seen = clock_->now();
  if (letter.seen < std::numeric_limits<std::uint64_t>::max())
    letter.seen += 1;
  save(letter);
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

/// The record, and in the same batch how many of its kind there are.
void dead_letter_state::save(const domain::dead_letter& letter) {
  const auto before = load(letter.tenant_id, letter.dead_letter_id);
  count(before ? &*before : nullptr, letter);
  writer_->rows().put(
    storage::dead_letter_key(letter.tenant_id, letter.dead_letter_id),
    domain::encode(letter));
}

void dead_letter_state::count(const domain::dead_letter* before,
                              const domain::dead_letter& after) {
  const auto is_open = [](const domain::dead_letter& of) {
    return of.state() == domain::dead_letter_state::open
           || of.state() == domain::dead_letter_state::replaying;
  };
  if (before != nullptr && before->state() == after.state()
      && before->cause == after.cause)
    return; // its type and version never change
  if (before != nullptr && is_open(*before))
    open_now_.at(before->cause).add(-1);
  if (is_open(after))
    open_now_.at(after.cause).add(1);
  auto key = storage::letter_counts_key(after.tenant_id);
  storage::letter_counts counts;
  if (const auto row = writer_->rows().get(key)) {
    auto known = storage::decode_letter_counts(*row);
    if (!known)
      storage::corrupt_row("letter counts", known.why());
    counts = *std::move(known);
  }
  counts.move(before, &after);
  writer_->rows().put(std::move(key), storage::encode(counts));
}

void dead_letter_state::durable() {
  writer_->rows().round_done();
  after();
}

caf::result<bool> dead_letter_state::drain() {
  replays_->stop();
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

} // namespace parcelflow::actors
