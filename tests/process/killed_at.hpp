// One crash, from start to verdict, with the real daemon and a real SIGKILL.
//
// Start with the point armed; run the ledger until the process dies at it;
// start again without the point; ask for what stayed unanswered with the same
// keys; wait until all is at rest; SIGTERM, exit 0; audit the directory.
// Owner: the test. Thread rule: one thread. Errors: fail the test; a point that
// was not reached fails it too.
#pragma once

#include "tests/process/order_ledger.hpp"
#include "tests/support/temp_directory.hpp"

#include <cstdint>
#include <string>

namespace parcelflow::test {

/// Short waits and no crash point: a crash costs little more than two starts.
[[nodiscard]] arguments quick_flags();

/// The quick ones, and more.
[[nodiscard]] arguments and_flags(const arguments& more);

struct crash_plan {
  std::string point = {};
  std::uint64_t countdown = 1; ///< strikes at this passage
  arguments flags = {};        ///< besides the quick ones
  /// A client that goes on ordering until the process dies: several events may
  /// share a passage, so how many it takes is not known before.
  bool orders_on = true;
};

class crash_case {
public:
  /// A start with the point armed, and the death that must follow.
  void dies_at(const crash_plan& plan);
  /// A start without any point, up to an audited, closed directory.
  void recovers(const arguments& flags = quick_flags());

  temp_directory files;
  daemon_process daemon{files / "data", "crash-lab"};
  order_ledger ledger{daemon};
};

/// The whole case, at the first passage of a point and at a later one, with one
/// synced write for all owners and with one for each.
void survives(crash_plan plan, std::uint64_t later);
inline void survives(const std::string& point, std::uint64_t later) {
  survives({point, 1, {}, true}, later);
}

} // namespace parcelflow::test
