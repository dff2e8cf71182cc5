#include "storage/acked_mark.hpp"

#include <rocksdb/file_system.h>

#include <filesystem>
#include <mutex>
#include <optional>

namespace parcelflow::storage {
namespace {

using rocksdb::IOOptions;

// A slot is WAL number, sequence and checksum, 8 bytes each, little-endian.
constexpr std::size_t slot_body = 16;
constexpr std::size_t slot_size = 24;
constexpr std::size_t slot_distance = 512; // a sector
constexpr std::size_t mark_size = slot_distance + slot_size;

domain::fault unusable(const std::string& path, const rocksdb::IOStatus& why) {
  return {why.IsNoSpace() ? domain::failure::disk_full
                          : domain::failure::storage_io,
          "acked.mark at " + path + ": " + why.ToString()};
}

/// FNV-1a, 64 bits: against torn and foreign bytes, not against an enemy.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3ULL;
  return sum;
}

void append_number(std::string& to, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i)
    to.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;)
    value = (value << 8U) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::string encode(acked_position at) {
  std::string slot;
  append_number(slot, at.wal_number);
  append_number(slot, at.sequence);
  append_number(slot, checksum(slot));
  return slot;
}

std::optional<acked_position> decode(std::string_view slot) {
  if (number_at(slot, slot_body) != checksum(slot.substr(0, slot_body)))
    return std::nullopt;
  return acked_position{number_at(slot, 0), number_at(slot, 8)};
}

} // namespace

struct acked_mark::impl {
  std::string path;
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  mutable std::mutex lock;
  acked_position at;
  std::size_t slot = 0;  // where the next write goes; the other one is synced
  bool unsynced = false; // that slot was written since the last sync
};

acked_mark::acked_mark(std::unique_ptr<impl> self) : impl_(std::move(self)) {}
acked_mark::~acked_mark() = default;

bool acked_mark::exists(rocksdb::FileSystem& disk, const std::string& path) {
  return !disk.FileExists(path, IOOptions(), nullptr).IsNotFound();
}

domain::status acked_mark::create(rocksdb::FileSystem& disk,
                                  const std::string& path) {
  std::string bytes = encode({});
  bytes.resize(slot_distance, '\0');
  bytes += encode({});
  const std::string fresh = path + ".new";
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto s = disk.NewWritableFile(fresh, rocksdb::FileOptions(), &file, nullptr);
  if (s.ok())
    s = file->Append(bytes, IOOptions(), nullptr);
  if (s.ok())
    s = file->Fsync(IOOptions(), nullptr);
  if (s.ok())
    s = file->Close(IOOptions(), nullptr);
  if (s.ok())
    s = disk.RenameFile(fresh, path, IOOptions(), nullptr);
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
acked_mark::open(rocksdb::FileSystem& disk, const std::string& path) {
  auto self = std::make_unique<impl>();
  auto s =
    disk.NewRandomRWFile(path, rocksdb::FileOptions(), &self->file, nullptr);
  char scratch[mark_size];
  rocksdb::Slice read;
  if (s.ok())
    s = self->file->Read(0, mark_size, IOOptions(), &read, scratch, nullptr);
  // What a crash of the process left in the page cache is read like synced
  // bytes, so it must be synced before the other slot is given up.
  if (s.ok())
    s = self->file->Sync(IOOptions(), nullptr);
  if (!s.ok())
    return unusable(path, s);
  if (read.size() != mark_size)
    return {domain::failure::storage_corrupt,
            "acked.mark at " + path + " is cut short; nothing was changed"};
  const std::string_view bytes(read.data(), read.size());
  const auto first = decode(bytes.substr(0, slot_size));
  const auto second = decode(bytes.substr(slot_distance, slot_size));
  if (!first && !second)
    return {domain::failure::storage_corrupt,
            "acked.mark at " + path
              + " holds foreign bytes; nothing was changed"};
  const bool first_leads =
    first && (!second || first->sequence >= second->sequence);
  self->at = first_leads ? *first : *second;
  self->slot = first_leads ? 1 : 0;
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
    auto s = impl_->file->Write(impl_->slot * slot_distance, encode(to),
                                IOOptions(), nullptr);
    if (!s.ok())
      return unusable(impl_->path, s);
    impl_->at = to;
    impl_->unsynced = true;
  }
  if (sync && impl_->unsynced) {
    auto s = impl_->file->Sync(IOOptions(), nullptr);
    if (!s.ok())
      return unusable(impl_->path, s);
    impl_->slot = 1 - impl_->slot;
    impl_->unsynced = false;
  }
  return domain::done();
}

} // namespace parcelflow::storage
