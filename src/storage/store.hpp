// The one RocksDB of a data directory: opens it (or refuses by name), gives
// each owner its family once, writes rounds, closes. Layout of the directory:
// `store/` (RocksDB), `acked.mark` (how far this store ever acknowledged),
// `lock` (held by the one process that has it open).
//
// Refusals at open, each before anything is changed: another process holds
// the directory (storage_locked), an unknown format or family or a missing one
// (storage_format), bytes that do not check or a lost mark (storage_corrupt),
// fewer rows than were acknowledged (storage_rolled_back). For this the logs
// are recovered twice, once in memory: a start after a crash takes up to
// `wal_bytes_max` more memory for a moment; after flush() there is nothing to
// recover.
//
// Opened read-only, a store that is whole is recovered in memory alone: the
// directory is as it was afterwards, whatever was done before.
//
// Fail-stop (R30): after a storage error whose outcome is unknown nothing may
// be acknowledged. Reads, writes and when_durable then call `on_failure` with
// the first cause, which must not return; the default logs and leaves with exit
// code 74.
// Thread rule: open, take and close on one thread; commit from the committer,
// or from each owner for itself; snapshots from any thread.
#pragma once

#include "domain/failure.hpp"
#include "storage/family.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rocksdb {
class Env;
class FileSystem;
} // namespace rocksdb

namespace parcelflow::storage {

struct engine;

struct store_options {
  std::string directory;
  bool create = true;     ///< else a missing one refuses
  bool read_only = false; ///< changes no byte; a write is fail-stop
  bool sync = true;       ///< false: benches only
  std::uint64_t write_buffer_bytes = 64U << 20; ///< a family's memtable
  std::uint64_t wal_bytes_max = 512U << 20;     ///< bounds recovery time
  std::int64_t mark_sync_ms = 1000; ///< acked.mark to stable storage
  std::shared_ptr<rocksdb::FileSystem> file_system; ///< the disk seam
  /// Around RocksDB's environment: who runs its background work, and when.
  /// Empty: threads of its own. For simulation.
  std::function<std::unique_ptr<rocksdb::Env>(std::unique_ptr<rocksdb::Env>)>
    wrap_env;
  const support::clock* clock = nullptr; ///< outlives the store; null: real
  std::uint64_t seed = 0; ///< of a new store's id; 0: from the system
  /// Sees each round's bytes before it is written; for benches and tests.
  std::function<void(std::string_view)> on_round;
  std::function<void(const domain::fault&)> on_failure; ///< must not return
};

/// What a store says of itself.
struct store_identity {
  std::uint32_t format_version = 0;
  std::uint8_t lanes = 0;
  std::string store_id; ///< a ULID given at creation
};

/// Read access to every owner's durable rows as of one instant.
class snapshot {
public:
  snapshot(snapshot&&) noexcept;
  snapshot& operator=(snapshot&&) noexcept;
  ~snapshot();

  [[nodiscard]] std::optional<std::string> get(owner of,
                                               std::string_view key) const;
  void scan(owner of, std::string_view from, std::string_view upper,
            const family::visitor& visit) const;
  /// The same rows, the last one first.
  void scan_back(owner of, std::string_view from, std::string_view upper,
                 const family::visitor& visit) const;
  /// The first row with key >= from and < upper.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>>
  first(owner of, std::string_view from, std::string_view upper) const;
  /// The last row with key >= from and < upper.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>>
  last(owner of, std::string_view from, std::string_view upper) const;

private:
  friend class store;
  struct impl;
  static snapshot of(const std::shared_ptr<engine>& shared);
  explicit snapshot(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

class store {
public:
  static domain::outcome<std::unique_ptr<store>> open(store_options options);
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  /// Every family must be gone. Closes with all rounds durable.
  ~store();

  /// The writable handle of one owner; a second call for it asserts.
  [[nodiscard]] family take(owner of);

  /// Writes the batches as ONE atomic, synced write: all durable and visible
  /// in the same instant, or fail-stop.
  void commit(std::span<const sealed_batch_ptr> batches);

  /// Makes `acked.mark` durable if a round moved it since it last was. Called
  /// about once a second, so that the mark of a store at rest is durable too.
  void sync_mark();

  [[nodiscard]] snapshot read() const;
  [[nodiscard]] const store_identity& identity() const noexcept;

  /// Bytes that the disk still has; measured, not cached.
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Size of every file that RocksDB keeps, logs included; for metrics.
  [[nodiscard]] std::uint64_t disk_bytes() const;
  /// The store failed; nothing may be acknowledged.
  [[nodiscard]] bool failed() const noexcept;
  /// Flushes memtables, so that the next start has little to recover. Without
  /// waiting it only begins: background work does the rest.
  void flush(bool wait = true);

  struct impl;

private:
  explicit store(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

} // namespace parcelflow::storage
