#include "storage/engine.hpp"

#include "storage/keys.hpp"
#include "support/log.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace parcelflow::storage {
namespace {

/// RocksDB's own words, into our log. An own logger is not a matter of taste:
/// with the default one a full disk aborts the process inside Put.
class info_log final : public rocksdb::Logger {
public:
  info_log() : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel level, const char* format,
            va_list arguments) override {
    if (level < GetInfoLogLevel())
      return;
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    support::log::warning("rocksdb", text);
  }
  void Logv(const char*, va_list) override {} // headers, not news
};

/// Any background error is the end of this store (see engine_options).
class failure_listener final : public rocksdb::EventListener {
public:
  explicit failure_listener(engine& shared) : shared_(shared) {}
  void OnBackgroundError(rocksdb::BackgroundErrorReason,
                         rocksdb::Status* status) override {
    shared_.latch(to_fault("rocksdb", *status));
    support::log::error("storage", "the store failed",
                        {{"status", status->ToString()}});
  }
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo&) override {
    shared_.flushed = true;
  }

private:
  engine& shared_;
};

/// Kind and tenant: rows of one tenant are written in order of time, so the
/// memtable finds the place of the next one beside the last.
class hint_transform final : public rocksdb::SliceTransform {
public:
  const char* Name() const override { return "parcelflow.kind_tenant"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), hint_prefix_size(view(key))};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return hint_prefix_size(view(key)) > 0;
  }
};

void set_durability(rocksdb::Options& to, const store_options& from) {
  to.wal_recovery_mode =
    rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  to.paranoid_checks = true; // false forgets a failed WAL write
  to.track_and_verify_wals_in_manifest = true;
  to.max_bgerror_resume_count = 0; // in-place resume is broken before 9.x
  to.max_total_wal_size = from.wal_bytes_max;
  to.avoid_unnecessary_blocking_io = true;
}

} // namespace

rocksdb::Options engine_options(const store_options& from, engine& shared) {
  rocksdb::Options to;
  to.env = shared.env.get();
  set_durability(to, from);
  to.info_log = std::make_shared<info_log>();
  to.listeners.push_back(std::make_shared<failure_listener>(shared));
  to.write_buffer_size = from.write_buffer_bytes;
  to.max_background_jobs = 2;
  to.stats_dump_period_sec = 0;
  to.stats_persist_period_sec = 0;
  to.memtable_insert_with_hint_prefix_extractor =
    std::make_shared<hint_transform>();
  to.memtable_prefix_bloom_size_ratio = 0.1;
  to.memtable_whole_key_filtering = true;
  // One writer thread: hints are ignored by concurrent inserts.
  to.allow_concurrent_memtable_write = false;
  to.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                              rocksdb::kLZ4Compression};
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(128U << 20U);
  table.cache_index_and_filter_blocks = true;
  to.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return to;
}

std::unique_ptr<rocksdb::Env> environment_of(const store_options& options) {
  auto env = rocksdb::NewCompositeEnv(
    options.file_system ? options.file_system : rocksdb::FileSystem::Default());
  return options.wrap_env ? options.wrap_env(std::move(env)) : std::move(env);
}

const support::clock& clock_of(const store_options& options) {
  static const support::system_clock machine;
  return options.clock != nullptr ? *options.clock : machine;
}

domain::fault to_fault(const std::string& doing,
                       const rocksdb::Status& status) {
  const std::string text = doing + ": " + status.ToString();
  if (status.IsCorruption())
    return {domain::failure::storage_corrupt, text};
  if (status.IsNoSpace())
    return {domain::failure::disk_full, text};
  return {domain::failure::storage_io, text};
}

void engine::latch(const domain::fault& why) {
  const std::lock_guard guard(cause_lock);
  if (!failed)
    cause = why;
  failed = true;
}

void engine::fail(const domain::fault& why) {
  latch(why);
  support::log::error("storage", why.detail);
  domain::fault first;
  {
    const std::lock_guard guard(cause_lock);
    first = cause;
  }
  if (on_failure)
    on_failure(first);
  std::_Exit(74); // sysexits: I/O error; restart verifies before it serves
}

void engine::fail(const std::string& doing, const rocksdb::Status& status) {
  fail(to_fault(doing, status));
}

engine::~engine() {
  for (auto* handle : handles)
    db->DestroyColumnFamilyHandle(handle);
  if (db)
    db->Close().PermitUncheckedError();
  db.reset();
  if (lock != nullptr)
    env->UnlockFile(lock).PermitUncheckedError();
}

} // namespace parcelflow::storage
