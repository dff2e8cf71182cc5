#include "actors/committer.hpp"

#include "support/assert.hpp"

#include <chrono>

namespace parcelflow::actors {

std::vector<round_listener> committer_state::write_round() {
  PF_ASSERT(!waiting.empty());
  std::vector<storage::sealed_batch_ptr> batches;
  std::vector<round_listener> owners;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  while (!waiting.empty()) {
    const auto& next = *waiting.front().first;
    if (!batches.empty()
        && (rows + next.rows() > limits.batch_rows_max
            || bytes + next.bytes() > limits.batch_bytes_max))
      break;
    rows += next.rows();
    bytes += next.bytes();
    batches.push_back(std::move(waiting.front().first));
    owners.push_back(std::move(waiting.front().second));
    waiting.pop_front();
  }
  const auto begin = std::chrono::steady_clock::now();
  store->commit(batches);
  const std::chrono::duration<double> took =
    std::chrono::steady_clock::now() - begin;
  sync_seconds.observe(took.count());
  group_rows.observe(static_cast<double>(rows));
  return owners;
}

committer_actor::behavior_type
committer(committer_actor::stateful_pointer<committer_state> self,
          storage::store* store, committer_limits limits,
          support::metrics* metrics) {
  auto& state = self->state;
  state.store = store;
  state.limits = limits;
  state.group_rows =
    metrics->histogram("parcelflow_commit_rows", "Rows a round",
                       {1, 4, 16, 64, 256, 1024, 4096, 16384});
  state.sync_seconds = metrics->histogram(
    "parcelflow_commit_seconds", "Write and sync of a round",
    {0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1, 5});
  return {
    [self](stage_atom, storage::sealed_batch_ptr& batch,
           round_listener& owner) {
      auto& s = self->state;
      s.waiting.emplace_back(std::move(batch), std::move(owner));
      if (!s.armed)
        self->send(self, round_atom::value);
      s.armed = true;
    },
    [self](round_atom) {
      auto& s = self->state;
      for (const auto& owner : s.write_round())
        self->send(owner, durable_atom::value);
      s.armed = !s.waiting.empty();
      if (s.armed)
        self->send(self, round_atom::value);
    },
  };
}

} // namespace parcelflow::actors
