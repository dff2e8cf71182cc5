// The committer alone: what queued up is one write, inside its caps, in order.
#include "actors/committer.hpp"
#include "tests/actors/neighbours.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::actors;
using storage::owner;

namespace {

round_listener::behavior_type listening(round_listener::pointer,
                                        std::vector<std::string>* heard,
                                        const std::string& name) {
  return {[=](durable_atom) { heard->push_back(name); }};
}

struct fixture {
  explicit fixture(committer_limits limits = {}) {
    auto options = test::options_for(place.path());
    options.on_round = [this](std::string_view bytes) {
      rounds.emplace_back(bytes);
      heard_at_round.push_back(heard.size());
    };
    store = test::open_or_throw(std::move(options));
    rounds.clear(); // of the opening
    heard_at_round.clear();
    on.emplace();
    subject = on->spawn(committer, store.get(), limits, &metrics);
    for (const auto of : {owner::order, owner::relay, owner::bus}) {
      families.push_back(store->take(of));
      listeners.push_back(
        on->spawn(listening, &heard, std::string(storage::to_string(of))));
    }
  }

  /// The n-th owner stages `rows` rows of `size` bytes each.
  void stage(std::size_t who, std::size_t rows, std::size_t size = 1) {
    for (std::size_t i = 0; i < rows; ++i)
      families[who].put("row-" + std::to_string(++keys),
                        std::string(size, 'x'));
    caf::anon_send(subject, stage_atom::value, families[who].seal(),
                   listeners[who]);
  }
  /// How many rows each round wrote, read off the keys in it.
  std::vector<std::size_t> rows_a_round() const {
    std::vector<std::size_t> all;
    for (const auto& round : rounds) {
      all.push_back(0);
      for (auto at = round.find("row-"); at != std::string::npos;
           at = round.find("row-", at + 1))
        all.back() += 1;
    }
    return all;
  }

  /// Who heard, whichever actor the scheduler ran first.
  std::vector<std::string> sorted() const {
    auto all = heard;
    std::sort(all.begin(), all.end());
    return all;
  }

  test::temp_directory place;
  support::metrics metrics;
  std::vector<std::string> heard;
  std::vector<std::string> rounds;
  std::vector<std::size_t> heard_at_round;
  std::size_t keys = 0;
  std::unique_ptr<storage::store> store;
  std::optional<test::stage> on;
  std::vector<storage::family> families;
  std::vector<round_listener> listeners;
  committer_actor subject;
};

using counts = std::vector<std::size_t>;
using names = std::vector<std::string>;

} // namespace

TEST_CASE("what queued up is one write, and each owner hears of its own") {
  fixture f;
  f.stage(0, 2);
  f.stage(1, 1);
  f.stage(0, 1);
  CHECK(f.rounds.empty());
  f.on->run();
  CHECK(f.rows_a_round() == counts{4});
  CHECK(f.heard_at_round == counts{0}); // nobody hears before it is written
  CHECK(f.sorted() == names{"order", "order", "relay"});
  CHECK(f.store->read().get(owner::order, "row-4").has_value());
  CHECK(f.store->read().get(owner::relay, "row-3").has_value());
  f.stage(2, 1); // and again, when it had nothing to do
  f.on->run();
  CHECK(f.rows_a_round() == counts{4, 1});
  CHECK(f.heard.back() == "bus");
}

TEST_CASE("a round stays inside its rows, and what is left is the next one") {
  committer_limits limits;
  limits.batch_rows_max = 3;
  fixture f(limits);
  f.stage(0, 2);
  f.stage(1, 1);
  f.stage(2, 1);
  f.stage(0, 5); // larger than a round: alone, never split
  f.stage(1, 1);
  f.on->run();
  CHECK(f.rows_a_round() == counts{3, 1, 5, 1});
  CHECK(f.sorted() == names{"bus", "order", "order", "relay", "relay"});
  const counts written_before{0, 2, 3, 4}; // batches: who may know by then
  for (std::size_t i = 0; i < written_before.size(); ++i)
    CHECK(f.heard_at_round[i] <= written_before[i]);
}

TEST_CASE("a round stays inside its bytes") {
  committer_limits limits;
  limits.batch_bytes_max = 10'000;
  fixture f(limits);
  f.stage(0, 1, 4000);
  f.stage(1, 1, 4000);
  f.stage(2, 1, 4000);
  f.on->run();
  CHECK(f.rows_a_round() == counts{2, 1});
  CHECK(f.sorted() == names{"bus", "order", "relay"});
}
