// What an open refuses, with nothing changed, and what it completes.
#include "storage/acked_mark.hpp"
#include "storage/inspect.hpp"
#include "support/record.hpp"
#include "tests/storage/store_fixture.hpp"
#include "tests/support/faulty_file_system.hpp"

#include <doctest/doctest.h>
#include <rocksdb/db.h>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;

namespace {

/// A closed store with ten rows of inventory, each its own synced round.
struct used_store {
  temp_directory place;

  used_store() {
    const auto vault = open_or_throw(options_for(place.path()));
    auto rows = vault->take(owner::inventory);
    for (int i = 0; i < 10; ++i) {
      rows.put("row" + std::to_string(i), std::string(300, 'v'));
      commit(*vault, rows);
    }
  }
  std::size_t rows() const {
    const auto vault = open_or_throw(options_for(place.path()));
    std::size_t count = 0;
    vault->read().scan(
      owner::inventory, "", "~",
      [&](std::string_view, std::string_view) { return ++count > 0; });
    return count;
  }
  std::string mark() const { return place / "acked.mark"; }

  /// Refused with that code and word, twice, and not a byte differs.
  void check_refused(failure code, const std::string& word) const {
    const auto before = contents(place.path());
    for (int i = 0; i < 2; ++i) {
      const auto why = refusal(options_for(place.path()));
      CAPTURE(why.detail);
      CHECK(to_string(why.code) == to_string(code));
      CHECK(why.detail.find(word) != std::string::npos);
    }
    CHECK(contents(place.path()) == before);
  }
  /// Changes the store behind our back, through RocksDB itself.
  template <class Change>
  void tamper(Change change) {
    std::vector<std::string> names;
    rocksdb::Options options;
    const auto path = place / "store";
    REQUIRE(rocksdb::DB::ListColumnFamilies(options, path, &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const auto& name : names)
      families.emplace_back(name, options);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* raw = nullptr;
    REQUIRE(rocksdb::DB::Open(options, path, families, &handles, &raw).ok());
    const std::unique_ptr<rocksdb::DB> db(raw);
    change(*db, handles);
    for (auto* handle : handles)
      REQUIRE(db->DestroyColumnFamilyHandle(handle).ok());
  }
};

} // namespace

TEST_CASE_FIXTURE(used_store, "an unknown family is refused by name") {
  tamper([](rocksdb::DB& db, auto& handles) {
    rocksdb::ColumnFamilyHandle* added = nullptr;
    REQUIRE(db.CreateColumnFamily({}, "billing", &added).ok());
    handles.push_back(added);
  });
  check_refused(failure::storage_format, "billing");
}

TEST_CASE_FIXTURE(used_store, "a missing family is refused by name") {
  tamper([](rocksdb::DB& db, auto& handles) {
    for (auto* handle : handles)
      if (handle->GetName() == "relay")
        REQUIRE(db.DropColumnFamily(handle).ok());
  });
  check_refused(failure::storage_format, "\"relay\" is missing");
}

TEST_CASE_FIXTURE(used_store, "a foreign format is refused by its number") {
  const auto write = [this](std::uint64_t version, std::uint64_t lanes) {
    tamper([&](rocksdb::DB& db, auto&) {
      support::record_writer out(1);
      out.u64(version).u64(lanes).text("01ARZ3NDEKTSV4RRFFQ69G5FAV").i64(0);
      REQUIRE(db.Put({}, "\x01", out.take()).ok());
    });
  };
  for (const std::uint64_t other : {1, 2, 4}) {
    write(other, 1);
    check_refused(failure::storage_format, "format " + std::to_string(other));
  }
  write((1ULL << 32U) + 3, 1);
  check_refused(failure::storage_format, "format 4294967299");
  write(3, 257);
  check_refused(failure::storage_format, "257 lanes");
  tamper([](rocksdb::DB& db, auto&) {
    REQUIRE(db.Put({}, "\x01", std::string("\x02\0\x01", 3)).ok());
  });
  check_refused(failure::storage_format, "unreadable");
  tamper([](rocksdb::DB& db, auto&) { REQUIRE(db.Delete({}, "\x01").ok()); });
  check_refused(failure::storage_format, "no format row");
}

TEST_CASE_FIXTURE(used_store, "a log that lost its end is refused") {
  const auto log = newest_log(place.path());
  const auto whole = bytes_of(log);
  for (const std::size_t cut : {1, 10, 200, 400, 3000}) {
    CAPTURE(cut);
    write_bytes(log, whole.substr(0, whole.size() - cut));
    check_refused(failure::storage_rolled_back, "acknowledged");
  }
  write_bytes(log, whole);
  CHECK(rows() == 10);
}

TEST_CASE_FIXTURE(used_store, "a newest log that is gone is refused") {
  std::filesystem::remove(newest_log(place.path()));
  check_refused(failure::storage_rolled_back, "acknowledged");
}

TEST_CASE_FIXTURE(used_store, "every flipped bit of a synced log is refused") {
  const auto log = newest_log(place.path());
  const auto whole = bytes_of(log);
  for (std::size_t at = 3; at < whole.size(); at += whole.size() / 23) {
    CAPTURE(at);
    auto flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    write_bytes(log, flipped);
    const auto before = contents(place.path());
    const auto code = refusal(options_for(place.path())).code;
    const bool refused =
      code == failure::storage_corrupt || code == failure::storage_rolled_back;
    CHECK(refused);
    CHECK(contents(place.path()) == before);
  }
  write_bytes(log, whole);
  CHECK(rows() == 10);
}

TEST_CASE_FIXTURE(used_store, "zeros behind the log are no damage") {
  const auto log = newest_log(place.path());
  write_bytes(log, bytes_of(log) + std::string(5000, '\0'));
  CHECK(rows() == 10);
}

TEST_CASE_FIXTURE(used_store, "rows that nobody was told of may follow") {
  const auto old_mark = bytes_of(mark());
  {
    const auto vault = open_or_throw(options_for(place.path()));
    auto family = vault->take(owner::inventory);
    family.put("row99", "v");
    commit(*vault, family);
  }
  write_bytes(mark(), old_mark); // the mark's last write was lost
  CHECK(rows() == 11);
}

TEST_CASE_FIXTURE(used_store, "a lost, short or foreign mark is refused") {
  const auto whole = bytes_of(mark());
  write_bytes(mark(), whole.substr(0, 20));
  check_refused(failure::storage_corrupt, "cut short");
  write_bytes(mark(), "");
  check_refused(failure::storage_corrupt, "cut short");
  write_bytes(mark(), std::string(whole.size(), '\0'));
  check_refused(failure::storage_corrupt, "foreign bytes");
  write_bytes(mark(), std::string(whole.size(), 'x'));
  check_refused(failure::storage_corrupt, "foreign bytes");
  std::filesystem::remove(mark());
  check_refused(failure::storage_corrupt, "missing");
  write_bytes(mark(), whole);
  CHECK(rows() == 10);
}

TEST_CASE_FIXTURE(used_store, "a torn slot of the mark costs one step of it") {
  const auto whole = bytes_of(mark());
  std::array<std::string, 2> torn{whole, whole};
  torn[0][8] = static_cast<char>(torn[0][8] ^ 0x55);
  torn[1][512 + 8] = static_cast<char>(torn[1][512 + 8] ^ 0x55);
  for (const auto& bytes : torn) {
    write_bytes(mark(), bytes);
    const auto read = acked_mark::open(*rocksdb::FileSystem::Default(), mark());
    REQUIRE(read.ok());
    CHECK((*read)->position().sequence >= 10); // format row and nine rounds
    CHECK(rows() == 10);
    write_bytes(mark(), whole);
  }
}

TEST_CASE_FIXTURE(used_store, "a lost CURRENT begins no new store") {
  std::filesystem::remove(place / "store/CURRENT");
  check_refused(failure::storage_corrupt, "CURRENT");
  std::filesystem::remove(mark());
  check_refused(failure::storage_corrupt, "CURRENT");
}

TEST_CASE_FIXTURE(used_store, "a look judges like an open, changing nothing") {
  const auto options = options_for(place.path());
  const auto state = [&] {
    const auto before = contents(place.path());
    auto found = inspect(options);
    CHECK(contents(place.path()) == before);
    return found;
  };
  REQUIRE(newest_log(place.path()) != ""); // rows that an open would flush
  const auto whole = state();
  CHECK((whole && *whole == directory_state::whole));
  {
    const auto vault = open_or_throw(options);
    const auto held = inspect(options);
    CHECK((!held && held.why().code == failure::storage_locked));
  }
  std::filesystem::remove(place / "store/CURRENT");
  const auto damaged = state();
  CHECK((!damaged && damaged.why().code == failure::storage_corrupt));

  const temp_directory empty;
  const auto fresh = inspect(options_for(empty / "data"));
  CHECK((fresh && *fresh == directory_state::nothing));
  CHECK(contents(empty.path()).empty());
  CHECK_FALSE(std::filesystem::exists(empty / "data"));
}

TEST_CASE_FIXTURE(used_store, "a CURRENT that points nowhere is refused") {
  write_bytes(place / "store/CURRENT", "MANIFEST-000099\n");
  const auto before = contents(place.path());
  CHECK(refusal(options_for(place.path())).code != failure::internal);
  CHECK(contents(place.path()) == before);
}

TEST_CASE("a first open that dies at any step is completed by the next") {
  std::uint64_t steps = 0;
  {
    const temp_directory place;
    auto options = options_for(place / "data");
    const auto disk = std::make_shared<faulty_file_system>();
    options.file_system = disk;
    auto vault = open_or_throw(options);
    steps = disk->changes();
    vault.reset();
  }
  REQUIRE(steps > 20);
  std::uint64_t died = 0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    CAPTURE(step);
    const temp_directory place;
    auto options = options_for(place / "data");
    const auto disk = std::make_shared<faulty_file_system>();
    options.file_system = disk;
    disk->fail_from(step);
    died += refusal(options).code != failure::internal ? 1 : 0;
    disk->heal();
    const auto vault = open_or_throw(options);
    auto rows = vault->take(owner::bus);
    rows.put("k", "v");
    commit(*vault, rows);
    CHECK(vault->read().get(owner::bus, "k") == "v");
  }
  CHECK(died > steps / 2);
}
