#include "storage/acked_mark.hpp"

#include <rocksdb/file_system.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace parcelflow::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
constexpr std::size_t mark_size = 16;

domain::fault unusable(const std::string& path, const rocksdb::IOStatus& why) {
  return {domain::failure::storage_io,
          "acked.mark at " + path + ": " + why.ToString()};
}

std::string encode(acked_position at) {
  std::string bytes(mark_size, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(at.wal_number >> (8 * i));
    bytes[8 + i] = static_cast<char>(at.sequence >> (8 * i));
  }
  return bytes;
}

acked_position decode(const char* bytes) {
  acked_position at;
  for (std::size_t i = 8; i-- > 0;) {
    at.wal_number = (at.wal_number << 8U) | static_cast<std::uint8_t>(bytes[i]);
    at.sequence = (at.sequence << 8U) | static_cast<std::uint8_t>(bytes[8 + i]);
  }
  return at;
}

} // namespace

struct acked_mark::impl {
  std::shared_ptr<rocksdb::FileSystem> disk;
  std::string path;
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  mutable std::mutex lock;
  acked_position at;
};

acked_mark::acked_mark(std::unique_ptr<impl> self) : impl_(std::move(self)) {}
acked_mark::~acked_mark() = default;

bool acked_mark::exists(rocksdb::FileSystem& disk, const std::string& path) {
  return disk.FileExists(path, IOOptions(), nullptr).ok();
}

domain::status acked_mark::create(rocksdb::FileSystem& disk,
                                  const std::string& path) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto s = disk.NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (s.ok())
    s = file->Append(encode({}), IOOptions(), nullptr);
  if (s.ok())
    s = file->Fsync(IOOptions(), nullptr);
  if (s.ok())
    s = file->Close(IOOptions(), nullptr);
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const auto parent = std::filesystem::path(path).parent_path().string();
  if (s.ok())
    s = disk.NewDirectory(parent, IOOptions(), &directory, nullptr);
  if (s.ok())
    s = directory->Fsync(IOOptions(), nullptr);
  if (!s.ok())
    return unusable(path, s);
  return domain::done();
}

domain::outcome<std::unique_ptr<acked_mark>>
acked_mark::open(std::shared_ptr<rocksdb::FileSystem> disk,
                 const std::string& path) {
  auto self = std::make_unique<impl>();
  auto s =
    disk->NewRandomRWFile(path, rocksdb::FileOptions(), &self->file, nullptr);
  char scratch[mark_size];
  rocksdb::Slice read;
  if (s.ok())
    s = self->file->Read(0, mark_size, IOOptions(), &read, scratch, nullptr);
  if (!s.ok())
    return unusable(path, s);
  if (read.size() != mark_size)
    return {domain::failure::storage_corrupt,
            "acked.mark at " + path + " is shorter than 16 bytes"};
  self->at = decode(read.data());
  self->disk = std::move(disk);
  self->path = path;
  return std::unique_ptr<acked_mark>(new acked_mark(std::move(self)));
}

acked_position acked_mark::position() const {
  const std::lock_guard guard(impl_->lock);
  return impl_->at;
}

domain::status acked_mark::advance(acked_position to, bool sync) {
  const std::lock_guard guard(impl_->lock);
  if (to.sequence > impl_->at.sequence) {
    impl_->at = to;
    auto s = impl_->file->Write(0, encode(to), IOOptions(), nullptr);
    if (!s.ok())
      return unusable(impl_->path, s);
  }
  if (sync) {
    auto s = impl_->file->Sync(IOOptions(), nullptr);
    if (!s.ok())
      return unusable(impl_->path, s);
  }
  return domain::done();
}

} // namespace parcelflow::storage
