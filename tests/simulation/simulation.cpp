#include "tests/simulation/simulation.hpp"

#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/audit.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/image.hpp"
#include "tests/simulation/promises_parts.hpp"
#include "tests/support/invariants.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace parcelflow::simulation {
namespace {

constexpr std::uint64_t steps_max = 400'000; ///< of one rest: else it spins
const std::string data_directory = "/data";

app::config settings_of(const setting& how) {
  auto loaded = app::load_config({});
  auto settings = loaded->values;
  settings.data.directory = data_directory;
  // Moods pass here before the usual patience would end.
  settings.relay.publish_attempts_max = 3;
  // Streams are short here; their rows are full all the same.
  settings.consumer.inbox_inline_max = 2;
  // Memtables never fill by themselves, and their filters stay small.
  settings.storage.write_buffer_bytes = 2U << 20U;
  if (how.per_owner)
    settings.storage.committer = app::committer_kind::per_owner;
  if (how.simulated_broker)
    settings.bus.adapter = app::adapter_kind::memory; // replaced by the wire
  settings.bus.minimum_durability = app::durability::memory;
  if (how.version_two)
    settings.order.accepted_version.push_back({"tn-b", 2});
  return settings;
}

} // namespace

simulation::simulation(schedule of)
  : schedule_(std::move(of)), settings_(settings_of(schedule_.how)),
    disk_(std::make_shared<memory_disk>()),
    fate_(chance(schedule_.seed).fork(~0ULL)) {}

simulation::~simulation() = default;

void simulation::violation(const std::string& what) {
  tell("VIOLATION " + what);
  result_.violations.push_back(what);
}

void simulation::count_wire() {
  auto& hits = result_.hits;
  const auto& wire = broker_.counted();
  hits["wire: reply lost"] += wire.lost_replies;
  hits["wire: part"] += wire.partial;
  hits["wire: settle lost"] += wire.lost_settles;
  hits["wire: duplicate"] += wire.duplicates;
  hits["wire: reorder"] += wire.reordered;
  hits["wire: unreachable"] += wire.unreachable;
  hits["wire: refused"] += wire.refused;
  for (const auto& [what, count] : people_.counted())
    hits[what] += count;
}

void simulation::tell(const std::string& what) const {
  if (narrate_)
    std::fprintf(stderr, "%9lld ms  %s\n", static_cast<long long>(passed_),
                 what.c_str());
}

outcome simulation::run() {
  live();
  if (!broken_)
    people_.stock(*node_);
  for (const auto& one : schedule_.acts) {
    if (broken_ || !result_.violations.empty())
      break;
    trace_.add(one.number);
    tell(std::to_string(one.number) + " " + std::string(to_string(one.kind)));
    perform(one);
  }
  if (whole_ && !broken_ && result_.violations.empty())
    finish();
  result_.steps = steps_ + (node_ ? node_->steps() : 0);
  node_.reset();
  result_.disk_changes = disk_->changes();
  result_.simulated_ms = passed_;
  result_.orders = ledger_.confirmed_orders().size();
  result_.replays = ledger_.replays().size();
  count_wire();
  trace_.add(result_.steps);
  trace_.add(result_.orders);
  result_.trace_hash = trace_.hash();
  return result_;
}

// --- the process ------------------------------------------------------------

node_options simulation::options() {
  node_options of;
  of.settings = settings_;
  if (!healed_) {
    of.settings.bus.fault_duplicate = schedule_.how.log_duplicate;
    of.settings.bus.fault_reorder = schedule_.how.log_reorder;
    of.settings.bus.fault_fail = schedule_.how.log_fail;
  } else if (schedule_.how.version_two) {
    for (const auto consumer :
         {domain::inventory_consumer, domain::fulfillment_consumer,
          domain::notification_consumer})
      of.settings.consumer.supported.push_back(
        {std::string(consumer), std::string(domain::order_accepted), 2});
  }
  of.seed = chance(schedule_.seed).fork(1000 + boots_).next() | 1U;
  of.wire = schedule_.how.simulated_broker ? &broker_ : nullptr;
  of.adjust = [this](app::seams& with) {
    with.adjust_spec = [this](domain::consumer_spec& spec) {
      spec.effect = [this, name = spec.name, real = spec.effect](
                      const auto& event, const auto& context, auto& rows) {
        watch_effect(name, event);
        if (!poisoned_ || name != domain::fulfillment_consumer)
          return real(event, context, rows);
        ++result_.hits["effect failed"];
        return domain::effect_answer::fail("broken for now");
      };
    };
  };
  return of;
}

void simulation::watch_effect(const std::string& consumer,
                              const domain::event& of) {
  if (!node_ || node_->over() || !node_->running())
    return;
  const auto wrong = watch_.judge(consumer, of, node_->it().store().read());
  if (!wrong.empty())
    violation(wrong);
}

/// What a death left is judged before anybody recovers from it.
void simulation::after_death() {
  steps_ += node_->steps();
  ++result_.crashes;
  disk_ = node_->left();
  hit_place();
  tell("dead: " + node_->struck() + " " + node_->cause());
  node_.reset();
  auto left = image::read(disk_, data_directory);
  if (!left) {
    violation("I11: the disk does not open: " + left.why().detail);
    return;
  }
  check(*left, false);
  watch_.begin(*left);
}

/// Where it died: crashed, or by itself after a refusal of the disk.
void simulation::hit_place() {
  const auto place = place_of(node_->struck());
  if (node_->cause().empty())
    hit("crash: " + place);
  else
    hit((node_->ran_full() ? "full: " : "refused: ") + place);
  if (boots_ > 1 && node_->steps() < 40)
    hit("crash in recovery");
}

outside_world simulation::world() const {
  outside_world of;
  of.clients = &ledger_;
  of.wire = schedule_.how.simulated_broker ? &broker_ : nullptr;
  of.attempts_max = settings_.consumer.attempts_max;
  return of;
}

void simulation::check(const test::rows& at, bool finished) {
  for (const auto& one : broken_promises(at, world(), finished))
    violation(one);
}

void simulation::boot() {
  auto draw = chance(schedule_.seed).fork(2000 + boots_);
  node_ = std::make_unique<node>(disk_, clock_, trace_, options());
  ++boots_;
  if (boots_ <= also_.size())
    node_->plan_crash(also_[boots_ - 1], draw.fork(2));
  if (nested_ > 0) {
    --nested_;
    crash_plan again;
    again.mode = static_cast<crash_mode>(draw.below(3));
    again.at_change = draw.between(1, 80);
    node_->plan_crash(again, draw.fork(1));
  }
  const auto opened = node_->start();
  if (node_->over())
    return;
  if (!opened) {
    violation("it refuses to open: " + opened.why().detail);
    broken_ = true;
  }
}

/// Until a process lives, or none can.
void simulation::live() {
  while (!broken_ && (!node_ || node_->over())) {
    if (node_)
      after_death();
    if (!result_.violations.empty()) {
      broken_ = true;
      return;
    }
    boot();
  }
}

bool simulation::work(chance& draw, std::uint64_t steps) {
  bool any = false;
  for (std::uint64_t i = 0; i < steps && !broken_; ++i) {
    if (node_->over())
      live();
    if (broken_)
      return false;
    const bool ready = node_->ready();
    const bool wire = schedule_.how.simulated_broker && broker_.busy();
    if (!ready && !wire)
      return any;
    any = true;
    if (ready && (!wire || draw.percent(70)))
      node_->step(draw);
    else
      broker_.pump(draw);
  }
  if (!broken_ && node_->over())
    live();
  return any;
}

void simulation::rest(chance& draw) {
  std::uint64_t sum = 0;
  while (work(draw, 1000)) {
    node_->pass(0);
    sum += 1000;
    if (sum > steps_max) {
      violation("it never comes to rest");
      broken_ = true;
      return;
    }
  }
  if (!broken_ && !node_->over())
    watch_.calm(test::snapshot_rows(node_->it().store().read()));
}

void simulation::pass(chance& draw, support::unix_ms ms) {
  const auto parts = static_cast<support::unix_ms>(draw.between(1, 6));
  for (support::unix_ms i = 0; i < parts && !broken_; ++i) {
    node_->pass(ms / parts);
    passed_ += ms / parts;
    work(draw, draw.between(5, 200));
  }
}

// --- the end ----------------------------------------------------------------

void simulation::responder_round(chance& draw) {
  watch_.stir();
  people_.resume_all(*node_);
  rest(draw);
  people_.plan_all(*node_);
  rest(draw);
  people_.execute_all(*node_);
  rest(draw);
  people_.give_up(*node_);
  rest(draw);
}

/// No stream is held, waits for its time, or lacks what it is to become.
bool simulation::at_rest() {
  test::at_rest when;
  when.now = clock_.now();
  const auto rows = node_->it().store().read();
  const test::snapshot_rows at(rows);
  return test::violations(at, when).empty()
         && broken_promises(at, world(), true).empty();
}

/// Before any responder looks: records follow what was applied by itself.
void simulation::letters_follow() {
  const auto now = node_->it().store().read();
  std::vector<std::string> found;
  letter_promises(test::snapshot_rows(now), found);
  for (const auto& one : found)
    violation(one);
}

/// The faults end; whatever was accepted must arrive now.
void simulation::finish() {
  auto draw = chance(schedule_.seed).fork(3000);
  broker_.set_mood({});
  poisoned_ = false;
  healed_ = true;
  nested_ = 0;
  tell("the faults end");
  node_->crash_now(crash_mode::power, draw);
  live();
  for (int round = 0; round < 40 && !broken_; ++round) {
    rest(draw);
    if (round == 1 && !broken_)
      letters_follow();
    if (round % 3 == 2)
      responder_round(draw);
    pass(draw, static_cast<support::unix_ms>(draw.between(500, 8000)));
    rest(draw);
    if (round >= 3 && !broken_ && at_rest())
      break;
  }
  if (broken_)
    return;
  storage::audit_options audit;
  audit.now = clock_.now();
  for (const auto& one : storage::audit(node_->it().store(), audit).findings)
    violation("audit: " + std::string(to_string(one.rule)) + " " + one.what);
  if (narrate_)
    for (const auto& one : people_.what_waits(*node_))
      tell("waits: " + one + ", now " + std::to_string(clock_.now()));
  node_->crash_now(crash_mode::power, draw);
  const auto last = image::read(node_->left(), data_directory);
  if (!last)
    return violation("I11: " + last.why().detail);
  test::at_rest when;
  when.now = clock_.now();
  for (const auto& one : test::violations(*last, when))
    violation(one);
  check(*last, true);
}

outcome live_through(const schedule& of) {
  return simulation(of).run();
}

/// Leaves out ever smaller parts as long as a promise still breaks.
schedule shrink(const schedule& of) {
  auto best = of;
  for (auto part = std::max<std::size_t>(best.acts.size() / 2, 1);;) {
    bool smaller = false;
    for (std::size_t at = 0; at < best.acts.size();) {
      auto tried = best;
      const auto end = std::min(at + part, tried.acts.size());
      tried.acts.erase(tried.acts.begin() + static_cast<long>(at),
                       tried.acts.begin() + static_cast<long>(end));
      if (!live_through(tried).violations.empty()) {
        best = std::move(tried);
        smaller = true;
      } else {
        at += part;
      }
    }
    if (part == 1 && !smaller)
      return best;
    part = std::max<std::size_t>(part / 2, 1);
  }
}

} // namespace parcelflow::simulation
