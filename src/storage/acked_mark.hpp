// How far this store ever acknowledged: WAL number and last sequence, and how
// far its MANIFEST was synced; overwritten after each round and synced once a
// second. RocksDB's own recovery opens quietly when the end of the last WAL or
// of the MANIFEST is gone; comparing with the mark is what notices. Written
// after the round's sync, it is never ahead of the truth; a synced WAL tail
// that is lost together with the mark's last second stays unnoticed
// (docs/GUARANTEES.md).
//
// Two slots, each with a checksum, a sector apart: writes go to one of them
// until a sync, then to the other. So the slot that was synced last is never
// being overwritten, and a torn write costs at most the last second.
// Thread rule: any thread, one lock inside. Errors: domain::status.
#pragma once

#include "domain/failure.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace rocksdb {
class FileSystem;
} // namespace rocksdb

namespace parcelflow::storage {

/// A MANIFEST and how many of its bytes are synced; 0 and 0 if unknown.
struct manifest_place {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool after(const manifest_place& other) const noexcept {
    return number > other.number
           || (number == other.number && bytes > other.bytes);
  }
  friend bool operator==(const manifest_place&,
                         const manifest_place&) = default;
};

struct acked_position {
  std::uint64_t wal_number = 0;
  std::uint64_t sequence = 0;
  manifest_place manifest = {};

  /// Later in what it says of rows or of files.
  [[nodiscard]] bool after(const acked_position& other) const noexcept {
    return sequence > other.sequence
           || (sequence == other.sequence && manifest.after(other.manifest));
  }
};

class acked_mark {
public:
  /// Makes a new mark at zero, whole or not at all, durable with its directory
  /// entry.
  static domain::status create(rocksdb::FileSystem& disk,
                               const std::string& path);
  /// False only if it certainly is not there.
  static bool exists(rocksdb::FileSystem& disk, const std::string& path);
  /// What it says, without opening it for writing; errors as of `open`.
  static domain::outcome<acked_position> read(rocksdb::FileSystem& disk,
                                              const std::string& path);
  /// Reads it; storage_corrupt if it is short or no slot checks.
  static domain::outcome<std::unique_ptr<acked_mark>>
  open(rocksdb::FileSystem& disk, const std::string& path);
  ~acked_mark();

  [[nodiscard]] acked_position position() const;
  /// Moves the mark forward (never back); syncs it if `sync`.
  domain::status advance(acked_position to, bool sync);

private:
  struct impl;
  explicit acked_mark(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

} // namespace parcelflow::storage
