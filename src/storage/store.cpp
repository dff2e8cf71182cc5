#include "storage/store.hpp"

#include "storage/engine.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/log.hpp"
#include "support/record.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>
#include <rocksdb/transaction_log.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

namespace parcelflow::storage {
namespace {

using domain::failure;
using domain::fault;
using domain::outcome;
using domain::status;

constexpr std::uint32_t format_version = 1;
constexpr std::uint8_t format_record = 1;
constexpr std::size_t batch_header = 12; // sequence (8), count (4)

std::vector<std::string> family_names() {
  std::vector<std::string> names{rocksdb::kDefaultColumnFamilyName};
  for (std::size_t i = 0; i < owner_count; ++i)
    names.emplace_back(to_string(static_cast<owner>(i)));
  return names;
}

std::string store_path(const store_options& options) {
  return options.directory + "/store";
}
std::string mark_path(const store_options& options) {
  return options.directory + "/acked.mark";
}

fault open_fault(const store_options& options, const rocksdb::Status& s) {
  const std::string text = s.ToString();
  if (s.IsIOError() && text.find("lock") != std::string::npos)
    return {failure::storage_locked, "another process holds "
                                       + options.directory
                                       + "; one daemon a data directory"};
  return to_fault("open " + options.directory, s);
}

/// A directory without CURRENT was never a store.
bool is_fresh(engine& shared, const store_options& options) {
  return !shared.env->FileExists(store_path(options) + "/CURRENT").ok();
}

status check_families(const rocksdb::Options& options,
                      const std::string& path) {
  std::vector<std::string> found;
  auto s = rocksdb::DB::ListColumnFamilies(options, path, &found);
  if (!s.ok())
    return to_fault("list families of " + path, s);
  const auto expected = family_names();
  for (const auto& name : found)
    if (std::find(expected.begin(), expected.end(), name) == expected.end())
      return fault{failure::storage_format,
                   "unknown family \"" + name
                     + "\": written by another version; nothing was changed"};
  for (const auto& name : expected)
    if (std::find(found.begin(), found.end(), name) == found.end())
      return fault{failure::storage_format,
                   "family \"" + name + "\" is missing; nothing was changed"};
  return domain::done();
}

status open_engine(engine& shared, const store_options& options, bool fresh) {
  auto settings = engine_options(options, shared);
  settings.create_missing_column_families = fresh;
  const std::string path = store_path(options);
  if (!fresh)
    if (auto checked = check_families(settings, path); !checked)
      return checked;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const auto& name : family_names())
    families.emplace_back(name, settings);
  rocksdb::DB* db = nullptr;
  auto s = rocksdb::DB::Open(settings, path, families, &shared.handles, &db);
  if (!s.ok())
    return open_fault(options, s);
  shared.db.reset(db);
  return domain::done();
}

std::string format_key() {
  return key_writer(kind::format).take();
}

status write_format(engine& shared) {
  const support::system_clock clock;
  support::seeded_id_source ids(clock, support::entropy_seed());
  support::record_writer out(format_record);
  out.u64(format_version).u64(1).text(ids.next_ulid()).i64(clock.now());
  rocksdb::WriteOptions options;
  options.sync = true;
  auto s = shared.db->Put(options, format_key(), out.take());
  if (!s.ok())
    return to_fault("write the format row", s);
  return domain::done();
}

outcome<store_identity> read_format(engine& shared) {
  std::string bytes;
  auto s = shared.db->Get({}, format_key(), &bytes);
  if (s.IsNotFound())
    return {failure::storage_format, "the store has no format row"};
  if (!s.ok())
    return to_fault("read the format row", s);
  support::record_reader in(bytes, format_record);
  store_identity identity;
  identity.format_version = static_cast<std::uint32_t>(in.u64());
  identity.lanes = static_cast<std::uint8_t>(in.u64());
  identity.store_id = in.text();
  in.i64();
  if (!in.complete() || identity.format_version != format_version
      || identity.lanes != 1)
    return {failure::storage_format,
            "store format "
              + (in.complete() ? std::to_string(identity.format_version)
                               : std::string("unreadable"))
              + ", this program knows " + std::to_string(format_version)
              + "; nothing was changed"};
  return identity;
}

/// The first open writes mark and format row; a crash between leaves a store
/// without rows, which the next open completes.
status initialise(engine& shared, const store_options& options) {
  auto& disk = *shared.env->GetFileSystem();
  if (!acked_mark::exists(disk, mark_path(options)))
    if (auto made = acked_mark::create(disk, mark_path(options)); !made)
      return made;
  return write_format(shared);
}

status compare_with_mark(const acked_mark& mark, engine& shared) {
  const auto at = mark.position();
  const auto recovered = shared.db->GetLatestSequenceNumber();
  if (recovered >= at.sequence)
    return domain::done();
  return {failure::storage_rolled_back,
          "the store recovered to sequence " + std::to_string(recovered)
            + " but acknowledged up to " + std::to_string(at.sequence)
            + " (write-ahead log " + std::to_string(at.wal_number)
            + "): rows that were acknowledged are missing, so it is not "
              "opened; keep a copy of the directory and restore a backup"};
}

} // namespace

outcome<std::unique_ptr<store>> store::open(store_options options) {
  auto shared = std::make_shared<engine>();
  shared->on_failure = options.on_failure;
  shared->env = rocksdb::NewCompositeEnv(
    options.file_system ? options.file_system : rocksdb::FileSystem::Default());
  const bool fresh = is_fresh(*shared, options);
  if (fresh && !options.create)
    return {failure::storage_io, "no store in " + options.directory};
  shared->env->CreateDirIfMissing(options.directory).PermitUncheckedError();
  if (auto opened = open_engine(*shared, options, fresh); !opened)
    return opened.why();
  std::string row;
  if (shared->db->GetLatestSequenceNumber() == 0
      && shared->db->Get({}, format_key(), &row).IsNotFound())
    if (auto made = initialise(*shared, options); !made)
      return made.why();
  auto identity = read_format(*shared);
  if (!identity)
    return identity.why();
  auto mark =
    acked_mark::open(shared->env->GetFileSystem(), mark_path(options));
  if (!mark)
    return mark.why();
  if (auto whole = compare_with_mark(**mark, *shared); !whole)
    return whole.why();
  auto self = std::make_unique<impl>();
  self->shared = std::move(shared);
  self->options = std::move(options);
  self->identity = *identity;
  self->mark = std::move(*mark);
  return std::unique_ptr<store>(new store(std::move(self)));
}

store::store(std::unique_ptr<impl> self) : impl_(std::move(self)) {}

store::~store() {
  if (!impl_->shared->failed)
    impl_->advance_mark(true);
  // A family or snapshot that outlives its store would keep the directory
  // locked; they hold a share of the engine only so that this is caught.
  PF_ASSERT(impl_->shared.use_count() == 1);
}

family store::take(owner of) {
  auto& taken = impl_->shared->taken[static_cast<std::size_t>(of)];
  PF_ASSERT(!taken);
  taken = true;
  return family::attach(impl_->shared, of);
}

void store::commit(std::span<const sealed_batch_ptr> batches) {
  PF_ASSERT(!batches.empty());
  auto& shared = *impl_->shared;
  if (shared.failed)
    shared.fail("commit", rocksdb::Status::IOError("the store has failed"));
  std::string joined = batches.front()->content().batch.Data();
  std::uint32_t count = batches.front()->content().batch.Count();
  for (const auto& next : batches.subspan(1)) {
    const auto& batch = next->content().batch;
    joined.append(batch.Data(), batch_header, std::string::npos);
    count += batch.Count();
  }
  for (std::size_t i = 0; i < 4; ++i)
    joined[8 + i] = static_cast<char>(count >> (8 * i));
  rocksdb::WriteBatch round(std::move(joined));
  rocksdb::WriteOptions options;
  options.sync = impl_->options.sync;
  options.protection_bytes_per_key = 8;
  auto s = shared.db->Write(options, &round);
  if (!s.ok() || shared.failed)
    shared.fail("commit", s);
  impl_->advance_mark(false);
}

void store::impl::advance_mark(bool sync) {
  const std::lock_guard guard(mark_lock);
  const auto now = std::chrono::steady_clock::now();
  if (now - mark_synced > std::chrono::milliseconds(options.mark_sync_ms))
    sync = true;
  acked_position at;
  at.sequence = shared->db->GetLatestSequenceNumber();
  std::unique_ptr<rocksdb::LogFile> wal;
  if (sync && shared->db->GetCurrentWalFile(&wal).ok() && wal)
    wal_number = wal->LogNumber();
  at.wal_number = wal_number;
  if (sync)
    mark_synced = now;
  if (auto moved = mark->advance(at, sync); !moved)
    shared->fail("acked.mark", rocksdb::Status::IOError(moved.why().detail));
}

snapshot store::read() const {
  return snapshot::of(impl_->shared);
}

const store_identity& store::identity() const noexcept {
  return impl_->identity;
}

std::uint64_t store::free_bytes() const {
  std::uint64_t free = 0;
  auto s = impl_->shared->env->GetFileSystem()->GetFreeSpace(
    store_path(impl_->options), rocksdb::IOOptions(), &free, nullptr);
  return s.ok() ? free : 0;
}

std::uint64_t store::disk_bytes() const {
  std::uint64_t total = 0;
  std::uint64_t one = 0;
  for (auto* handle : impl_->shared->handles)
    if (impl_->shared->db->GetIntProperty(
          handle, rocksdb::DB::Properties::kTotalSstFilesSize, &one))
      total += one;
  return total;
}

bool store::failed() const noexcept {
  return impl_->shared->failed;
}

void store::flush() {
  auto s =
    impl_->shared->db->Flush(rocksdb::FlushOptions(), impl_->shared->handles);
  if (!s.ok())
    impl_->shared->fail("flush", s);
}

} // namespace parcelflow::storage
