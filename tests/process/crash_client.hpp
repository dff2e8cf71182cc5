// One outside client of a daemon that keeps dying: by its seed it places
// orders, repeats keys, is declined, cancels and completes, one request at a
// time, each in the ledger before it leaves. What stays unanswered is asked
// again, with the same key, before anything else.
// Owner: the test. Thread rule: `run` on a thread of its own; the door is set
// by the test while it runs. Errors: none here; the books judge the answers.
#pragma once

#include "tests/process/crash_ledger.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace parcelflow::test {

/// The daemon's port; 0 while there is none.
using crash_door = std::atomic<std::uint16_t>;

constexpr std::int64_t crash_stock = 1'000'000; ///< of each tenant, at first

struct crash_account {
  std::string name = {}; ///< of the client; its keys begin with it
  std::string tenant = {};
  std::string token = {};
};

class crash_client {
public:
  crash_client(crash_account who, std::uint32_t seed, crash_ledger& to,
               const crash_door& door)
    : who_(std::move(who)), chance_(seed), ledger_(to), door_(door) {}

  /// Until told to stop and nothing is unanswered. False if no answer came
  /// then: for a while, or because the door is closed.
  bool run(const std::stop_token& stop);

private:
  [[nodiscard]] crash_intent next();
  [[nodiscard]] crash_intent about(crash_verb verb, std::string key);
  /// False if it stayed open what became of it.
  bool ask(const crash_intent& what);
  void pause(std::chrono::milliseconds at_most);

  crash_account who_;
  std::mt19937 chance_;
  crash_ledger& ledger_;
  const crash_door& door_;
  std::uint64_t placed_ = 0;
  std::vector<std::string> keys_; ///< acknowledged, oldest first
  std::map<std::string, known_order> orders_;
};

} // namespace parcelflow::test
