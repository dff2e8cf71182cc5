#include "storage/acked_mark.hpp"

#include <rocksdb/file_system.h>

#include <filesystem>
#include <mutex>
#include <optional>

namespace parcelflow::storage {
namespace {

using rocksdb::IOOptions;

// A slot is WAL number, sequence, number and bytes of the MANIFEST, checksum: 8
// bytes each, little-endian. An older one lacks what it says of the MANIFEST.
constexpr std::size_t slot_body = 32;
constexpr std::size_t slot_size = slot_body + 8;
constexpr std::size_t older_body = 16;
constexpr std::size_t slot_distance = 512; // a sector
constexpr std::size_t mark_size = slot_distance + slot_size;
constexpr std::size_t older_mark_size = slot_distance + older_body + 8;

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
  append_number(slot, at.manifest.number);
  append_number(slot, at.manifest.bytes);
  append_number(slot, checksum(slot));
  return slot;
}

bool checks(std::string_view slot, std::size_t body) {
  return number_at(slot, body) == checksum(slot.substr(0, body));
}

std::optional<acked_position> decode(std::string_view slot) {
  if (checks(slot, slot_body))
    return acked_position{number_at(slot, 0),
                          number_at(slot, 8),
                          {number_at(slot, 16), number_at(slot, 24)}};
  if (checks(slot, older_body))
    return acked_position{number_at(slot, 0), number_at(slot, 8), {}};
  return std::nullopt;
}

struct slots {
  acked_position at;
  std::size_t next = 0; ///< the slot that does not hold it
};

domain::outcome<slots> decode_file(const std::string& path, std::string bytes) {
  if (bytes.size() != mark_size && bytes.size() != older_mark_size)
    return {domain::failure::storage_corrupt,
            "acked.mark at " + path + " is cut short; nothing was changed"};
  bytes.resize(mark_size, '\0');
  const auto first = decode(std::string_view(bytes).substr(0, slot_size));
  const auto second = decode(std::string_view(bytes).substr(slot_distance));
  if (!first && !second)
    return {domain::failure::storage_corrupt,
            "acked.mark at " + path
              + " holds foreign bytes; nothing was changed"};
  if (first && (!second || !second->after(*first)))
    return slots{*first, 1};
  return slots{*second, 0};
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

domain::outcome<acked_position> acked_mark::read(rocksdb::FileSystem& disk,
                                                 const std::string& path) {
  std::string bytes;
  if (auto s = rocksdb::ReadFileToString(&disk, path, &bytes); !s.ok())
    return unusable(path, s);
  auto found = decode_file(path, std::move(bytes));
  if (!found)
    return found.why();
  return found->at;
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
  auto found = decode_file(path, read.ToString());
  if (!found)
    return found.why();
  self->at = found->at;
  self->slot = found->next;
  self->path = path;
  return std::unique_ptr<acked_mark>(new acked_mark(std::move(self)));
}

acked_position acked_mark::position() const {
  const std::lock_guard guard(impl_->lock);
  return impl_->at;
}

domain::status acked_mark::advance(acked_position to, bool sync) {
  const std::lock_guard guard(impl_->lock);
  if (to.after(impl_->at)) {
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
