// What stands around one actor in its test: a store in a directory of its own,
// a committer that commits when the test says so, and whoever it answers.
#pragma once

#include "actors/interfaces.hpp"
#include "tests/storage/store_fixture.hpp"
#include "tests/support/stage.hpp"

#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

/// Rounds that were asked for and are not written.
using held_rounds =
  std::vector<std::pair<storage::sealed_batch_ptr, actors::round_listener>>;

inline actors::committer_actor::behavior_type
holding_committer(actors::committer_actor::pointer, held_rounds* held) {
  return {
    [held](actors::stage_atom, storage::sealed_batch_ptr& batch,
           actors::round_listener& owner) {
      held->emplace_back(std::move(batch), std::move(owner));
    },
    [](actors::round_atom) {},
  };
}

/// Writes what is held, and says so.
inline void commit_held(storage::store& into, held_rounds& held) {
  for (auto& [batch, owner] : std::exchange(held, {})) {
    into.commit({&batch, 1});
    caf::anon_send(owner, actors::durable_atom::value);
  }
}

} // namespace parcelflow::test
