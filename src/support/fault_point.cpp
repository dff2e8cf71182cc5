#include "support/fault_point.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

namespace parcelflow::support {

const std::vector<std::string_view>& fault_point_names() {
  static const std::vector<std::string_view> names = {
    "order.after_reserve",       "order.before_commit",
    "order.after_commit",        "relay.before_publish",
    "relay.after_publish",       "relay.before_receipt",
    "relay.after_receipt",       "bus.after_append",
    "consumer.before_commit",    "consumer.after_commit",
    "consumer.after_park",       "consumer.after_tell",
    "consumer.before_settle",    "consumer.after_settle",
    "consumer.in_effect",        "consumer.after_attempt",
    "dead_letter.before_commit", "dead_letter.after_commit",
    "inventory.after_release",   "replay.before_start",
    "replay.after_start",        "replay.after_sent",
    "replay.after_attempt",      "replay.before_result",
    "replay.after_result",       "ops.after_log",
  };
  return names;
}

#ifdef PARCELFLOW_FAULT_POINTS
namespace {

struct armed_point {
  std::string name;
  std::atomic<std::uint64_t> left{0};
  std::atomic<bool> armed{false};
  std::function<void(std::string_view)> strike = [](std::string_view) {
    ::kill(::getpid(), SIGKILL);
  };
};

armed_point& point() {
  static armed_point the_point;
  return the_point;
}

} // namespace

bool arm_fault_point(std::string_view name, std::uint64_t countdown) {
  const auto& names = fault_point_names();
  if (std::find(names.begin(), names.end(), name) == names.end()
      || countdown == 0)
    return false;
  point().name = name;
  point().left = countdown;
  point().armed = true;
  return true;
}

void on_fault_point(std::function<void(std::string_view)> strike) {
  point().strike = std::move(strike);
}

void fault_point(std::string_view name) {
  auto& p = point();
  if (!p.armed.load(std::memory_order_relaxed) || name != p.name)
    return;
  if (p.left.fetch_sub(1) == 1) {
    p.armed = false;
    p.strike(name);
  }
}
#else
bool arm_fault_point(std::string_view, std::uint64_t) {
  return false;
}
void on_fault_point(std::function<void(std::string_view)>) {}
#endif

} // namespace parcelflow::support
