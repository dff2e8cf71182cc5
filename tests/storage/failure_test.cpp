// Fail-stop: after a storage error nothing is acknowledged, and the next open
// has exactly the acknowledged rows (plus, at most, the one of unknown
// outcome).
#include "tests/storage/store_fixture.hpp"
#include "tests/support/faulty_file_system.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;

namespace {

struct faulty_store {
  temp_directory place;
  std::shared_ptr<faulty_file_system> disk =
    std::make_shared<faulty_file_system>();
  std::unique_ptr<store> vault = open();
  std::optional<family> rows = vault->take(owner::order);
  int answers = 0;

  std::unique_ptr<store> open() {
    auto options = options_for(place.path());
    options.file_system = disk;
    return open_or_throw(options);
  }
  /// Commits one row; nothing if that succeeds, else why not.
  std::optional<domain::fault> write(const std::string& key) {
    try {
      rows->put(key, "v");
      rows->when_durable([this] { ++answers; });
      commit(*vault, *rows);
    } catch (const store_failed& failed) {
      return failed.why;
    }
    return std::nullopt;
  }
  template <class Call>
  static std::optional<failure> failure_of(Call call) {
    try {
      call();
    } catch (const store_failed& failed) {
      return failed.why.code;
    }
    return std::nullopt;
  }
  std::vector<std::string> rows_after_reopen() {
    rows.reset();
    vault.reset();
    disk->heal();
    vault = open();
    std::vector<std::string> keys;
    vault->read().scan(owner::order, "", "~",
                       [&](std::string_view key, std::string_view) {
                         keys.emplace_back(key);
                         return true;
                       });
    return keys;
  }
};

using names = std::vector<std::string>;

/// The write of "lost" fails under a rule; nothing that follows is answered.
void check_fail_stop(faulty_store& at, failure expected, bool may_persist) {
  const auto why = at.write("lost");
  REQUIRE(why);
  CAPTURE(why->detail);
  CHECK(to_string(why->code) == to_string(expected));
  CHECK(at.vault->failed());
  at.disk->heal(); // it stays failed, whatever the disk says now
  CHECK(at.answers == 1);
  CHECK(at.write("later"));
  CHECK(at.answers == 1);
  const auto code = at.failure_of([&] { (void)at.rows->get("kept"); });
  CHECK(code == expected);
  CHECK(at.failure_of([&] { (void)at.vault->read().get(owner::order, "lost"); })
        == expected);
  CHECK(at.failure_of([&] { at.rows->when_durable([] {}); }) == expected);
  CHECK(at.failure_of([&] { at.vault->flush(); }) == expected);
  auto left = at.rows_after_reopen();
  if (may_persist && left.size() == 2)
    left.pop_back();
  CHECK(left == names{"kept"});
}

} // namespace

TEST_CASE_FIXTURE(faulty_store, "an append to the log that fails") {
  REQUIRE(!write("kept"));
  disk->fail(disk_op::append, ".log");
  check_fail_stop(*this, failure::storage_io, false);
}

TEST_CASE_FIXTURE(faulty_store, "an append to the log that fails half-way") {
  REQUIRE(!write("kept"));
  disk->tear_appends(11);
  disk->fail(disk_op::append, ".log");
  check_fail_stop(*this, failure::storage_io, false);
}

TEST_CASE_FIXTURE(faulty_store, "a sync of the log that fails") {
  REQUIRE(!write("kept"));
  disk->fail(disk_op::sync, ".log");
  check_fail_stop(*this, failure::storage_io, true);
}

TEST_CASE_FIXTURE(faulty_store, "a disk that is full is an error, no abort") {
  REQUIRE(!write("kept"));
  disk->fill();
  check_fail_stop(*this, failure::disk_full, false);
}

TEST_CASE_FIXTURE(faulty_store, "a mark that cannot be moved") {
  REQUIRE(!write("kept"));
  disk->fail(disk_op::overwrite, "acked.mark");
  check_fail_stop(*this, failure::storage_io, true);
}

TEST_CASE_FIXTURE(faulty_store, "a mark that cannot be synced") {
  REQUIRE(!write("kept"));
  disk->fail(disk_op::sync, "acked.mark");
  check_fail_stop(*this, failure::storage_io, true);
}

TEST_CASE_FIXTURE(faulty_store, "a flush that fails stops the store") {
  REQUIRE(!write("kept"));
  disk->fail(disk_op::append, ".sst");
  CHECK(failure_of([&] { vault->flush(); }) == failure::storage_io);
  CHECK(vault->failed());
  disk->heal();
  CHECK(write("later"));
  CHECK(answers == 1);
  CHECK(rows_after_reopen() == names{"kept"});
}

TEST_CASE_FIXTURE(faulty_store, "a table that cannot be read") {
  REQUIRE(!write("kept"));
  vault->flush();
  REQUIRE(rows_after_reopen() == names{"kept"}); // and cached: read anew
  rows.reset();
  vault.reset();
  vault = open();
  rows = vault->take(owner::order);
  disk->fail(disk_op::read, ".sst");
  CHECK(failure_of([&] { (void)rows->get("kept"); }) == failure::storage_io);
  CHECK(vault->failed());
  disk->heal();
  CHECK(write("later"));
  CHECK(rows_after_reopen() == names{"kept"});
}

TEST_CASE_FIXTURE(faulty_store, "a full disk at start is an error, no abort") {
  REQUIRE(!write("kept"));
  rows.reset();
  vault.reset();
  disk->fill();
  auto options = options_for(place.path());
  options.file_system = disk;
  const auto why = refusal(options);
  CAPTURE(why.detail);
  CHECK(why.code == failure::disk_full);
  disk->heal();
  CHECK(rows_after_reopen() == names{"kept"});
}

// The daemon has no on_failure that throws: it leaves with 74.
TEST_CASE("without a handler of its own the process leaves with exit code 74") {
  const temp_directory place;
  const pid_t child = ::fork();
  if (child == 0) {
    auto options = options_for(place.path());
    const auto disk = std::make_shared<faulty_file_system>();
    options.file_system = disk;
    options.on_failure = {};
    const auto vault = open_or_throw(options);
    auto rows = vault->take(owner::order);
    rows.put("k", "v");
    disk->fill();
    commit(*vault, rows);
    std::_Exit(0);
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  REQUIRE(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 74);
}

// Every operation of a script of rounds and flushes is the last one once.
TEST_CASE("a death at any step leaves every acknowledged row") {
  const auto script = [](store& vault, int& acked) {
    auto rows = vault.take(owner::order);
    for (int i = 0; i < 6; ++i) {
      rows.put("row" + std::to_string(i), std::string(100, 'v'));
      commit(vault, rows);
      acked = i + 1;
      if (i == 3)
        vault.flush();
    }
  };
  const temp_directory made;
  { const auto fresh = open_or_throw(options_for(made.path())); }
  std::uint64_t steps = 0;
  for (std::uint64_t step = 0; step <= steps; ++step) {
    CAPTURE(step);
    const temp_directory place;
    auto options = options_for(place.path());
    std::filesystem::copy(
      made.path(), place.path(),
      std::filesystem::copy_options::recursive
        | std::filesystem::copy_options::overwrite_existing);
    const auto disk = std::make_shared<faulty_file_system>();
    options.file_system = disk;
    int acked = 0;
    if (step > 0)
      disk->fail_from(step);
    try {
      const auto vault = open_or_throw(options);
      script(*vault, acked);
      if (step == 0)
        steps = disk->changes();
    } catch (const store_failed&) {
    }
    disk->heal();
    const auto vault = open_or_throw(options);
    int found = 0;
    vault->read().scan(owner::order, "", "~",
                       [&](std::string_view key, std::string_view) {
                         CHECK(key == "row" + std::to_string(found));
                         return ++found > 0;
                       });
    CHECK(found >= acked);
    CHECK(found <= acked + 1);
  }
  CHECK(steps > 30);
}
