// One actor alone: its store, its clock, and a committer that writes when the
// test says so. `die` is a kill: what is staged or in a round that was not
// written is lost with the process; the next life opens the same directory.
// Thread rule: the test's thread.
#pragma once

#include "actors/round_writer.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/metrics.hpp"
#include "tests/actors/neighbours.hpp"

#include <caf/exit_reason.hpp>

#include <memory>
#include <optional>

namespace parcelflow::test {

class lone {
public:
  lone() { live(); }
  lone(const lone&) = delete;
  lone& operator=(const lone&) = delete;

  void live() {
    store = open_or_throw(options_for(place.path()));
    on.emplace();
    way = {store.get(), on->spawn(holding_committer, &held)};
    ids = std::make_shared<support::seeded_id_source>(clock, ++lives_);
  }
  template <class Actor>
  void die(Actor& subject) {
    caf::anon_send_exit(subject, caf::exit_reason::kill);
    on->run();
    subject = Actor{};
    held.clear();
    way = {};
    on.reset();
    store.reset();
  }

  void run() { on->run(); }
  void pass(support::unix_ms ms) {
    clock.advance(ms);
    on->pass(std::chrono::milliseconds(ms));
  }
  /// Writes the rounds that were asked for.
  void commit() {
    commit_held(*store, held);
    run();
  }
  /// Until nobody asks for a round any more.
  void commit_all() {
    while (!held.empty())
      commit();
  }
  std::optional<std::string> stored(storage::owner of, const std::string& key) {
    return store->read().get(of, key);
  }

  temp_directory place;
  support::metrics metrics;
  support::manual_clock clock{1'800'000'000'000};
  std::shared_ptr<support::id_source> ids;
  std::unique_ptr<storage::store> store;
  held_rounds held;
  std::optional<stage> on;
  actors::commit_way way;

private:
  std::uint64_t lives_ = 0;
};

} // namespace parcelflow::test
