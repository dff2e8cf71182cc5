#include "storage/recovered_view.hpp"

#include "codec/event_json.hpp"
#include "storage/keys.hpp"
#include "storage/manifest_place.hpp"
#include "storage/outbox.hpp"

#include <rocksdb/file_system.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace parcelflow::storage {
namespace {

using domain::status;

void replace_all(std::string& text, std::string_view what,
                 std::string_view with) {
  for (auto at = text.find(what); at != text.npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Names of files as they are: without the directory, which is a copy's and
/// soon gone, and not with the older ending that RocksDB tries last.
std::string plain(std::string text, const store_options& of) {
  replace_all(text, store_path(of) + "/", "");
  replace_all(text, ".ldb", ".sst");
  return text;
}

/// Keeps what RocksDB says of the bytes it drops from a log.
class drop_log final : public rocksdb::Logger {
public:
  using rocksdb::Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel, const char* format,
            va_list arguments) override {
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    std::string_view line(text);
    if (line.find("dropping") == std::string_view::npos)
      return;
    if (line.starts_with('[')) // its own source file and line
      line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
    lines.emplace_back(line);
  }
  void Logv(const char*, va_list) override {}

  std::vector<std::string> lines;
};

rocksdb::Options settings_of(const store_options& of, engine& shared,
                             log_recovery how) {
  auto settings = engine_options(of, shared);
  settings.listeners.clear();
  settings.wal_recovery_mode =
    how == log_recovery::up_to_damage
      ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
      : rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  // A log that is missing is no reason to see nothing of the others.
  settings.track_and_verify_wals_in_manifest = false;
  return settings;
}

} // namespace

struct recovered_view::impl {
  engine shared;
  std::vector<std::string> dropped;
};

domain::outcome<std::unique_ptr<recovered_view>>
recovered_view::open(const store_options& of, log_recovery how) {
  auto self = std::make_unique<impl>();
  self->shared.env = environment_of(of);
  auto settings = settings_of(of, self->shared, how);
  const auto log = std::make_shared<drop_log>();
  settings.info_log = log;
  rocksdb::DB* db = nullptr;
  const auto s = rocksdb::DB::OpenForReadOnly(settings, store_path(of),
                                              describe_families(settings),
                                              &self->shared.handles, &db);
  if (!s.ok())
    return {domain::failure::storage_corrupt, plain(s.ToString(), of)};
  self->shared.db.reset(db);
  for (auto& line : log->lines)
    self->dropped.push_back(plain(std::move(line), of));
  return std::unique_ptr<recovered_view>(new recovered_view(std::move(self)));
}

recovered_view::recovered_view(std::unique_ptr<impl> self)
  : impl_(std::move(self)) {}
recovered_view::~recovered_view() = default;

std::uint64_t recovered_view::sequence() const {
  return impl_->shared.db->GetLatestSequenceNumber();
}

const std::vector<std::string>& recovered_view::dropped() const {
  return impl_->dropped;
}

std::uint64_t recovered_view::last_position() const {
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared.db->NewIterator({}, impl_->shared.handle(owner::order)));
  const auto upper = prefix_end(key_writer(kind::outbox).take());
  at->SeekForPrev(upper);
  if (!at->Valid() || at->key()[0] != static_cast<char>(kind::outbox))
    return 0;
  key_reader in(view(at->key()));
  in.byte();
  return in.number();
}

std::vector<lost_event>
recovered_view::events_behind(std::uint64_t position, std::size_t most,
                              std::uint64_t& total) const {
  std::vector<lost_event> found;
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared.db->NewIterator({}, impl_->shared.handle(owner::order)));
  for (at->Seek(outbox_key(the_lane, position + 1));
       at->Valid() && at->key()[0] == static_cast<char>(kind::outbox);
       at->Next()) {
    total += 1;
    if (found.size() == most)
      continue;
    key_reader in(view(at->key()));
    in.byte();
    lost_event lost;
    lost.position = in.number();
    if (const auto row = decode_outbox(view(at->value())))
      if (const auto event = codec::decode_event(row->bytes)) {
        lost.tenant_id = (*event)->envelope.tenant_id;
        lost.order_id = (*event)->envelope.aggregate_id;
        lost.event_type = (*event)->envelope.event_type;
      }
    found.push_back(std::move(lost));
  }
  return found;
}

std::vector<std::string> damaged_tables(const store_options& of) {
  engine shared;
  shared.env = environment_of(of);
  auto settings = engine_options(of, shared);
  std::vector<std::string> files;
  std::vector<std::string> damaged;
  shared.env->GetChildren(store_path(of), &files).PermitUncheckedError();
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (!file.ends_with(".sst"))
      continue;
    rocksdb::SstFileReader reader(settings);
    auto s = reader.Open(store_path(of) + "/" + file);
    if (s.ok())
      s = reader.VerifyChecksum();
    if (!s.ok())
      damaged.push_back(file + ": " + plain(s.ToString(), of));
  }
  return damaged;
}

status recover_in_place(const store_options& copy) {
  engine shared;
  shared.env = environment_of(copy);
  const auto settings = settings_of(copy, shared, log_recovery::up_to_damage);
  rocksdb::DB* db = nullptr;
  if (auto s =
        rocksdb::DB::Open(settings, store_path(copy),
                          describe_families(settings), &shared.handles, &db);
      !s.ok())
    return to_fault("recover the copy", s);
  shared.db.reset(db);
  if (auto s = db->Flush(rocksdb::FlushOptions(), shared.handles); !s.ok())
    return to_fault("flush the copy", s);
  auto& disk = *shared.env->GetFileSystem();
  if (auto made = acked_mark::create(disk, mark_path(copy)); !made)
    return made;
  auto mark = acked_mark::open(disk, mark_path(copy));
  if (!mark)
    return mark.why();
  acked_position at;
  at.sequence = db->GetLatestSequenceNumber();
  at.manifest = manifest_in_use(*db).value_or(manifest_place{});
  return (*mark)->advance(at, true);
}

} // namespace parcelflow::storage
