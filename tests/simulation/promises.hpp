// What the store owes to those outside it, at any instant, a crash included:
// what clients were told (I1, I2, I5) and what the broker heard (I2, I4, I7).
// With `finished` also what must have become of every order once everything
// has come to rest. It knows keys and record decoders and nothing else of the
// product.
// Thread rule: that of the rows. Errors: broken promises come back as
// sentences; none is good.
#pragma once

#include "tests/simulation/broker.hpp"
#include "tests/simulation/ledger.hpp"
#include "tests/support/rows.hpp"

#include <string>
#include <vector>

namespace parcelflow::simulation {

struct outside_world {
  const ledger* clients = nullptr;
  const outer_broker* wire = nullptr; ///< null: the embedded log
  std::uint64_t attempts_max = 0;
};

[[nodiscard]] std::vector<std::string>
broken_promises(const test::rows& at, const outside_world& of, bool finished);

} // namespace parcelflow::simulation
