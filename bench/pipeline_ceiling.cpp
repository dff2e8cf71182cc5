// The ceiling arm: raw RocksDB, one writer thread, the very same rows.
#include "pipeline_arm.hpp"
#include "storage/engine.hpp"

#include <rocksdb/file_system.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace parcelflow::bench {
namespace {

constexpr std::size_t batch_header = 12; // sequence (8), count (4)

std::uint32_t count_of(const std::string& batch) {
  std::uint32_t count = 0;
  std::memcpy(&count, batch.data() + 8, sizeof count);
  return count;
}

/// Joins recorded rounds so that each write carries `orders_a_write` orders'
/// share of all rows.
std::vector<std::string> regroup(const std::vector<std::string>& rounds,
                                 std::size_t writes) {
  std::uint64_t bytes = 0;
  for (const auto& one : rounds)
    bytes += one.size() - batch_header;
  const std::uint64_t share = bytes / writes + 1;
  std::vector<std::string> groups;
  std::string open(batch_header, '\0');
  std::uint32_t count = 0;
  const auto close = [&] {
    std::memcpy(open.data() + 8, &count, sizeof count);
    groups.push_back(std::move(open));
    open.assign(batch_header, '\0');
    count = 0;
  };
  for (const auto& one : rounds) {
    open.append(one, batch_header, std::string::npos);
    count += count_of(one);
    if (open.size() >= share)
      close();
  }
  if (count > 0)
    close();
  return groups;
}

void check(const rocksdb::Status& status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "bench: %s\n", status.ToString().c_str());
  std::_Exit(74);
}

} // namespace

double run_ceiling(const arm_plan& plan,
                   const std::vector<std::string>& rounds) {
  storage::engine raw;
  storage::store_options options;
  options.directory = plan.directory;
  raw.env = rocksdb::NewCompositeEnv(rocksdb::FileSystem::Default());
  auto settings = storage::engine_options(options, raw);
  settings.create_if_missing = true;
  settings.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, settings);
  for (std::size_t i = 0; i < storage::owner_count; ++i)
    families.emplace_back(
      std::string(storage::to_string(static_cast<storage::owner>(i))),
      settings);
  rocksdb::DB* db = nullptr;
  check(
    rocksdb::DB::Open(settings, plan.directory, families, &raw.handles, &db));
  raw.db.reset(db);
  const auto groups =
    regroup(rounds, std::max<std::size_t>(plan.orders / plan.in_flight, 1));
  rocksdb::WriteOptions write;
  write.sync = true;
  write.protection_bytes_per_key = 8;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& group : groups) {
    rocksdb::WriteBatch batch(group);
    check(db->Write(write, &batch));
  }
  const std::chrono::duration<double> took =
    std::chrono::steady_clock::now() - begin;
  return static_cast<double>(plan.orders) / took.count();
}

} // namespace parcelflow::bench
