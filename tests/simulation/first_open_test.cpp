// A store whose first opening was cut short anywhere, by the death of its
// process, is safe from power cuts as soon as it acknowledges anything: what
// lay in the page cache alone, names included, is made stable first.
#include "storage/store.hpp"
#include "tests/simulation/memory_disk.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::simulation;
using storage::owner;

namespace {

std::unique_ptr<storage::store> open(const std::shared_ptr<memory_disk>& disk) {
  storage::store_options options;
  options.directory = "/data";
  options.file_system = disk;
  options.write_buffer_bytes = 1U << 20U;
  auto made = storage::store::open(options);
  REQUIRE_MESSAGE(made.ok(), (made ? "" : made.why().detail));
  return *std::move(made);
}

void acknowledge(storage::store& in, const std::string& key) {
  auto rows = in.take(owner::order);
  rows.put(key, "v");
  const auto batch = rows.seal();
  in.commit({&batch, 1});
  rows.round_done();
}

} // namespace

TEST_CASE("no row is lost by a power cut after a first start that died") {
  chance draw(1);
  std::uint64_t changes = 0;
  {
    const auto disk = std::make_shared<memory_disk>();
    open(disk).reset();
    changes = disk->changes();
  }
  REQUIRE(changes > 40);
  for (std::uint64_t n = 1; n <= changes; ++n) {
    CAPTURE(n);
    const auto first = std::make_shared<memory_disk>();
    std::shared_ptr<memory_disk> left;
    first->watch([&](const test::disk_request& asked) {
      if (asked.number == n)
        left = first->after(crash_mode::process, draw, &asked);
      return rocksdb::IOStatus::OK();
    });
    open(first).reset(); // what it does after its death is on no disk
    first->watch({});
    if (!left)
      continue; // background work, a little less of it this time
    auto second = open(left);
    acknowledge(*second, "k");
    const auto cut = left->after(crash_mode::power, draw);
    second.reset();
    CHECK(open(cut)->read().get(owner::order, "k") == "v");
  }
}
