#include "tests/simulation/image.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <vector>

namespace parcelflow::simulation {
namespace {

class silent final : public rocksdb::Logger {
public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

domain::fault cannot(const std::string& what, const rocksdb::Status& why) {
  return {domain::failure::storage_corrupt, what + ": " + why.ToString()};
}

} // namespace

domain::outcome<image> image::read(const std::shared_ptr<memory_disk>& disk,
                                   const std::string& directory) {
  image made;
  const auto path = directory + "/store";
  const auto env = rocksdb::NewCompositeEnv(disk);
  if (!env->FileExists(path + "/CURRENT").ok())
    return made;
  rocksdb::Options options;
  options.env = env.get();
  options.info_log = std::make_shared<silent>();
  // As they were written; without it a read-only opening of them asserts.
  options.track_and_verify_wals_in_manifest = true;
  options.wal_recovery_mode =
    rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  std::vector<std::string> names;
  if (auto s = rocksdb::DB::ListColumnFamilies(options, path, &names); !s.ok())
    return cannot("list families", s);
  std::vector<rocksdb::ColumnFamilyDescriptor> wanted;
  wanted.reserve(names.size());
  for (const auto& name : names)
    wanted.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  if (auto s =
        rocksdb::DB::OpenForReadOnly(options, path, wanted, &handles, &raw);
      !s.ok())
    return cannot("open", s);
  const std::unique_ptr<rocksdb::DB> db(raw);
  for (auto* handle : handles) {
    for (std::size_t i = 0; i < storage::owner_count; ++i) {
      if (handle->GetName() != to_string(static_cast<storage::owner>(i)))
        continue;
      const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator({}, handle));
      for (at->SeekToFirst(); at->Valid(); at->Next())
        made.families_[i].emplace_hint(made.families_[i].end(),
                                       at->key().ToString(),
                                       at->value().ToString());
    }
    db->DestroyColumnFamilyHandle(handle);
  }
  return made;
}

std::optional<std::string> image::get(storage::owner of,
                                      std::string_view key) const {
  const auto& all = families_[static_cast<std::size_t>(of)];
  const auto at = all.find(key);
  return at == all.end() ? std::nullopt : std::optional(at->second);
}

void image::scan(storage::owner of, std::string_view from,
                 std::string_view upper,
                 const storage::family::visitor& visit) const {
  const auto& all = families_[static_cast<std::size_t>(of)];
  const auto end = upper.empty() ? all.end() : all.lower_bound(upper);
  for (auto at = all.lower_bound(from); at != end; ++at)
    if (!visit(at->first, at->second))
      return;
}

} // namespace parcelflow::simulation
