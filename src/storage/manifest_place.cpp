#include "storage/manifest_place.hpp"

#include "storage/engine.hpp"

#include <charconv>

namespace parcelflow::storage {
namespace {

using domain::failure;

constexpr std::string_view prefix = "MANIFEST-";

/// The number in "MANIFEST-000068"; nothing if that is no such name.
std::optional<std::uint64_t> number_in(std::string_view name) {
  std::uint64_t number = 0;
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto* end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end)
    return std::nullopt;
  return number;
}

} // namespace

std::optional<manifest_place> manifest_in_use(rocksdb::DB& of) {
  std::vector<std::string> files;
  manifest_place place;
  if (!of.GetLiveFiles(files, &place.bytes, false).ok())
    return std::nullopt;
  for (const auto& file : files)
    if (const auto number = number_in(std::string_view(file).substr(1))) {
      place.number = *number;
      return place;
    }
  return std::nullopt;
}

domain::outcome<manifest_place> manifest_on_disk(rocksdb::Env& env,
                                                 const std::string& store) {
  std::string name;
  if (auto s = rocksdb::ReadFileToString(&env, store + "/CURRENT", &name);
      !s.ok())
    return to_fault("read " + store + "/CURRENT", s);
  if (name.ends_with('\n'))
    name.pop_back();
  const auto number = number_in(name);
  if (!number)
    return {failure::storage_corrupt, store + "/CURRENT names no MANIFEST"};
  manifest_place place{*number, 0};
  if (auto s = env.GetFileSize(store + "/" + name, &place.bytes); !s.ok())
    return to_fault("read " + store + "/" + name, s);
  return place;
}

domain::status check_manifest(const manifest_place& marked,
                              const manifest_place& found) {
  if (!marked.after(found))
    return domain::done();
  return domain::fault{failure::storage_rolled_back,
                       "MANIFEST " + std::to_string(found.number) + " has "
                         + std::to_string(found.bytes) + " bytes, but MANIFEST "
                         + std::to_string(marked.number) + " was in use with "
                         + std::to_string(marked.bytes)
                         + ": rows that were acknowledged may be missing"};
}

} // namespace parcelflow::storage
