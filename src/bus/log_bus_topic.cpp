#include "bus/log_bus_topic.hpp"

#include "bus/log_bus_rows.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <limits>

namespace parcelflow::bus {

namespace log = support::log;
using storage::topic_cursor_key;
using storage::topic_log_key;

namespace {

std::uint64_t position_of(std::string_view key) {
  storage::key_reader in(key);
  in.text();
  const auto position = in.number();
  PF_ASSERT(in.complete());
  return position;
}

std::string consumer_of(std::string_view key) {
  storage::key_reader in(key);
  in.text();
  auto consumer = in.text();
  PF_ASSERT(in.complete());
  return consumer;
}

} // namespace

log_topic::log_topic(std::string name, storage::family& rows,
                     const log_bus_options& options)
  : name_(std::move(name)), rows_(rows), options_(options),
    recent_(options.cache_bytes_max) {
  load_cursors();
  load_ends();
}

void log_topic::load_cursors() {
  const auto prefix =
    storage::key_writer(storage::kind::topic_cursor).text(name_).take();
  rows_.scan(prefix, storage::prefix_end(prefix), [&](auto key, auto value) {
    const auto settled_up_to = decode_log_cursor(value);
    if (!settled_up_to)
      log::error("bus", "cursor is damaged: its consumer begins anew",
                 {{"topic", name_}, {"consumer", consumer_of(key)}});
    else
      cursors_.emplace(consumer_of(key), *settled_up_to);
    return true;
  });
}

/// Two seeks: a start does not read the log.
void log_topic::load_ends() {
  const auto from = topic_log_key(name_, 0);
  const auto prefix =
    storage::key_writer(storage::kind::topic_log).text(name_).take();
  const auto upper = storage::prefix_end(prefix);
  const auto newest = rows_.last(from, upper);
  if (!newest)
    return;
  durable_last_ = position_of(newest->first);
  next_ = durable_last_ + 1;
  rows_.scan(from, upper, [&](auto key, auto value) {
    const auto last = position_of(key);
    // A damaged first row is taken to begin where its first reader stands.
    first_ = first_in_log_row(value, last)
               .value_or(std::min(last, slowest_cursor() + 1));
    return false;
  });
}

std::uint64_t log_topic::stage(const std::vector<offered>& batch) {
  const auto first = next_;
  next_ += batch.size();
  rows_.put(topic_log_key(name_, next_ - 1), encode_log_row(first, batch));
  return first;
}

void log_topic::became_durable(std::uint64_t first,
                               std::vector<offered> batch) {
  PF_ASSERT(first == durable_last_ + 1);
  durable_last_ += batch.size();
  PF_ASSERT(durable_last_ < next_);
  recent_.append(first, std::move(batch));
}

/// The position up to which `what` has nothing more to ask for.
std::uint64_t log_topic::start_of(const subscription& what) {
  const auto known = cursors_.find(what.consumer);
  const bool lost = known != cursors_.end() && known->second + 1 < first_;
  const auto& told = options_.restart_from_history;
  const bool restart =
    lost && std::find(told.begin(), told.end(), what.consumer) != told.end();
  if (known != cursors_.end() && !restart)
    return known->second;
  const auto start = what.from_now && !restart ? next_ - 1 : first_ - 1;
  // Durable at once: the log must not be cut in front of a consumer that a
  // crash made look new.
  rows_.put(topic_cursor_key(name_, what.consumer), encode_log_cursor(start));
  cursors_[what.consumer] = start;
  return start;
}

void log_topic::subscribe(subscription what, delivery_sink sink) {
  const auto start = start_of(what);
  PF_ASSERT(start < next_);
  auto& line = *lines_.emplace_back(
    std::make_unique<consumer_line>(std::move(what), std::move(sink), start));
  if (start + 1 < first_)
    line.stop("the log was cut in front of it");
}

void log_topic::settle(const std::string& consumer,
                       const std::vector<settled>& what) {
  for (auto& line : lines_)
    if (line->what().consumer == consumer)
      line->settle(what);
}

bool log_topic::deliver() {
  bool more = false;
  const auto lines = lines_.size();
  for (std::size_t i = 0; i < lines; ++i)
    more |= lines_[(turn_ + i) % lines]->deliver(
      durable_last_, options_.delivery_events_max,
      [this](auto from, auto count, auto& out) {
        return read(from, count, out);
      });
  ++turn_;
  return more;
}

std::size_t log_topic::read(std::uint64_t from, std::size_t count,
                            delivery_batch& out) {
  const auto taken = recent_.read(from, count, name_, out);
  return taken > 0 ? taken : read_rows(from, count, out);
}

/// Rows are keyed by their last position, so a seek to `from` finds the row
/// that holds it.
std::size_t log_topic::read_rows(std::uint64_t from, std::size_t count,
                                 delivery_batch& out) const {
  std::size_t taken = 0;
  std::size_t bytes = 0;
  const auto upper = topic_log_key(name_, durable_last_ + 1);
  rows_.scan(topic_log_key(name_, from), upper, [&](auto key, auto value) {
    const log_range wanted{from + taken, count - taken, name_};
    const auto got = read_log_row(value, position_of(key), wanted, out);
    taken += got;
    bytes += value.size();
    return got > 0 && taken < count && bytes < options_.read_bytes_max;
  });
  return taken;
}

void log_topic::stage_cursors() {
  for (const auto& line : lines_) {
    const auto now = line->book().settled_up_to();
    auto& staged = cursors_[line->what().consumer];
    if (staged != now)
      rows_.put_lazily(topic_cursor_key(name_, line->what().consumer),
                       encode_log_cursor(now));
    staged = now;
  }
}

void log_topic::stage_cursors_urgently() {
  for (const auto& line : lines_)
    rows_.put(topic_cursor_key(name_, line->what().consumer),
              encode_log_cursor(line->book().settled_up_to()));
}

/// Of all that ever subscribed, except those that were stopped.
std::uint64_t log_topic::slowest_cursor() const {
  constexpr auto none = std::numeric_limits<std::uint64_t>::max();
  auto slowest = none;
  for (const auto& [consumer, settled_up_to] : cursors_)
    if (settled_up_to + 1 >= first_)
      slowest = std::min(slowest, settled_up_to);
  return slowest == none ? 0 : slowest;
}

/// The newest position that is older than `retention`; 0 if none is.
std::uint64_t log_topic::outlived() {
  const auto now = options_.uptime();
  const auto marked = checkpoints_.empty() ? 0 : checkpoints_.back().last;
  if (durable_last_ - marked >= options_.trim_step_events)
    checkpoints_.push_back({now, durable_last_});
  std::uint64_t position = 0;
  while (!checkpoints_.empty()
         && (checkpoints_.front().last < first_
             || now - checkpoints_.front().at >= options_.retention)) {
    position = checkpoints_.front().last;
    checkpoints_.pop_front();
  }
  return position;
}

void log_topic::trim() {
  const auto expired = outlived();
  if (durable_last_ == 0)
    return;
  // The newest row stays: a start learns the next position from it.
  const auto up_to =
    std::min(std::max(slowest_cursor(), expired), durable_last_ - 1);
  const bool enough = up_to + 1 >= first_ + options_.trim_step_events;
  if (up_to < first_ || (!enough && expired < first_))
    return;
  // Cursors that moved are staged before, so no crash separates the two.
  rows_.erase_range(topic_log_key(name_, first_),
                    topic_log_key(name_, up_to + 1));
  first_ = up_to + 1;
  for (auto& line : lines_)
    if (line->book().settled_up_to() + 1 < first_)
      line->stop("the log was cut in front of it: beyond its retention");
  log::info("bus", "log trimmed", {{"topic", name_}, {"first", first_}});
}

void log_topic::count(bus_counters& into) const {
  into.topics.push_back({name_, first_, next_});
  for (const auto& line : lines_) {
    const auto& book = line->book();
    const auto& tally = line->counted();
    into.consumers.push_back(
      {name_, line->what().consumer, book.settled_up_to(),
       durable_last_ - std::min(durable_last_, book.settled_up_to()),
       book.in_flight(), tally.delivered, tally.redelivered, tally.acked,
       line->stopped()});
  }
}

} // namespace parcelflow::bus
