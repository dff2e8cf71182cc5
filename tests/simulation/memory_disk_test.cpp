// The simulated disk keeps and loses exactly what a disk may, and no more: a
// simulation on one that lost less would prove nothing.
#include "tests/simulation/memory_disk.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace parcelflow;
using namespace parcelflow::simulation;

namespace {

using rocksdb::FileOptions;
using rocksdb::IOOptions;

struct small_disk {
  std::shared_ptr<memory_disk> disk = std::make_shared<memory_disk>();
  chance draw{7};

  small_disk() {
    REQUIRE(disk->CreateDir("/d", IOOptions(), nullptr).ok());
    sync_directory("/");
  }
  std::unique_ptr<rocksdb::FSWritableFile> create(const std::string& path) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    REQUIRE(disk->NewWritableFile(path, FileOptions(), &file, nullptr).ok());
    return file;
  }
  static void append(rocksdb::FSWritableFile& to, const std::string& text) {
    REQUIRE(to.Append(text, IOOptions(), nullptr).ok());
  }
  static void sync(rocksdb::FSWritableFile& of) {
    REQUIRE(of.Sync(IOOptions(), nullptr).ok());
  }
  void sync_directory(const std::string& path) {
    std::unique_ptr<rocksdb::FSDirectory> at;
    REQUIRE(disk->NewDirectory(path, IOOptions(), &at, nullptr).ok());
    REQUIRE(at->Fsync(IOOptions(), nullptr).ok());
  }
  std::shared_ptr<memory_disk> after(crash_mode mode) {
    return disk->after(mode, draw);
  }
  static bool has(const memory_disk& in, const std::string& path) {
    const auto all = in.files();
    return std::find(all.begin(), all.end(), path) != all.end();
  }
};

} // namespace

TEST_CASE("a process that dies loses nothing, a power cut what is unsynced") {
  small_disk on;
  const auto file = on.create("/d/log");
  on.sync_directory("/d");
  on.append(*file, "synced");
  on.sync(*file);
  on.append(*file, " and not");
  CHECK(on.after(crash_mode::process)->bytes_of("/d/log") == "synced and not");
  CHECK(on.after(crash_mode::power)->bytes_of("/d/log") == "synced");
  // What a process left in the cache is lost by a later power cut.
  chance draw(1);
  CHECK(on.after(crash_mode::process)
          ->after(crash_mode::power, draw)
          ->bytes_of("/d/log")
        == "synced");
}

TEST_CASE("a synced file without its synced name is gone") {
  small_disk on;
  const auto file = on.create("/d/log");
  on.append(*file, "text");
  on.sync(*file);
  CHECK(on.has(*on.disk, "/d/log"));
  CHECK(on.has(*on.after(crash_mode::process), "/d/log"));
  CHECK_FALSE(on.has(*on.after(crash_mode::power), "/d/log"));
  on.sync_directory("/d");
  CHECK(on.after(crash_mode::power)->bytes_of("/d/log") == "text");
}

TEST_CASE("an unsynced rename and removal are undone by a power cut") {
  small_disk on;
  for (const auto* const path : {"/d/old", "/d/gone"})
    on.sync(*on.create(path));
  on.sync_directory("/d");
  REQUIRE(on.disk->RenameFile("/d/old", "/d/new", IOOptions(), nullptr).ok());
  REQUIRE(on.disk->DeleteFile("/d/gone", IOOptions(), nullptr).ok());
  CHECK(on.disk->files() == std::vector<std::string>{"/d/new"});
  CHECK(on.after(crash_mode::power)->files()
        == std::vector<std::string>{"/d/gone", "/d/old"});
  on.sync_directory("/d");
  CHECK(on.after(crash_mode::power)->files()
        == std::vector<std::string>{"/d/new"});
}

TEST_CASE("a torn crash keeps a first part, and every part comes up") {
  small_disk on;
  const auto file = on.create("/d/log");
  on.sync_directory("/d");
  on.append(*file, "ab");
  on.sync(*file);
  on.append(*file, "cd");
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(on.after(crash_mode::torn)->bytes_of("/d/log"));
  CHECK(seen == std::set<std::string>{"ab", "abc", "abcd"});
}

TEST_CASE("a write in place may be torn, and is whole once it is synced") {
  small_disk on;
  const auto file = on.create("/d/mark");
  on.append(*file, "old!");
  on.sync(*file);
  on.sync_directory("/d");
  std::unique_ptr<rocksdb::FSRandomRWFile> mark;
  REQUIRE(
    on.disk->NewRandomRWFile("/d/mark", FileOptions(), &mark, nullptr).ok());
  REQUIRE(mark->Write(0, "new!", IOOptions(), nullptr).ok());
  CHECK(on.disk->bytes_of("/d/mark") == "new!");
  CHECK(on.after(crash_mode::power)->bytes_of("/d/mark") == "old!");
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(on.after(crash_mode::torn)->bytes_of("/d/mark"));
  CHECK(seen == std::set<std::string>{"old!", "nld!", "ned!", "new!"});
  REQUIRE(mark->Sync(IOOptions(), nullptr).ok());
  CHECK(on.after(crash_mode::power)->bytes_of("/d/mark") == "new!");
}

TEST_CASE("what the dead process still writes reaches no image") {
  small_disk on;
  const auto file = on.create("/d/log");
  on.append(*file, "before");
  const auto left = on.after(crash_mode::process);
  on.append(*file, " after");
  CHECK(left->bytes_of("/d/log") == "before");
}

TEST_CASE("a watcher sees each change before it happens and may refuse it") {
  small_disk on;
  std::vector<std::uint64_t> numbers;
  const auto file = on.create("/d/log");
  on.disk->watch([&](const test::disk_request& asked) {
    numbers.push_back(asked.number);
    CHECK(on.disk->bytes_of("/d/log").empty());
    return rocksdb::IOStatus::IOError("no");
  });
  CHECK_FALSE(file->Append("x", IOOptions(), nullptr).ok());
  CHECK_FALSE(file->Sync(IOOptions(), nullptr).ok());
  CHECK(on.disk->bytes_of("/d/log").empty());
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[1] == numbers[0] + 1);
}
