// Parts of what the store owes to those outside it, each from rows and what
// that part's people know. All hold at any instant, a crash included.
// Thread rule: that of the rows. Errors: broken promises are added to `found`.
#pragma once

#include "tests/simulation/broker.hpp"
#include "tests/support/rows.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parcelflow::simulation {

/// What the broker accepted of us was committed before, and of one stream it
/// came in sequence (R2, R9). What nobody supports was applied by nobody (R11).
void wire_promises(const test::rows& at, const outer_broker& wire,
                   std::vector<std::string>& found);

/// Whatever a responder changed, the operator log said before (R21); nothing
/// is tried more often than the policy allows (R13).
void desk_promises(const test::rows& at, std::uint64_t attempts_max,
                   std::vector<std::string>& found);

/// A reservation holds what its order asks for and ends as its order ends; the
/// shelves hold what was put there less what orders took (I13).
void shelf_promises(const test::rows& at, std::vector<std::string>& found);

/// Of one at rest: no record is open whose event was applied (R14).
void letter_promises(const test::rows& at, std::vector<std::string>& found);

} // namespace parcelflow::simulation
