// The invariants of the design, read off the rows of one instant: intake atom
// (I1), accounting (I4), one effect (I5), consumer atom and order (I6),
// quarantine atom (I7), stock (I13). It knows keys and record decoders and
// nothing else of the product, so that a wrong store or rule cannot agree with
// itself here.
// Thread rule: that of the rows. Errors: what is violated
// comes back as sentences; none is good.
#pragma once

#include "support/clock.hpp"
#include "tests/support/rows.hpp"

#include <string>
#include <vector>

namespace parcelflow::test {

struct at_rest {
  support::unix_ms now = 0;
  /// How long a reservation without an order may outlive its deadline.
  support::unix_ms grace_ms = 5000;
  /// Events of streams that wait for a hole may be missing from the room: the
  /// bus lost them on purpose and nobody resent them yet.
  bool holes_allowed = false;
};

[[nodiscard]] std::vector<std::string> violations(const rows& at,
                                                  const at_rest& when);
[[nodiscard]] inline std::vector<std::string>
violations(const storage::snapshot& at, const at_rest& when) {
  return violations(snapshot_rows(at), when);
}

} // namespace parcelflow::test
