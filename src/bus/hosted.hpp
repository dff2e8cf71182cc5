// The side of an embedded adapter that its host sees: it has no thread and no
// timer, so one actor lends it both. After each `wake`, the host calls step();
// then, as for any owner: seal what rows() holds once must_commit(), have it
// committed, and call rows().round_done(), whose continuations answer
// publishers and deliver. It goes on until close() called back.
// Thread rule: step and rows on the host's thread; counters from any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parcelflow::storage {
class family;
} // namespace parcelflow::storage

namespace parcelflow::bus {

struct topic_counters {
  std::string topic;
  std::uint64_t first_position = 1; ///< the oldest that is kept
  std::uint64_t next_position = 1;  ///< of the next event
};

struct consumer_counters {
  std::string topic;
  std::string consumer;
  std::uint64_t settled_up_to = 0;
  std::uint64_t lag = 0; ///< events in the log that are not settled
  std::uint64_t in_flight = 0;
  std::uint64_t delivered = 0;   ///< since the start, each time counted
  std::uint64_t redelivered = 0; ///< of these: again, after a retry
  std::uint64_t acked = 0;
  bool stopped = false; ///< the log was cut in front of it
};

struct bus_counters {
  std::uint64_t appended = 0; ///< events made durable since the start
  std::vector<topic_counters> topics;
  std::vector<consumer_counters> consumers;
};

class hosted {
public:
  virtual ~hosted() = default;
  /// Takes what came, stages rows, delivers what is durable.
  virtual void step() = 0;
  [[nodiscard]] virtual storage::family& rows() = 0;
  [[nodiscard]] virtual bus_counters counters() const = 0;
};

} // namespace parcelflow::bus
