#include "bus/consumer_line.hpp"

#include "support/log.hpp"

#include <algorithm>
#include <memory>

namespace parcelflow::bus {

namespace log = support::log;

consumer_line::consumer_line(subscription what, delivery_sink sink,
                             std::uint64_t settled_up_to)
  : what_(std::move(what)), sink_(std::move(sink)),
    book_(settled_up_to, what_.in_flight_max) {}

std::size_t consumer_line::fresh_ready(std::uint64_t last) const noexcept {
  if (book_.next() > last)
    return 0;
  return std::min<std::uint64_t>(book_.room(), last - book_.next() + 1);
}

void consumer_line::add_retries(std::size_t batch_max, const log_reader& read,
                                delivery_batch& batch) {
  while (batch.size() < batch_max && !stopped_) {
    const auto position = book_.waiting_retry();
    if (!position)
      return;
    if (read(*position, 1, batch) == 0)
      return stop("the log lacks an event that was given back");
    book_.hand_over_retry();
    ++tally_.redelivered;
  }
}

bool consumer_line::deliver(std::uint64_t last, std::size_t batch_max,
                            const log_reader& read) {
  if (stopped_)
    return false;
  auto batch = std::make_shared<delivery_batch>();
  add_retries(batch_max, read, *batch);
  const auto wanted = std::min(fresh_ready(last), batch_max - batch->size());
  if (wanted > 0 && !stopped_) {
    const auto got = read(book_.next(), wanted, *batch);
    if (got == 0)
      stop("the log lacks the next event");
    book_.hand_over(got);
  }
  if (!batch->empty()) {
    tally_.delivered += batch->size();
    sink_(std::move(batch));
  }
  return !stopped_ && (book_.waiting_retry() || fresh_ready(last) > 0);
}

bool consumer_line::settle(const std::vector<settled>& what) {
  const auto before = book_.settled_up_to();
  for (const auto& one : what)
    if (book_.settle(one.token, one.how) && one.how == settlement::ack)
      ++tally_.acked;
  return book_.settled_up_to() != before;
}

void consumer_line::stop(std::string_view why) {
  if (std::exchange(stopped_, true))
    return;
  log::error("bus", "consumer stopped: restart it from history",
             {{"topic", what_.topic},
              {"consumer", what_.consumer},
              {"why", why},
              {"settled_up_to", book_.settled_up_to()}});
}

} // namespace parcelflow::bus
