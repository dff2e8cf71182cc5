#include "storage/store.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;

namespace {

constexpr std::array all_owners{
  owner::order,        owner::inventory,   owner::relay, owner::fulfillment,
  owner::notification, owner::dead_letter, owner::bus,   owner::audit_feed};
static_assert(all_owners.size() == owner_count);

/// One round in which every owner puts `key`.
void put_everywhere(store& vault, const std::string& key) {
  std::vector<family> families;
  std::vector<sealed_batch_ptr> round;
  for (const auto of : all_owners) {
    families.push_back(vault.take(of));
    families.back().put(key, std::string(to_string(of)));
    round.push_back(families.back().seal());
  }
  vault.commit(round);
  for (auto& each : families)
    each.round_done();
}

std::size_t count_with(const store& vault, const std::string& key) {
  const auto now = vault.read();
  std::size_t found = 0;
  for (const auto of : all_owners)
    found += now.get(of, key) == to_string(of) ? 1 : 0;
  return found;
}

} // namespace

TEST_CASE("a new store tells what it is, and again after a restart") {
  const temp_directory place;
  std::string id;
  {
    const auto vault = open_or_throw(options_for(place.path()));
    CHECK(vault->identity().format_version == 3);
    CHECK(vault->identity().lanes == 1);
    id = vault->identity().store_id;
    CHECK(id.size() == 26);
  }
  CHECK(open_or_throw(options_for(place.path()))->identity().store_id == id);
}

TEST_CASE("a restart keeps every committed row, flushed or not") {
  const temp_directory place;
  for (const bool flushed : {false, true}) {
    const std::string key = flushed ? "flushed" : "logged";
    {
      const auto vault = open_or_throw(options_for(place.path()));
      put_everywhere(*vault, key);
      if (flushed)
        vault->flush();
    }
    const auto vault = open_or_throw(options_for(place.path()));
    CHECK(count_with(*vault, key) == owner_count);
    CHECK(count_with(*vault, "logged") == owner_count);
  }
}

TEST_CASE("a round over all owners is visible at once, and as a whole") {
  const temp_directory place;
  const auto vault = open_or_throw(options_for(place.path()));
  const auto before = vault->read();
  put_everywhere(*vault, "k");
  for (const auto of : all_owners)
    CHECK(!before.get(of, "k"));
  CHECK(count_with(*vault, "k") == owner_count);
}

// The mark stays at zero here, as if the power had failed before the round was
// durable: what was never acknowledged may go, but only as a whole.
TEST_CASE("of a round that is cut anywhere no owner's row is left") {
  const temp_directory place;
  { const auto vault = open_or_throw(options_for(place / "made")); }
  const auto unmarked = bytes_of(place / "made/acked.mark");
  {
    const auto vault = open_or_throw(options_for(place / "made"));
    put_everywhere(*vault, "k");
  }
  const auto log = newest_log(place / "made");
  const auto whole = bytes_of(log);
  REQUIRE(whole.size() > 100);
  for (std::size_t size = 0; size <= whole.size(); size += 3) {
    CAPTURE(size);
    const auto copy = place / ("cut" + std::to_string(size));
    std::filesystem::copy(place / "made", copy,
                          std::filesystem::copy_options::recursive);
    write_bytes(copy + "/acked.mark", unmarked);
    write_bytes(copy + "/store/" + log.filename().string(),
                whole.substr(0, size));
    const auto vault = open_or_throw(options_for(copy));
    CHECK(count_with(*vault, "k") == (size == whole.size() ? owner_count : 0));
  }
}

TEST_CASE("a second opener is refused and told which directory") {
  const temp_directory place;
  const auto vault = open_or_throw(options_for(place.path()));
  const auto why = refusal(options_for(place.path()));
  CHECK(why.code == domain::failure::storage_locked);
  CHECK(why.detail.find(place.path()) != std::string::npos);
}

TEST_CASE("another process is refused while this one has the store") {
  const temp_directory place;
  const auto vault = open_or_throw(options_for(place.path()));
  const pid_t child = ::fork();
  if (child == 0)
    std::_Exit(refusal(options_for(place.path())).code
                   == domain::failure::storage_locked
                 ? 0
                 : 1);
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0);
}

TEST_CASE("an owner's family is given out once") {
  const temp_directory place;
  const auto vault = open_or_throw(options_for(place.path()));
  const auto first = vault->take(owner::relay);
  CHECK(first.who() == owner::relay);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL); // doctest's handler would tell a story
    std::freopen("/dev/null", "w", stderr);
    const auto second = vault->take(owner::relay);
    std::_Exit(0);
  }
  int state = 0;
  REQUIRE(::waitpid(child, &state, 0) == child);
  CHECK(WIFSIGNALED(state));
  CHECK(WTERMSIG(state) == SIGABRT);
}

TEST_CASE("without create, a directory that is no store is left alone") {
  const temp_directory place;
  auto options = options_for(place / "data");
  options.create = false;
  CHECK(refusal(options).code == domain::failure::storage_io);
  CHECK(!std::filesystem::exists(place / "data"));
  std::filesystem::create_directory(place / "data");
  write_bytes(place / "data/note", "mine");
  CHECK(refusal(options).code == domain::failure::storage_io);
  CHECK(contents(place.path()).size() == 1);
  CHECK(!std::filesystem::exists(place / "data/lock"));
}

TEST_CASE("without create, a store that is there opens") {
  const temp_directory place;
  {
    const auto vault = open_or_throw(options_for(place.path()));
    put_everywhere(*vault, "k");
  }
  auto options = options_for(place.path());
  options.create = false;
  CHECK(count_with(*open_or_throw(options), "k") == owner_count);
}

TEST_CASE("owners may commit each for itself, at the same time") {
  const temp_directory place;
  {
    const auto vault = open_or_throw(options_for(place.path()));
    std::vector<family> families;
    families.reserve(all_owners.size());
    for (const auto of : all_owners)
      families.push_back(vault->take(of));
    std::vector<std::thread> threads;
    threads.reserve(families.size());
    for (auto& rows : families)
      threads.emplace_back([&vault, &rows] {
        for (int i = 0; i < 50; ++i) {
          rows.put("k" + std::to_string(i), std::string(to_string(rows.who())));
          commit(*vault, rows);
        }
      });
    for (auto& thread : threads)
      thread.join();
  }
  const auto vault = open_or_throw(options_for(place.path()));
  for (int i = 0; i < 50; ++i)
    CHECK(count_with(*vault, "k" + std::to_string(i)) == owner_count);
}

TEST_CASE("sizes are told") {
  const temp_directory place;
  const auto vault = open_or_throw(options_for(place.path()));
  const auto before = vault->disk_bytes();
  put_everywhere(*vault, std::string(100000, 'k'));
  CHECK(vault->disk_bytes() >= before + owner_count * 100000);
  CHECK(vault->free_bytes() > 0);
  CHECK(!vault->failed());
}
