#include "storage/store_copy.hpp"

#include "storage/engine.hpp"
#include "support/log.hpp"

#include <rocksdb/file_system.h>

#include <filesystem>

namespace parcelflow::storage {
namespace {

using domain::status;
using rocksdb::FileOptions;
using rocksdb::IOOptions;

constexpr std::size_t chunk_bytes = 1U << 20U;

status copy_file(rocksdb::FileSystem& disk, const std::string& from,
                 const std::string& to) {
  std::unique_ptr<rocksdb::FSSequentialFile> in;
  std::unique_ptr<rocksdb::FSWritableFile> out;
  if (auto s = disk.NewSequentialFile(from, FileOptions(), &in, nullptr);
      !s.ok())
    return to_fault("read " + from, s);
  auto s = disk.NewWritableFile(to, FileOptions(), &out, nullptr);
  std::string scratch(chunk_bytes, '\0');
  while (s.ok()) {
    rocksdb::Slice read;
    if (auto got =
          in->Read(scratch.size(), IOOptions(), &read, scratch.data(), nullptr);
        !got.ok())
      return to_fault("read " + from, got);
    if (read.empty())
      break;
    s = out->Append(read, IOOptions(), nullptr);
  }
  if (s.ok())
    s = out->Fsync(IOOptions(), nullptr);
  if (s.ok())
    s = out->Close(IOOptions(), nullptr);
  return s.ok() ? domain::done() : to_fault("write " + to, s);
}

std::vector<std::string> names_in(rocksdb::FileSystem& disk,
                                  const std::string& directory) {
  std::vector<std::string> names;
  disk.GetChildren(directory, IOOptions(), &names, nullptr)
    .PermitUncheckedError();
  std::erase_if(names, [](const auto& n) { return n == "." || n == ".."; });
  return names;
}

void remove_all(rocksdb::FileSystem& disk, const std::string& directory,
                int levels) {
  for (const auto& name : names_in(disk, directory)) {
    const auto path = directory + "/" + name;
    if (!disk.DeleteFile(path, IOOptions(), nullptr).ok() && levels > 1)
      remove_all(disk, path, levels - 1);
  }
  disk.DeleteDir(directory, IOOptions(), nullptr).PermitUncheckedError();
}

} // namespace

status copy_store(rocksdb::FileSystem& disk, const std::string& from,
                  const std::string& to) {
  std::vector<std::string> names;
  if (auto s = disk.GetChildren(from, IOOptions(), &names, nullptr); !s.ok())
    return to_fault("list " + from, s);
  for (const auto& name : names) {
    if (name == "." || name == ".." || name == "LOCK")
      continue;
    const auto source = from + "/" + name;
    const auto target = to + "/" + name;
    if (name.ends_with(".sst")
        && disk.LinkFile(source, target, IOOptions(), nullptr).ok())
      continue;
    if (auto copied = copy_file(disk, source, target); !copied)
      return copied;
  }
  return sync_entries(disk, to);
}

status sync_entries(rocksdb::FileSystem& disk, const std::string& directory) {
  std::unique_ptr<rocksdb::FSDirectory> open;
  auto s = disk.NewDirectory(directory, IOOptions(), &open, nullptr);
  if (s.ok())
    s = open->Fsync(IOOptions(), nullptr);
  return s.ok() ? domain::done() : to_fault("sync directory " + directory, s);
}

domain::outcome<std::unique_ptr<scratch_directory>>
scratch_directory::make(std::shared_ptr<rocksdb::FileSystem> disk,
                        std::string path) {
  if (auto s = disk->CreateDir(path, IOOptions(), nullptr); !s.ok())
    return to_fault("create " + path, s);
  return std::unique_ptr<scratch_directory>(
    new scratch_directory(std::move(disk), std::move(path)));
}

scratch_directory::scratch_directory(std::shared_ptr<rocksdb::FileSystem> disk,
                                     std::string path)
  : disk_(std::move(disk)), path_(std::move(path)) {}

scratch_directory::~scratch_directory() {
  if (!kept_)
    remove_all(*disk_, path_, 2);
}

status scratch_directory::keep_as(const std::string& name) {
  if (auto synced = sync_entries(*disk_, path_); !synced)
    return synced;
  if (auto s = disk_->RenameFile(path_, name, IOOptions(), nullptr); !s.ok())
    return to_fault("move " + path_ + " to " + name, s);
  kept_ = true;
  return sync_entries(*disk_,
                      std::filesystem::absolute(name).parent_path().string());
}

} // namespace parcelflow::storage
