// What the desk sends to the actors behind it, one struct a verb. `answer` is
// called once, on the answering actor's thread, after what it says is durable.
// Thread rule: made once, then not changed.
#pragma once

#include "actors/ops_desk.hpp"
#include "actors/stream_ops.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace parcelflow::actors {

struct resend_request;

struct plan_request {
  ops_caller who;
  domain::dead_letter_filter filter;
  ops_answer<plan_ptr> answer;
};
using plan_request_ptr = std::shared_ptr<const plan_request>;

struct show_plan_request {
  std::string tenant_id;
  std::string plan_id;
  ops_answer<plan_ptr> answer;
};
using show_plan_ptr = std::shared_ptr<const show_plan_request>;

struct execute_request {
  ops_caller who;
  std::string plan_id;
  std::uint32_t rate_per_s = 0;
  plan_ptr plan; ///< filled in by the planner; null if it knows none
  ops_answer<replay_ticket> answer;
};
using execute_ptr = std::shared_ptr<const execute_request>;

struct cancel_request {
  ops_caller who;
  std::string replay_id;
  ops_answer<domain::replay> answer;
};
using cancel_ptr = std::shared_ptr<const cancel_request>;

struct correction {
  enum class verb : std::uint8_t { waive, skip, redirect, resend };
  verb what = verb::waive;
  ops_caller who;
  std::string dead_letter_id; ///< waive
  stream_name stream;         ///< the others
  std::uint64_t from = 0;     ///< skip: the sequence; resend: the first
  std::uint64_t to = 0;       ///< resend: the last
  std::string to_consumer;    ///< redirect
  ops_answer<domain::dead_letter> waived;
  ops_answer<std::uint64_t> answer; ///< position, or how many were resent
};
using correction_ptr = std::shared_ptr<const correction>;

struct pause_request {
  ops_caller who;
  domain::pause_target target;
  bool resume = false;
  ops_answer<domain::pause_set_ptr> answer;
};
using pause_request_ptr = std::shared_ptr<const pause_request>;

struct note_request {
  domain::log_entry entry;
  ops_answer<std::uint64_t> answer;
};
using note_ptr = std::shared_ptr<const note_request>;

/// What a consumer said of one item of a replay.
struct item_result {
  std::string tenant_id;
  std::string replay_id;
  std::uint64_t number = 0;
  stream_result result;
};

/// The owners whom the dead-letter owner asks; known once all are spawned.
struct ops_neighbours {
  std::map<std::string, std::function<void(stream_op_ptr)>, std::less<>>
    consumers;
  std::function<void(const resend_request&)> resend;
  std::function<void(const domain::pause_set_ptr&)> obey;
};
using neighbours_ptr = std::shared_ptr<const ops_neighbours>;

/// Something to be done on an actor's own thread.
using errand = std::shared_ptr<const std::function<void()>>;

} // namespace parcelflow::actors
