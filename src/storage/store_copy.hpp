// A working copy of a store's files beside the store itself. Tables never
// change once written, so they are hard-linked where the disk can; everything
// else is copied and synced, because whoever opens the copy changes it. The
// source is only read.
// Private to the storage layer. Thread rule: plain functions. Errors: the file
// that could not be read or written, by name.
#pragma once

#include "domain/failure.hpp"

#include <memory>
#include <string>

namespace rocksdb {
class FileSystem;
} // namespace rocksdb

namespace parcelflow::storage {

/// Copies the files of one directory into another, which exists and is empty.
[[nodiscard]] domain::status copy_store(rocksdb::FileSystem& disk,
                                        const std::string& from,
                                        const std::string& to);

/// Makes the names in a directory durable.
[[nodiscard]] domain::status sync_entries(rocksdb::FileSystem& disk,
                                          const std::string& directory);

/// A directory of a moment, removed with what is in it when this dies. Knows
/// two levels, which is what a data directory has.
class scratch_directory {
public:
  static domain::outcome<std::unique_ptr<scratch_directory>>
  make(std::shared_ptr<rocksdb::FileSystem> disk, std::string path);
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Gives it its final name, durably; nothing is removed then.
  domain::status keep_as(const std::string& name);

private:
  scratch_directory(std::shared_ptr<rocksdb::FileSystem> disk,
                    std::string path);
  std::shared_ptr<rocksdb::FileSystem> disk_;
  std::string path_;
  bool kept_ = false;
};

} // namespace parcelflow::storage
