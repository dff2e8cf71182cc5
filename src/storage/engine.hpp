// RocksDB as this project uses it: the settings and the classes that the
// storage layer's .cpp files share. Never included from a public header.
// Sources of the settings: measurements and readings of RocksDB 7.8.3, each
// named beside its setting in engine.cpp.
#pragma once

#include "storage/acked_mark.hpp"
#include "storage/inspect.hpp"
#include "storage/store.hpp"

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace parcelflow::storage {

struct sealed_batch::body {
  /// `bytes` is a guess that saves growing step by step.
  explicit body(std::size_t bytes) : batch(bytes) {}
  rocksdb::WriteBatch batch;
};

/// Shared by the store and every family and snapshot of it.
struct engine {
  std::unique_ptr<rocksdb::Env> env;
  rocksdb::FileLock* lock = nullptr; // on the data directory, while we live
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles; // default, then owners
  std::array<bool, owner_count> taken{};
  std::atomic<bool> failed{false};
  std::atomic<bool> flushed{false}; // the MANIFEST moved, the mark not yet
  std::mutex cause_lock;
  domain::fault cause; // of the first failure; the later ones follow from it
  std::function<void(const domain::fault&)> on_failure;

  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(owner of) const {
    return handles[1 + static_cast<std::size_t>(of)];
  }
  /// Remembers the first failure; any thread.
  void latch(const domain::fault& why);
  /// Latches the failure and calls `on_failure` with the first one.
  [[noreturn]] void fail(const domain::fault& why);
  [[noreturn]] void fail(const std::string& doing,
                         const rocksdb::Status& status);
  /// Fails if the store has failed, in whatever thread that was.
  void check() {
    if (failed)
      fail(domain::fault{domain::failure::storage_io, "the store has failed"});
  }
  ~engine();
};

struct store::impl {
  std::shared_ptr<engine> shared;
  store_options options;
  store_identity identity;
  std::unique_ptr<acked_mark> mark;
  std::mutex mark_lock; // guards the two below when each owner commits alone
  std::optional<support::unix_ms> mark_synced; ///< by the steady clock
  std::uint64_t wal_number = 0;
  manifest_place manifest;
  std::atomic<bool> mark_dirty{false}; ///< moved, and not durable yet

  domain::status advance_mark(bool sync);
};

/// What opening a data directory yields beside the engine.
struct opened {
  store_identity identity;
  std::unique_ptr<acked_mark> mark;
};

/// Locks the directory, looks at it without changing anything, refuses or
/// opens, and completes a first open that was cut short.
[[nodiscard]] domain::outcome<opened>
open_directory(engine& shared, const store_options& options);
/// The environment that `options` ask for: their disk, their threads.
[[nodiscard]] std::unique_ptr<rocksdb::Env>
environment_of(const store_options& options);
[[nodiscard]] const support::clock& clock_of(const store_options& options);
[[nodiscard]] std::string store_path(const store_options& options);
[[nodiscard]] std::string mark_path(const store_options& options);
/// Takes the directory's lock for as long as the engine lives.
[[nodiscard]] domain::status lock_directory(engine& shared,
                                            const store_options& options);
/// What an open would find, on a view that changes nothing.
[[nodiscard]] domain::outcome<directory_state>
judge_directory(engine& shared, const store_options& options);
/// The families that a whole store has, in the order of `engine::handles`.
[[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor>
describe_families(const rocksdb::Options& settings);

[[nodiscard]] rocksdb::Options engine_options(const store_options& from,
                                              engine& shared);
[[nodiscard]] domain::fault to_fault(const std::string& doing,
                                     const rocksdb::Status& status);
[[nodiscard]] inline rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}
[[nodiscard]] inline std::string_view view(const rocksdb::Slice& text) {
  return {text.data(), text.size()};
}

} // namespace parcelflow::storage
