// The committer: ONE merged, synced write a round for all owners. A round is
// what queued up during the last sync; there is no timer. It writes and says
// so; continuations run on the owners' own threads, never here.
// Thread rule: an actor; detached in the daemon. Errors: fail-stop (R30).
#pragma once

#include "actors/interfaces.hpp"
#include "storage/store.hpp"
#include "support/metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <utility>
#include <vector>

namespace parcelflow::actors {

struct committer_limits {
  std::size_t batch_rows_max = 20000;       ///< rows a round
  std::size_t batch_bytes_max = 32U << 20U; ///< bytes a round
};

struct committer_state {
  static inline constexpr const char* name = "committer";

  storage::store* store = nullptr;
  committer_limits limits;
  std::deque<std::pair<storage::sealed_batch_ptr, round_listener>> waiting;
  bool armed = false;
  support::histogram group_rows;
  support::histogram sync_seconds;

  /// Takes as many batches as the caps allow, at least one, and writes them;
  /// whoever waited for them.
  std::vector<round_listener> write_round();
};

committer_actor::behavior_type
committer(committer_actor::stateful_pointer<committer_state> self,
          storage::store* store, committer_limits limits,
          support::metrics* metrics);

} // namespace parcelflow::actors
