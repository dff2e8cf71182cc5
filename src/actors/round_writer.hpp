// How an owner actor gets its staged rows into a round. The owner calls `arm`
// at the end of each handler; a flush message to itself then seals everything
// that its mailbox held by then (a group needs no timer). With a committer the
// batch joins the round of all owners; without one (storage.committer =
// per_owner) the owner writes and syncs for itself. Both keep the same order:
// durable first, then the continuations, on the owner's own thread.
#pragma once

#include "actors/interfaces.hpp"
#include "storage/family.hpp"
#include "storage/store.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <optional>
#include <utility>

namespace parcelflow::actors {

/// Where batches go.
struct commit_way {
  storage::store* store = nullptr; ///< outlives every actor
  committer_actor committer;       ///< none: each owner for itself
};

class round_writer {
public:
  round_writer(storage::family rows, commit_way way)
    : owned_(std::move(rows)), rows_(*owned_), way_(std::move(way)) {}
  /// Of a family that someone else holds for this actor.
  round_writer(storage::family* rows, commit_way way)
    : rows_(*rows), way_(std::move(way)) {}
  round_writer(const round_writer&) = delete;
  round_writer& operator=(const round_writer&) = delete;

  [[nodiscard]] storage::family& rows() noexcept { return rows_; }

  /// Asks for a flush if something staged must be committed, or `also`.
  template <class Self>
  void arm(Self* self, bool also = false) {
    if (armed_ || !(also || rows_.must_commit()))
      return;
    armed_ = true;
    self->send(self, flush_atom::value);
  }

  /// The flush message came: what is staged goes into a round.
  template <class Self>
  void flush(Self* self) {
    armed_ = false;
    if (!rows_.must_commit())
      return;
    auto batch = rows_.seal();
    if (way_.committer) {
      self->send(way_.committer, stage_atom::value, std::move(batch),
                 round_listener(self));
      return;
    }
    way_.store->commit({&batch, 1});
    // The same way on as with a committer: the owner's own handler.
    self->send(self, durable_atom::value);
  }

  /// Nothing staged and nothing in a round.
  [[nodiscard]] bool idle() const noexcept {
    return !rows_.must_commit() && rows_.in_rounds() == 0;
  }

private:
  std::optional<storage::family> owned_;
  storage::family& rows_;
  commit_way way_;
  bool armed_ = false;
};

} // namespace parcelflow::actors
