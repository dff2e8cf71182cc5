// The files of a memory_disk: their bytes in both images, and what RocksDB
// holds open of them. Included by memory_disk.cpp and memory_crash.cpp alone.
#pragma once

#include "tests/simulation/memory_disk.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace parcelflow::simulation {

inline std::string parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/"
                                          : std::string(path.substr(0, slash));
}

/// Bytes are shared between a disk and the images taken of it until one of
/// them changes them.
struct memory_disk::inode {
  bool is_directory = false;
  std::shared_ptr<std::string> bytes = std::make_shared<std::string>();
  std::size_t synced = 0; ///< of a file that only grows: this much is stable
  std::shared_ptr<const std::string> stable; ///< of a file written in place

  std::string& own() {
    if (bytes.use_count() > 1)
      bytes = std::make_shared<std::string>(*bytes);
    return *bytes;
  }
  void append(std::string_view data) { own().append(data); }
  void truncate(std::size_t size) {
    own().resize(size);
    synced = std::min(synced, size);
  }
  /// From now on it is written in place.
  void make_fixed() {
    if (!stable)
      stable = std::make_shared<std::string>(bytes->substr(0, synced));
  }
  void overwrite(std::size_t at, std::string_view data) {
    auto& to = own();
    if (to.size() < at + data.size())
      to.resize(at + data.size());
    std::copy(data.begin(), data.end(), to.begin() + static_cast<long>(at));
  }
  void sync() {
    if (stable)
      stable = bytes;
    else
      synced = bytes->size();
  }

  void lose_unsynced(bool torn, chance& draw) {
    if (is_directory)
      return;
    if (stable)
      lose_overwrites(torn, draw);
    else if (bytes->size() > synced)
      lose_tail(torn, draw);
  }

private:
  void lose_tail(bool torn, chance& draw) {
    auto& text = own();
    const auto size = text.size();
    const auto kept = torn ? draw.below(size - synced + 1) : 0;
    text.resize(synced + kept);
    synced = text.size();
  }
  void lose_overwrites(bool torn, chance& draw) {
    std::string text = *stable;
    if (torn) {
      const auto kept = draw.below(bytes->size() + 1);
      text.resize(std::max(text.size(), kept));
      std::copy(bytes->begin(), bytes->begin() + static_cast<long>(kept),
                text.begin());
    }
    bytes = std::make_shared<std::string>(std::move(text));
    stable = bytes;
  }
};

class memory_disk::growing_file final : public rocksdb::FSWritableFile {
public:
  growing_file(memory_disk& of, inode_ptr file, std::string path)
    : disk_(of), file_(std::move(file)), path_(std::move(path)) {}

  status Append(const rocksdb::Slice& data, const io_options&,
                debug*) override {
    const std::lock_guard guard(disk_.lock_);
    const std::string_view text(data.data(), data.size());
    if (auto s = disk_.ask(test::disk_op::append, path_, text); !s.ok())
      return s;
    file_->append(text);
    return status::OK();
  }
  status Append(const rocksdb::Slice& data, const io_options& o,
                const rocksdb::DataVerificationInfo&, debug* d) override {
    return Append(data, o, d);
  }
  status Truncate(std::uint64_t size, const io_options&, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    if (file_->bytes->size() == size)
      return status::OK();
    if (auto s = disk_.ask(test::disk_op::append, path_); !s.ok())
      return s;
    file_->truncate(size);
    return status::OK();
  }
  status Close(const io_options&, debug*) override { return status::OK(); }
  status Flush(const io_options&, debug*) override { return status::OK(); }
  status Sync(const io_options&, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    if (auto s = disk_.ask(test::disk_op::sync, path_); !s.ok())
      return s;
    file_->sync();
    return status::OK();
  }
  std::uint64_t GetFileSize(const io_options&, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    return file_->bytes->size();
  }
  [[nodiscard]] bool IsSyncThreadSafe() const override { return true; }

private:
  memory_disk& disk_;
  inode_ptr file_;
  std::string path_;
};

class memory_disk::fixed_file final : public rocksdb::FSRandomRWFile {
public:
  fixed_file(memory_disk& of, inode_ptr file, std::string path)
    : disk_(of), file_(std::move(file)), path_(std::move(path)) {}

  status Write(std::uint64_t at, const rocksdb::Slice& data, const io_options&,
               debug*) override {
    const std::lock_guard guard(disk_.lock_);
    const std::string_view text(data.data(), data.size());
    if (auto s = disk_.ask(test::disk_op::overwrite, path_, text); !s.ok())
      return s;
    file_->overwrite(at, text);
    return status::OK();
  }
  status Read(std::uint64_t at, std::size_t n, const io_options&,
              rocksdb::Slice* r, char* scratch, debug*) const override {
    const std::lock_guard guard(disk_.lock_);
    const auto& bytes = *file_->bytes;
    const auto from = std::min<std::size_t>(at, bytes.size());
    const auto size = std::min(n, bytes.size() - from);
    std::copy_n(bytes.data() + from, size, scratch);
    *r = rocksdb::Slice(scratch, size);
    return disk_.ask(test::disk_op::read, path_);
  }
  status Flush(const io_options&, debug*) override { return status::OK(); }
  status Sync(const io_options&, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    if (auto s = disk_.ask(test::disk_op::sync, path_); !s.ok())
      return s;
    file_->sync();
    return status::OK();
  }
  status Close(const io_options&, debug*) override { return status::OK(); }

private:
  memory_disk& disk_;
  inode_ptr file_;
  std::string path_;
};

class memory_disk::table_file final : public rocksdb::FSRandomAccessFile {
public:
  table_file(memory_disk& of, inode_ptr file, std::string path)
    : disk_(of), file_(std::move(file)), path_(std::move(path)) {}

  status Read(std::uint64_t at, std::size_t n, const io_options&,
              rocksdb::Slice* r, char* scratch, debug*) const override {
    const std::lock_guard guard(disk_.lock_);
    if (auto s = disk_.ask(test::disk_op::read, path_); !s.ok())
      return s;
    const auto& bytes = *file_->bytes;
    const auto from = std::min<std::size_t>(at, bytes.size());
    const auto size = std::min(n, bytes.size() - from);
    std::copy_n(bytes.data() + from, size, scratch);
    *r = rocksdb::Slice(scratch, size);
    return status::OK();
  }

private:
  memory_disk& disk_;
  inode_ptr file_;
  std::string path_;
};

class memory_disk::stream_file final : public rocksdb::FSSequentialFile {
public:
  stream_file(memory_disk& of, inode_ptr file)
    : disk_(of), file_(std::move(file)) {}

  status Read(std::size_t n, const io_options&, rocksdb::Slice* r,
              char* scratch, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    const auto& bytes = *file_->bytes;
    const auto from = std::min(at_, bytes.size());
    const auto size = std::min(n, bytes.size() - from);
    std::copy_n(bytes.data() + from, size, scratch);
    at_ = from + size;
    *r = rocksdb::Slice(scratch, size);
    return status::OK();
  }
  status Skip(std::uint64_t n) override {
    at_ += n;
    return status::OK();
  }

private:
  memory_disk& disk_;
  inode_ptr file_;
  std::size_t at_ = 0;
};

class memory_disk::directory final : public rocksdb::FSDirectory {
public:
  directory(memory_disk& of, std::string path)
    : disk_(of), path_(std::move(path)) {}

  status Fsync(const io_options&, debug*) override {
    const std::lock_guard guard(disk_.lock_);
    if (auto s = disk_.ask(test::disk_op::entry_sync, path_); !s.ok())
      return s;
    disk_.sync_entries(path_);
    return status::OK();
  }

private:
  memory_disk& disk_;
  std::string path_;
};

} // namespace parcelflow::simulation
