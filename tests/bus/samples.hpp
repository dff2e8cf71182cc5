// Events and a sink for the tests of the bus.
#pragma once

#include "bus/event_bus.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parcelflow::test {

/// An event of tenant acme: `sequence` of stream `aggregate`.
[[nodiscard]] domain::event_ptr sample_event(const std::string& aggregate,
                                             std::uint64_t sequence);
/// Sequences first … last of one stream, offered for the first time.
[[nodiscard]] std::vector<bus::offered>
sample_batch(const std::string& aggregate, std::uint64_t first,
             std::uint64_t last);
/// "<aggregate>/<sequence>", or "?" for bytes that did not parse.
[[nodiscard]] std::string name_of(const bus::delivery& one);

/// Keeps what one consumer was given. From any thread.
class recording_sink {
public:
  [[nodiscard]] bus::delivery_sink sink() const;
  [[nodiscard]] std::vector<bus::delivery> seen() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::size_t count() const;
  /// Every delivery so far, to be settled.
  [[nodiscard]] std::vector<bus::settled>
  all(bus::settlement how = bus::settlement::ack) const;

private:
  struct state {
    std::mutex mutex;
    std::vector<bus::delivery> seen;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// The answers to one publish, once they came.
class recording_done {
public:
  [[nodiscard]] bus::publish_done done() const;
  [[nodiscard]] bool came() const;
  /// How often done was called.
  [[nodiscard]] std::size_t calls() const;
  [[nodiscard]] std::vector<bus::publish_result> results() const;
  [[nodiscard]] std::size_t accepted() const;

private:
  struct state {
    std::mutex mutex;
    std::size_t calls = 0;
    std::vector<bus::publish_result> results;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

} // namespace parcelflow::test
