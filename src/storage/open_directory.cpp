// How a data directory is opened. Everything is judged on a read-only view
// first, because RocksDB's own opening already rewrites files: it flushes what
// the logs hold and deletes them, and with them the evidence of what is wrong.
//
// A first open goes: directory, families, format row, acked.mark; the mark
// comes last, so a store without one is a first open that was cut short (it
// holds no rows, and is completed) or has lost its mark (it is refused).
#include "storage/engine.hpp"
#include "storage/keys.hpp"
#include "storage/manifest_place.hpp"
#include "support/clock.hpp"
#include "support/id_source.hpp"
#include "support/log.hpp"
#include "support/record.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <filesystem>

namespace parcelflow::storage {
namespace {

using domain::failure;
using domain::fault;
using domain::outcome;
using domain::status;

constexpr std::uint64_t format_version = 3;
constexpr std::uint64_t lanes = 1;
constexpr std::uint8_t format_record = 1;

/// What the read-only view of a store shows.
struct glimpse {
  std::optional<std::string> format_row;
  std::uint64_t sequence = 0;
};

std::vector<std::string> family_names() {
  std::vector<std::string> names{rocksdb::kDefaultColumnFamilyName};
  for (std::size_t i = 0; i < owner_count; ++i)
    names.emplace_back(to_string(static_cast<owner>(i)));
  return names;
}

std::string format_key() {
  return key_writer(kind::format).take();
}
bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An error that leaves the answer open counts as "there": what follows then
/// fails with it, and nothing is created over a store that cannot be seen.
bool exists(const engine& shared, const std::string& path) {
  return !shared.env->FileExists(path).IsNotFound();
}

status sync_directory(const engine& shared, const std::string& path) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const rocksdb::IOOptions options;
  auto s = shared.env->GetFileSystem()->NewDirectory(path, options, &directory,
                                                     nullptr);
  if (s.ok())
    s = directory->Fsync(options, nullptr);
  return s.ok() ? domain::done() : to_fault("sync directory " + path, s);
}

std::string parent_of(const std::string& directory) {
  const auto whole = std::filesystem::absolute(directory).lexically_normal();
  const auto named = whole.has_filename() ? whole : whole.parent_path();
  return named.parent_path().string();
}

status make_directory(const engine& shared, const store_options& options) {
  if (exists(shared, options.directory))
    return domain::done();
  if (auto s = shared.env->CreateDirIfMissing(options.directory); !s.ok())
    return to_fault("create " + options.directory, s);
  return sync_directory(shared, parent_of(options.directory));
}

status check_families(const std::vector<std::string>& found, bool all) {
  const auto expected = family_names();
  for (const auto& name : found)
    if (!contains(expected, name))
      return fault{failure::storage_format,
                   "unknown family \"" + name
                     + "\": written by another version; nothing was changed"};
  for (const auto& name : expected)
    if (all && !contains(found, name))
      return fault{failure::storage_format,
                   "family \"" + name + "\" is missing; nothing was changed"};
  return domain::done();
}

std::vector<rocksdb::ColumnFamilyDescriptor>
describe(const std::vector<std::string>& names,
         const rocksdb::Options& settings) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.reserve(names.size());
  for (const auto& name : names)
    families.emplace_back(name, settings);
  return families;
}

/// Recovers the store in memory only.
outcome<glimpse> look(engine& shared, const store_options& options,
                      bool marked) {
  auto settings = engine_options(options, shared);
  settings.listeners.clear(); // what fails here is refused, not latched
  const std::string path = store_path(options);
  std::vector<std::string> names;
  auto s = rocksdb::DB::ListColumnFamilies(settings, path, &names);
  if (!s.ok())
    return to_fault("list the families of " + path, s);
  if (auto known = check_families(names, marked); !known)
    return known.why();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  s = rocksdb::DB::OpenForReadOnly(settings, path, describe(names, settings),
                                   &handles, &raw);
  if (!s.ok())
    return to_fault("verify " + path, s);
  const std::unique_ptr<rocksdb::DB> db(raw);
  glimpse seen;
  seen.sequence = db->GetLatestSequenceNumber();
  std::string row;
  s = db->Get({}, format_key(), &row);
  for (auto* handle : handles)
    db->DestroyColumnFamilyHandle(handle);
  if (s.ok())
    seen.format_row = std::move(row);
  else if (!s.IsNotFound())
    return to_fault("read the format row", s);
  return seen;
}

outcome<store_identity> parse_format(std::string_view bytes) {
  support::record_reader in(bytes, format_record);
  const std::uint64_t version = in.u64();
  const std::uint64_t lane_count = in.u64();
  store_identity identity;
  identity.format_version = static_cast<std::uint32_t>(version);
  identity.lanes = static_cast<std::uint8_t>(lane_count);
  identity.store_id = in.text();
  in.i64(); // time of creation, for people
  if (in.complete() && version == format_version && lane_count == lanes)
    return identity;
  return {failure::storage_format,
          "store format "
            + (in.complete() ? std::to_string(version) + " with "
                                 + std::to_string(lane_count) + " lanes"
                             : std::string("unreadable"))
            + "; this program knows format " + std::to_string(format_version)
            + " with " + std::to_string(lanes) + " lane; nothing was changed"};
}

outcome<store_identity> read_identity(engine& shared) {
  std::string row;
  if (auto s = shared.db->Get({}, format_key(), &row); !s.ok())
    return to_fault("read the format row", s);
  return parse_format(row);
}

status compare(acked_position acked, std::uint64_t recovered) {
  if (recovered >= acked.sequence)
    return domain::done();
  return fault{
    failure::storage_rolled_back,
    "the store recovers to sequence " + std::to_string(recovered)
      + " but acknowledged up to " + std::to_string(acked.sequence)
      + " (write-ahead log " + std::to_string(acked.wal_number)
      + "): rows that were acknowledged are missing; nothing was changed"};
}

/// Without CURRENT RocksDB sees an empty directory, would begin a new store
/// and delete what the old one left; so it must be empty indeed.
outcome<directory_state> judge_without_current(const engine& shared,
                                               const std::string& path,
                                               bool marked) {
  bool rows = marked;
  std::vector<rocksdb::Env::FileAttributes> files;
  if (exists(shared, path))
    if (auto s = shared.env->GetChildrenFileAttributes(path, &files); !s.ok())
      return to_fault("list " + path, s);
  for (const auto& file : files)
    rows = rows || file.name.ends_with(".sst")
           || (file.name.ends_with(".log") && file.size_bytes > 0);
  if (rows)
    return {failure::storage_corrupt,
            path
              + "/CURRENT is missing from a store that was in use; nothing "
                "was changed"};
  return directory_state::nothing;
}

status open_engine(engine& shared, const store_options& options,
                   directory_state found) {
  auto settings = engine_options(options, shared);
  settings.create_if_missing = found == directory_state::nothing;
  settings.create_missing_column_families = found != directory_state::whole;
  rocksdb::DB* db = nullptr;
  auto s = rocksdb::DB::Open(settings, store_path(options),
                             describe_families(settings), &shared.handles, &db);
  if (!s.ok())
    return to_fault("open " + options.directory, s);
  shared.db.reset(db);
  return domain::done();
}

status write_format(engine& shared, const store_options& of) {
  const auto& clock = clock_of(of);
  support::seeded_id_source ids(clock, of.seed != 0 ? of.seed
                                                    : support::entropy_seed());
  support::record_writer out(format_record);
  out.u64(format_version).u64(lanes).text(ids.next_ulid()).i64(clock.now());
  rocksdb::WriteOptions options;
  options.sync = true;
  auto s = shared.db->Put(options, format_key(), out.take());
  return s.ok() ? domain::done() : to_fault("write the format row", s);
}

/// The last steps of a first open, each of which may have been done before.
status complete(engine& shared, const store_options& options) {
  if (shared.db->GetLatestSequenceNumber() == 0)
    if (auto written = write_format(shared, options); !written)
      return written;
  return acked_mark::create(*shared.env->GetFileSystem(), mark_path(options));
}

/// A process that died may have left names in the page cache alone, of the
/// directory, the store and the mark; nothing may be acknowledged on top of
/// them. A parent that we may not read was not made by us.
status sync_names(const engine& shared, const store_options& options) {
  if (auto s = sync_directory(shared, parent_of(options.directory)); !s)
    support::log::warning("storage", s.why().detail);
  return sync_directory(shared, options.directory);
}

} // namespace

std::string store_path(const store_options& options) {
  return options.directory + "/store";
}

std::string mark_path(const store_options& options) {
  return options.directory + "/acked.mark";
}

std::vector<rocksdb::ColumnFamilyDescriptor>
describe_families(const rocksdb::Options& settings) {
  return describe(family_names(), settings);
}

status lock_directory(engine& shared, const store_options& options) {
  auto s = shared.env->LockFile(options.directory + "/lock", &shared.lock);
  if (s.ok())
    return domain::done();
  shared.lock = nullptr;
  // A file that cannot even be opened is not held by anybody.
  if (s.ToString().find("While open a file for lock") != std::string::npos
      || s.ToString().find("while open a file for lock") != std::string::npos)
    return to_fault("lock " + options.directory, s);
  return fault{failure::storage_locked,
               "another process holds " + options.directory
                 + "; one daemon a data directory (" + s.ToString() + ")"};
}

outcome<directory_state> judge_directory(engine& shared,
                                         const store_options& options) {
  auto disk = shared.env->GetFileSystem();
  const bool marked = acked_mark::exists(*disk, mark_path(options));
  if (!exists(shared, store_path(options) + "/CURRENT"))
    return judge_without_current(shared, store_path(options), marked);
  auto seen = look(shared, options, marked);
  if (!seen)
    return seen.why();
  if (seen->format_row)
    if (auto known = parse_format(*seen->format_row); !known)
      return known.why();
  if (marked) {
    auto mark = acked_mark::read(*disk, mark_path(options));
    if (!mark)
      return mark.why();
    if (auto whole = compare(*mark, seen->sequence); !whole)
      return whole.why();
    auto manifest = manifest_on_disk(*shared.env, store_path(options));
    if (!manifest)
      return manifest.why();
    if (auto whole = check_manifest(mark->manifest, *manifest); !whole)
      return whole.why();
    if (!seen->format_row)
      return {failure::storage_format, "the store has no format row"};
    return directory_state::whole;
  }
  if (seen->sequence > (seen->format_row ? 1U : 0U))
    return {failure::storage_corrupt,
            mark_path(options)
              + " is missing from a store with rows, so nobody can tell "
                "whether all are there; nothing was changed"};
  return directory_state::unfinished;
}

namespace {

/// A refusal, with what whoever reads it does next.
fault advised(fault why, const store_options& of) {
  if (why.code == failure::storage_corrupt
      || why.code == failure::storage_rolled_back)
    why.detail += "; next: parcelflow doctor --data-dir " + of.directory;
  return why;
}

} // namespace

outcome<directory_state> inspect(const store_options& options) {
  engine shared;
  shared.env = environment_of(options);
  if (!exists(shared, options.directory))
    return directory_state::nothing;
  // To lock would create the file; without one nobody holds the directory.
  if (exists(shared, options.directory + "/lock"))
    if (auto locked = lock_directory(shared, options); !locked)
      return locked.why();
  auto found = judge_directory(shared, options);
  return found ? found : advised(found.why(), options);
}

namespace {

/// A whole store as it lies there, recovered in memory.
outcome<opened> open_read_only(engine& shared, const store_options& options) {
  // To lock would create the file; without one nobody holds the directory.
  if (exists(shared, options.directory + "/lock"))
    if (auto locked = lock_directory(shared, options); !locked)
      return locked.why();
  auto found = judge_directory(shared, options);
  if (!found)
    return advised(found.why(), options);
  if (*found != directory_state::whole)
    return {failure::storage_io, "no store in " + options.directory};
  auto settings = engine_options(options, shared);
  rocksdb::DB* db = nullptr;
  auto s = rocksdb::DB::OpenForReadOnly(settings, store_path(options),
                                        describe_families(settings),
                                        &shared.handles, &db);
  if (!s.ok())
    return to_fault("open " + options.directory, s);
  shared.db.reset(db);
  auto identity = read_identity(shared);
  if (!identity)
    return identity.why();
  return opened{*std::move(identity), nullptr};
}

} // namespace

outcome<opened> open_directory(engine& shared, const store_options& options) {
  if (options.read_only)
    return open_read_only(shared, options);
  if (!options.create && !exists(shared, store_path(options)))
    return {failure::storage_io, "no store in " + options.directory};
  if (auto made = make_directory(shared, options); !made)
    return made.why();
  if (auto locked = lock_directory(shared, options); !locked)
    return locked.why();
  auto found = judge_directory(shared, options);
  if (!found)
    return advised(found.why(), options);
  if (*found == directory_state::nothing && !options.create)
    return {failure::storage_io, "no store in " + options.directory};
  if (auto ready = open_engine(shared, options, *found); !ready)
    return ready.why();
  if (*found != directory_state::whole)
    if (auto made = complete(shared, options); !made)
      return made.why();
  if (auto synced = sync_names(shared, options); !synced)
    return synced.why();
  opened result;
  auto identity = read_identity(shared);
  if (!identity)
    return identity.why();
  result.identity = *std::move(identity);
  auto mark =
    acked_mark::open(*shared.env->GetFileSystem(), mark_path(options));
  if (!mark)
    return mark.why();
  result.mark = *std::move(mark);
  // What was verified and what was opened must be the same store.
  const auto recovered = shared.db->GetLatestSequenceNumber();
  if (auto whole = compare(result.mark->position(), recovered); !whole)
    return whole.why();
  return result;
}

} // namespace parcelflow::storage
