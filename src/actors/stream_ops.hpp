// What a responder asks of one stream at one consumer: replay, waive, skip,
// redirect. It goes as a message to the owner that hosts the consumer, and so
// queues behind live deliveries, never beside them.
//
// `answer` is called once, on the owner's thread, after what it says is
// durable. Thread rule: made once, then not changed. Errors: faults in the
// answer: not_found, illegal_transition with what is allowed instead.
#pragma once

#include "domain/failure.hpp"
#include "domain/replay.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace parcelflow::actors {

/// What became of it.
struct stream_result {
  std::uint64_t position = 0; ///< of the stream, afterwards
  // of a replay alone
  domain::item_state state = domain::item_state::refused;
  domain::via door = domain::via::delivery;
  std::string reason;
  std::string earlier_replay;
};

struct stream_op {
  enum class verb : std::uint8_t { replay, waive, skip, redirect };
  verb what = verb::replay;
  std::string consumer;
  std::string tenant_id;
  std::string aggregate_id;
  std::uint64_t sequence = 0;
  std::string dead_letter_id; ///< replay, waive
  // of a replay
  std::string replay_id;
  std::string event_id;
  domain::sha256_digest digest{};
  // of the others
  std::string actor;
  std::string reason;
  std::string to_consumer; ///< redirect
  std::function<void(domain::outcome<stream_result>)> answer;
};
using stream_op_ptr = std::shared_ptr<const stream_op>;

} // namespace parcelflow::actors
