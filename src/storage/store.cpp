#include "storage/store.hpp"

#include "storage/engine.hpp"
#include "storage/manifest_place.hpp"
#include "support/assert.hpp"
#include "support/log.hpp"

#include <rocksdb/file_system.h>
#include <rocksdb/transaction_log.h>

namespace parcelflow::storage {
namespace {

constexpr std::size_t batch_header = 12; // sequence (8), count (4)

/// One batch out of many: the bodies behind each other, the counts summed.
rocksdb::WriteBatch join(std::span<const sealed_batch_ptr> batches) {
  std::uint32_t count = 0;
  std::size_t bytes = 0;
  for (const auto& next : batches) {
    count += next->content().batch.Count();
    bytes += next->bytes();
  }
  std::string joined;
  joined.reserve(bytes);
  joined = batches.front()->content().batch.Data();
  for (const auto& next : batches.subspan(1))
    joined.append(next->content().batch.Data(), batch_header);
  for (std::size_t i = 0; i < 4; ++i)
    joined[8 + i] = static_cast<char>(count >> (8 * i));
  return rocksdb::WriteBatch(std::move(joined));
}

} // namespace

domain::outcome<std::unique_ptr<store>> store::open(store_options options) {
  auto shared = std::make_shared<engine>();
  shared->on_failure = options.on_failure;
  shared->env = environment_of(options);
  auto found = open_directory(*shared, options);
  if (!found)
    return found.why();
  auto self = std::make_unique<impl>();
  self->shared = std::move(shared);
  self->options = std::move(options);
  self->identity = found->identity;
  self->mark = std::move(found->mark);
  if (self->mark)
    self->manifest = self->mark->position().manifest;
  if (!self->options.read_only) // the open wrote a MANIFEST of its own
    if (auto moved = self->advance_mark(true); !moved)
      return moved.why();
  return std::unique_ptr<store>(new store(std::move(self)));
}

store::store(std::unique_ptr<impl> self) : impl_(std::move(self)) {}

store::~store() {
  // Nothing is acknowledged after this, so a mark that cannot be written is
  // no reason to fail: it is behind, never ahead.
  if (!impl_->shared->failed && !impl_->options.read_only)
    if (auto moved = impl_->advance_mark(true); !moved)
      support::log::error("storage", moved.why().detail);
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
  shared.check();
  auto round = join(batches);
  if (impl_->options.on_round)
    impl_->options.on_round(round.Data());
  rocksdb::WriteOptions options;
  options.sync = impl_->options.sync;
  options.protection_bytes_per_key = 8;
  if (auto s = shared.db->Write(options, &round); !s.ok())
    shared.fail("commit", s);
  shared.check();
  if (auto moved = impl_->advance_mark(false); !moved)
    shared.fail(moved.why());
}

void store::sync_mark() {
  if (!impl_->mark_dirty && !impl_->shared->flushed)
    return;
  impl_->shared->check();
  if (auto moved = impl_->advance_mark(true); !moved)
    impl_->shared->fail(moved.why());
}

domain::status store::impl::advance_mark(bool sync) {
  if (!options.sync) // rows that may be lost are not to be missed
    return domain::done();
  const std::lock_guard guard(mark_lock);
  const auto now = clock_of(options).steady();
  if (!mark_synced || now - *mark_synced >= options.mark_sync_ms)
    sync = true;
  acked_position at;
  // Every write is synced before RocksDB publishes its sequence, so this is
  // durable, also when another thread's write is under way.
  at.sequence = shared->db->GetLatestSequenceNumber();
  if (sync) {
    mark_synced = now;
    shared->flushed = false;
    std::unique_ptr<rocksdb::LogFile> wal;
    if (shared->db->GetCurrentWalFile(&wal).ok() && wal)
      wal_number = wal->LogNumber();
    if (const auto place = manifest_in_use(*shared->db))
      manifest = *place;
  }
  at.wal_number = wal_number;
  at.manifest = manifest;
  mark_dirty = !sync;
  return mark->advance(at, sync);
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
  const auto path = store_path(impl_->options);
  std::vector<rocksdb::Env::FileAttributes> files;
  std::uint64_t total = 0;
  if (impl_->shared->env->GetChildrenFileAttributes(path, &files).ok())
    for (const auto& file : files)
      total += file.size_bytes;
  return total;
}

bool store::failed() const noexcept {
  return impl_->shared->failed;
}

void store::flush(bool wait) {
  impl_->shared->check();
  rocksdb::FlushOptions options;
  options.wait = wait;
  options.allow_write_stall = !wait;
  auto s = impl_->shared->db->Flush(options, impl_->shared->handles);
  if (!s.ok())
    impl_->shared->fail("flush", s);
  sync_mark();
}

} // namespace parcelflow::storage
