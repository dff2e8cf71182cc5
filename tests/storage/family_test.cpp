#include "storage/keys.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace parcelflow::storage;
using namespace parcelflow::test;

namespace {

struct one_family {
  temp_directory place;
  std::unique_ptr<store> vault = open_or_throw(options_for(place.path()));
  family rows = vault->take(owner::order);
  std::vector<std::string> told;

  std::function<void()> tell(const std::string& what) {
    return [this, what] { told.push_back(what); };
  }
  std::vector<std::string> durable(const std::string& from = "",
                                   const std::string& upper = "~") const {
    std::vector<std::string> seen;
    rows.scan(from, upper, [&](std::string_view key, std::string_view value) {
      seen.push_back(std::string(key) + "=" + std::string(value));
      return true;
    });
    return seen;
  }
  void write(const std::vector<sealed_batch_ptr>& round) {
    vault->commit(round);
  }
};

using names = std::vector<std::string>;

} // namespace

TEST_CASE_FIXTURE(one_family, "a staged row is seen by its owner alone") {
  rows.put("a", "1");
  CHECK(rows.get("a") == "1");
  CHECK(!vault->read().get(owner::order, "a"));
  CHECK(durable().empty());
  const auto batch = rows.seal();
  CHECK(rows.get("a") == "1");
  CHECK(!vault->read().get(owner::order, "a"));
  write({batch});
  CHECK(vault->read().get(owner::order, "a") == "1");
  rows.round_done();
  CHECK(rows.get("a") == "1");
  CHECK(durable() == names{"a=1"});
}

TEST_CASE_FIXTURE(one_family, "a staged erasure hides the durable row") {
  rows.put("a", "1");
  commit(*vault, rows);
  rows.erase("a");
  CHECK(!rows.get("a"));
  CHECK(durable() == names{"a=1"});
  commit(*vault, rows);
  CHECK(!rows.get("a"));
  CHECK(durable().empty());
}

TEST_CASE_FIXTURE(one_family, "the last write of a batch wins") {
  rows.put("a", "1");
  rows.erase("a");
  rows.put("a", "2");
  rows.put("b", "1");
  rows.erase("b");
  const auto batch = rows.seal();
  CHECK(batch->rows() == 2);
  CHECK(batch->bytes() > 0);
  write({batch});
  rows.round_done();
  CHECK(durable() == names{"a=2"});
}

TEST_CASE_FIXTURE(one_family, "an answer waits for all that is staged") {
  rows.when_durable(tell("nothing staged"));
  CHECK(told == names{"nothing staged"});
  told.clear();

  rows.put("a", "1");
  rows.when_durable(tell("first"));
  rows.when_durable(tell("second"));
  const auto one = rows.seal();
  rows.when_durable(tell("after the seal"));
  rows.put("b", "1");
  rows.when_durable(tell("next batch"));
  const auto two = rows.seal();
  CHECK(told.empty());
  CHECK(rows.in_rounds() == 2);

  write({one});
  CHECK(told.empty());
  rows.round_done();
  CHECK(told == names{"first", "second", "after the seal"});
  write({two});
  rows.round_done();
  CHECK(told.back() == "next batch");
  CHECK(rows.in_rounds() == 0);
}

TEST_CASE_FIXTURE(one_family, "lazy rows start no round and delay no answer") {
  rows.put_lazily("cursor", "1");
  CHECK(rows.has_staged());
  CHECK(!rows.must_commit());
  rows.when_durable(tell("at once"));
  CHECK(told == names{"at once"});

  rows.put("a", "1");
  CHECK(rows.must_commit());
  const auto batch = rows.seal();
  CHECK(!rows.has_staged());
  rows.put_lazily("cursor", "2");
  rows.when_durable(tell("with the sealed one"));
  CHECK(told.size() == 1);
  write({batch});
  rows.round_done();
  CHECK(told.back() == "with the sealed one");
  CHECK(durable() == names{"a=1", "cursor=1"});
  CHECK(rows.get("cursor") == "2");
}

TEST_CASE_FIXTURE(one_family,
                  "a row of two sealed batches outlives the first") {
  rows.put("a", "1");
  const auto one = rows.seal();
  rows.put("a", "2");
  const auto two = rows.seal();
  rows.erase("a");
  const auto three = rows.seal();
  write({one});
  rows.round_done();
  CHECK(!rows.get("a")); // erased, as far as its owner is concerned
  CHECK(durable() == names{"a=1"});
  write({two, three}); // both in one round: in their order
  rows.round_done();
  CHECK(!rows.get("a"));
  rows.round_done();
  CHECK(!rows.get("a"));
  CHECK(durable().empty());
}

TEST_CASE_FIXTURE(one_family, "a continuation may stage and wait again") {
  rows.put("a", "1");
  rows.when_durable([this] {
    rows.put("b", *rows.get("a") + "+");
    rows.when_durable(tell("second round"));
  });
  rows.when_durable(tell("first round"));
  commit(*vault, rows);
  CHECK(told == names{"first round"});
  CHECK(rows.must_commit());
  commit(*vault, rows);
  CHECK(told == names{"first round", "second round"});
  CHECK(durable() == names{"a=1", "b=1+"});
}

TEST_CASE_FIXTURE(one_family, "the overlay agrees with a plain map") {
  std::map<std::string, std::string> expected;
  std::mt19937 random(4);
  std::vector<sealed_batch_ptr> queued;
  for (int step = 0; step < 3000; ++step) {
    const std::string key = "k" + std::to_string(random() % 20);
    switch (random() % 8) {
    case 0:
    case 1:
      rows.erase(key);
      expected.erase(key);
      break;
    case 2:
      if (rows.has_staged())
        queued.push_back(rows.seal());
      break;
    case 3:
      if (!queued.empty()) {
        write({queued.front()});
        queued.erase(queued.begin());
        rows.round_done();
      }
      break;
    default:
      rows.put(key, std::to_string(step));
      expected[key] = std::to_string(step);
    }
    const auto at = expected.find(key);
    const auto seen = rows.get(key);
    REQUIRE(seen.has_value() == (at != expected.end()));
    if (seen)
      REQUIRE(*seen == at->second);
  }
}

TEST_CASE_FIXTURE(one_family, "scan and last stay inside their bounds") {
  for (const char* key : {"a", "b", "c", "d"})
    rows.put(key, "1");
  commit(*vault, rows);
  rows.put("bb", "staged");
  CHECK(durable("b", "d") == names{"b=1", "c=1"});
  int visited = 0;
  rows.scan("a", "z",
            [&](std::string_view, std::string_view) { return ++visited < 2; });
  CHECK(visited == 2);
  CHECK(rows.last("a", "d")->first == "c");
  CHECK(rows.last("a", "z")->first == "d");
  CHECK(rows.last("b", "bz")->first == "b");
  CHECK(!rows.last("bz", "c"));
  CHECK(!rows.last("e", "z"));
  CHECK(!rows.last("0", "a"));
  CHECK(vault->read().first(owner::order, "bz", "z")->first == "c");
  CHECK(!vault->read().first(owner::order, "bz", "c"));
}

TEST_CASE_FIXTURE(one_family, "a range goes, up to its end, and is awaited") {
  for (const char* key : {"a", "b", "c", "d"})
    rows.put(key, "1");
  rows.put(std::string("b\0", 2), "1");
  rows.put(std::string("b\0\0\0", 4) + "x", "1");
  commit(*vault, rows);
  rows.erase_range("b", "d");
  CHECK(rows.must_commit());
  rows.when_durable(tell("gone"));
  CHECK(told.empty());
  rows.put("c", "again");
  commit(*vault, rows);
  CHECK(told == names{"gone"});
  CHECK(durable() == names{"a=1", "c=again", "d=1"});
  rows.erase_range("c", "c");
  rows.erase_range("c", std::string("c\0\0", 3));
  commit(*vault, rows);
  CHECK(durable() == names{"a=1", "d=1"});
}

// RocksDB before 9.2 aborts here, or loses rows, when a range tombstone and
// rows share an insert hint.
TEST_CASE_FIXTURE(one_family, "ranges go from a log that grows, and recover") {
  const auto row = [](std::uint64_t at) { return outbox_key(0, at); };
  constexpr std::uint64_t steps = 40;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      rows.put(row(step * 50 + i), "v");
      rows.put(order_key("t" + std::to_string(i % 3), std::to_string(step)),
               std::to_string(i));
    }
    commit(*vault, rows);
    rows.erase_range(row(step * 50), row(step * 50 + 25));
    rows.erase_range(order_key("t0", ""), prefix_end(order_key("t0", "1")));
    commit(*vault, rows);
  }
  const auto left = durable(row(0), row(~0ULL)).size();
  CHECK(left == steps * 25);
  const auto all = durable("", "\x7F");
  { const auto gone = std::move(rows); }
  vault.reset();
  vault = open_or_throw(options_for(place.path()));
  rows = vault->take(owner::order);
  CHECK(durable("", "\x7F") == all);
}
