// Damage to the files of a closed store: flipped bits, cuts, missing files.
// The open and a read of every row either refuse by name, or every row that
// was acknowledged is there and equal: never a silent prefix.
//
// Every PARCELFLOW_DAMAGE_STRIDE-th byte of each file is flipped and each such
// length cut to; `scripts/campaign storage-faults` goes finer.
#include "tests/storage/row_ledger.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;
namespace fs = std::filesystem;

namespace {

/// Cases a file without the variable: enough for the default run.
constexpr std::size_t default_cases = 40;
/// RocksDB sleeps a second after each compaction that met a damaged block.
constexpr std::size_t default_table_flips = 5;

std::size_t stride_for(std::size_t bytes, std::size_t cases = default_cases) {
  if (const char* told = std::getenv("PARCELFLOW_DAMAGE_STRIDE"))
    return std::max<std::size_t>(1, std::strtoul(told, nullptr, 10));
  return std::max<std::size_t>(1, bytes / cases);
}

store_options small_buffers(const std::string& directory) {
  auto options = options_for(directory);
  options.write_buffer_bytes = 64U << 10U; // the log's memtable fills
  return options;
}

/// A closed store with tables on two levels, several live logs, and a history
/// of flushes in its MANIFEST; and what it acknowledged.
struct sound_store {
  temp_directory place;
  row_ledger ledger;

  sound_store() {
    int number = 0;
    const auto run = [&](int rounds) {
      const auto vault = open_or_throw(small_buffers(place.path()));
      auto orders = vault->take(owner::order);
      auto log = vault->take(owner::bus);
      for (const int last = number + rounds; number < last; ++number)
        ledger.write(*vault, orders, log, number);
      vault->flush();
      for (const int last = number + rounds; number < last; ++number)
        ledger.write(*vault, orders, log, number);
    };
    for (int i = 0; i < 4; ++i)
      run(6);
    run(100);
  }

  [[nodiscard]] std::vector<std::string> files(std::string_view like) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(place.path())) {
      const auto name = fs::relative(entry.path(), place.path()).string();
      if (entry.is_regular_file() && name.find(like) != name.npos
          && entry.file_size() > 0)
        found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  [[nodiscard]] std::string bytes(const std::string& file) const {
    return bytes_of(place / file);
  }
};

struct tally {
  std::size_t refused = 0;
  std::size_t whole = 0;
};

/// Opens a copy in which one file was replaced (or removed), reads every row.
void judge(const sound_store& of, const std::string& file,
           const std::optional<std::string>& bytes, tally& count) {
  const temp_directory copy;
  fs::copy(of.place.path(), copy.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  if (bytes)
    write_bytes(copy / file, *bytes);
  else
    fs::remove(copy / file);
  const auto before = contents(copy.path());
  try {
    const auto vault = open_or_throw(small_buffers(copy.path()));
    const auto wrong = of.ledger.check(*vault);
    CHECK_MESSAGE(!wrong, *wrong);
    count.whole += 1;
    return;
  } catch (const store_failed& failed) {
    CAPTURE(failed.why.detail);
    const auto code = failed.why.code;
    const bool named = code == failure::storage_corrupt
                       || code == failure::storage_io
                       || code == failure::storage_rolled_back
                       || code == failure::storage_format;
    CHECK(named);
    count.refused += 1;
  }
}

void flip(const sound_store& of, const std::string& file, tally& count) {
  const auto whole = of.bytes(file);
  const auto stride = stride_for(
    whole.size(), file.ends_with(".sst") ? default_table_flips : default_cases);
  for (std::size_t at = 0; at < whole.size(); at += stride) {
    CAPTURE(at);
    auto flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    judge(of, file, flipped, count);
  }
}

void cut(const sound_store& of, const std::string& file, tally& count) {
  const auto whole = of.bytes(file);
  for (std::size_t at = 0; at < whole.size(); at += stride_for(whole.size())) {
    CAPTURE(at);
    judge(of, file, whole.substr(0, at), count);
  }
}

void damage_all(const sound_store& of, const std::string& like,
                void (*damage)(const sound_store&, const std::string&, tally&),
                const std::string& word) {
  tally count;
  const auto found = of.files(like);
  REQUIRE_FALSE(found.empty());
  for (const auto& file : found) {
    CAPTURE(file);
    damage(of, file, count);
  }
  std::cout << like << " " << word << ": " << count.refused << " refused, "
            << count.whole << " whole\n";
}

} // namespace

// One claim a kind of file, so that one kind can be looked at alone.
#define PF_DAMAGE_CASES(like)                                                  \
  TEST_CASE_FIXTURE(sound_store, "a flipped bit in " like) {                   \
    damage_all(*this, like, flip, "flipped");                                  \
  }                                                                            \
  TEST_CASE_FIXTURE(sound_store, "a cut in " like) {                           \
    damage_all(*this, like, cut, "cut");                                       \
  }
PF_DAMAGE_CASES(".log")
PF_DAMAGE_CASES("MANIFEST")
PF_DAMAGE_CASES("CURRENT")
PF_DAMAGE_CASES(".sst")
PF_DAMAGE_CASES("acked.mark")

TEST_CASE_FIXTURE(sound_store, "a missing file is refused, or harmless") {
  tally count;
  for (const auto& file : files("")) {
    CAPTURE(file);
    judge(*this, file, std::nullopt, count);
  }
  std::cout << "missing: " << count.refused << " refused, " << count.whole
            << " whole\n";
  CHECK(count.refused > 3);
}
