#include "tests/simulation/memory_disk.hpp"

#include "tests/simulation/memory_files.hpp"

#include <algorithm>

namespace parcelflow::simulation {
namespace {

using rocksdb::IOStatus;
using test::disk_op;

/// One spelling a path: no doubled and no trailing slash.
std::string spelled(std::string_view path) {
  std::string text;
  for (const char c : path)
    if (c != '/' || text.empty() || text.back() != '/')
      text.push_back(c);
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  return text;
}

IOStatus missing(std::string_view path) {
  return IOStatus::PathNotFound("no such file",
                                rocksdb::Slice(path.data(), path.size()));
}

class held_lock final : public rocksdb::FileLock {
public:
  explicit held_lock(std::string of) : path(std::move(of)) {}
  std::string path;
};

} // namespace

memory_disk::memory_disk() {
  auto root = std::make_shared<inode>();
  root->is_directory = true;
  now_.emplace("/", root);
  stable_.emplace("/", root);
}

memory_disk::~memory_disk() = default;

void memory_disk::watch(watcher of) {
  const std::lock_guard guard(lock_);
  watcher_ = std::move(of);
}

IOStatus memory_disk::ask(disk_op op, std::string_view path,
                          std::string_view data) {
  if (changes_disk(op))
    ++changes_;
  return watcher_ ? watcher_({op, path, changes_, data}) : IOStatus::OK();
}

memory_disk::inode_ptr memory_disk::find(const std::string& path) const {
  const auto at = now_.find(path);
  return at == now_.end() ? nullptr : at->second;
}

void memory_disk::apply(entries& to, const entry_change& change) {
  if (!change.from.empty())
    to.erase(change.from);
  if (!change.to.empty())
    to[change.to] = change.what;
}

void memory_disk::sync_entries(const std::string& in) {
  std::erase_if(pending_, [&](const entry_change& one) {
    const auto& name = one.to.empty() ? one.from : one.to;
    if (parent_of(name) != in)
      return false;
    apply(stable_, one);
    return true;
  });
}

std::uint64_t memory_disk::changes() const {
  const std::lock_guard guard(lock_);
  return changes_;
}

void memory_disk::forget_unsynced(std::string_view path) {
  const std::lock_guard guard(lock_);
  chance nothing(0);
  if (const auto file = find(spelled(path)))
    file->lose_unsynced(false, nothing);
}

void memory_disk::set_free_bytes(std::uint64_t bytes) {
  const std::lock_guard guard(lock_);
  free_bytes_ = bytes;
}

std::vector<std::string> memory_disk::files() const {
  const std::lock_guard guard(lock_);
  std::vector<std::string> names;
  for (const auto& [path, file] : now_)
    if (!file->is_directory)
      names.push_back(path);
  return names;
}

std::string memory_disk::bytes_of(std::string_view path) const {
  const std::lock_guard guard(lock_);
  const auto file = find(spelled(path));
  return file ? *file->bytes : std::string();
}

void memory_disk::replace(std::string_view path, std::string bytes) {
  const std::lock_guard guard(lock_);
  auto file = std::make_shared<inode>();
  file->append(bytes);
  file->sync();
  now_[spelled(path)] = stable_[spelled(path)] = file;
}

void memory_disk::erase(std::string_view path) {
  const std::lock_guard guard(lock_);
  now_.erase(spelled(path));
  stable_.erase(spelled(path));
}

// --- rocksdb::FileSystem ----------------------------------------------------

IOStatus
memory_disk::NewSequentialFile(const std::string& path, const file_options&,
                               std::unique_ptr<rocksdb::FSSequentialFile>* r,
                               debug*) {
  const std::lock_guard guard(lock_);
  auto file = find(spelled(path));
  if (!file)
    return missing(path);
  if (auto s = ask(disk_op::read, path); !s.ok())
    return s;
  *r = std::make_unique<stream_file>(*this, std::move(file));
  return IOStatus::OK();
}

IOStatus memory_disk::NewRandomAccessFile(
  const std::string& path, const file_options&,
  std::unique_ptr<rocksdb::FSRandomAccessFile>* r, debug*) {
  const std::lock_guard guard(lock_);
  auto file = find(spelled(path));
  if (!file)
    return missing(path);
  if (auto s = ask(disk_op::read, path); !s.ok())
    return s;
  *r = std::make_unique<table_file>(*this, std::move(file), spelled(path));
  return IOStatus::OK();
}

IOStatus
memory_disk::NewWritableFile(const std::string& path, const file_options&,
                             std::unique_ptr<rocksdb::FSWritableFile>* r,
                             debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  if (!now_.contains(parent_of(name)))
    return missing(path);
  if (auto s = ask(disk_op::create, name); !s.ok())
    return s;
  auto file = std::make_shared<inode>();
  pending_.push_back({"", name, file});
  apply(now_, pending_.back());
  *r = std::make_unique<growing_file>(*this, std::move(file), name);
  return IOStatus::OK();
}

IOStatus
memory_disk::ReopenWritableFile(const std::string& path, const file_options& o,
                                std::unique_ptr<rocksdb::FSWritableFile>* r,
                                debug* d) {
  const std::lock_guard guard(lock_);
  auto file = find(spelled(path));
  if (!file)
    return NewWritableFile(path, o, r, d);
  if (auto s = ask(disk_op::create, spelled(path)); !s.ok())
    return s;
  *r = std::make_unique<growing_file>(*this, std::move(file), spelled(path));
  return IOStatus::OK();
}

IOStatus
memory_disk::NewRandomRWFile(const std::string& path, const file_options&,
                             std::unique_ptr<rocksdb::FSRandomRWFile>* r,
                             debug*) {
  const std::lock_guard guard(lock_);
  auto file = find(spelled(path));
  if (!file)
    return missing(path);
  if (auto s = ask(disk_op::read, path); !s.ok())
    return s;
  file->make_fixed();
  *r = std::make_unique<fixed_file>(*this, std::move(file), spelled(path));
  return IOStatus::OK();
}

IOStatus memory_disk::NewDirectory(const std::string& path, const io_options&,
                                   std::unique_ptr<rocksdb::FSDirectory>* r,
                                   debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  const auto at = find(name);
  if (!at || !at->is_directory)
    return missing(path);
  *r = std::make_unique<directory>(*this, name);
  return IOStatus::OK();
}

IOStatus memory_disk::FileExists(const std::string& path, const io_options&,
                                 debug*) {
  const std::lock_guard guard(lock_);
  return find(spelled(path)) ? IOStatus::OK() : IOStatus::NotFound(path);
}

IOStatus memory_disk::GetChildren(const std::string& path, const io_options&,
                                  std::vector<std::string>* r, debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  if (!find(name))
    return IOStatus::NotFound(path);
  r->clear();
  for (const auto& [child, file] : now_)
    if (child != name && parent_of(child) == name)
      r->push_back(child.substr(child.rfind('/') + 1));
  return IOStatus::OK();
}

IOStatus memory_disk::DeleteFile(const std::string& path, const io_options&,
                                 debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  if (!find(name))
    return missing(path);
  if (auto s = ask(disk_op::remove, name); !s.ok())
    return s;
  pending_.push_back({name, "", nullptr});
  apply(now_, pending_.back());
  return IOStatus::OK();
}

IOStatus memory_disk::CreateDir(const std::string& path, const io_options&,
                                debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  if (find(name))
    return IOStatus::IOError("exists", name);
  if (!find(parent_of(name)))
    return missing(path);
  if (auto s = ask(disk_op::directory, name); !s.ok())
    return s;
  auto made = std::make_shared<inode>();
  made->is_directory = true;
  pending_.push_back({"", name, made});
  apply(now_, pending_.back());
  return IOStatus::OK();
}

IOStatus memory_disk::CreateDirIfMissing(const std::string& path,
                                         const io_options& o, debug* d) {
  const std::lock_guard guard(lock_);
  return find(spelled(path)) ? IOStatus::OK() : CreateDir(path, o, d);
}

IOStatus memory_disk::DeleteDir(const std::string& path, const io_options& o,
                                debug* d) {
  return DeleteFile(path, o, d);
}

IOStatus memory_disk::GetFileSize(const std::string& path, const io_options&,
                                  std::uint64_t* r, debug*) {
  const std::lock_guard guard(lock_);
  const auto file = find(spelled(path));
  if (!file)
    return missing(path);
  *r = file->bytes->size();
  return IOStatus::OK();
}

IOStatus memory_disk::GetFileModificationTime(const std::string& path,
                                              const io_options&,
                                              std::uint64_t* r, debug*) {
  const std::lock_guard guard(lock_);
  *r = 0;
  return find(spelled(path)) ? IOStatus::OK() : missing(path);
}

IOStatus memory_disk::RenameFile(const std::string& from, const std::string& to,
                                 const io_options&, debug*) {
  const std::lock_guard guard(lock_);
  auto file = find(spelled(from));
  if (!file)
    return missing(from);
  if (auto s = ask(disk_op::rename, spelled(to)); !s.ok())
    return s;
  pending_.push_back({spelled(from), spelled(to), std::move(file)});
  apply(now_, pending_.back());
  return IOStatus::OK();
}

IOStatus memory_disk::LockFile(const std::string& path, const io_options&,
                               rocksdb::FileLock** r, debug*) {
  const std::lock_guard guard(lock_);
  const auto name = spelled(path);
  if (!locked_.insert(name).second)
    return IOStatus::IOError("lock " + name, "already held");
  *r = new held_lock(name);
  if (!find(name)) {
    // Names alone: a lock file has no bytes, and losing it loses nothing.
    pending_.push_back({"", name, std::make_shared<inode>()});
    apply(now_, pending_.back());
  }
  return IOStatus::OK();
}

IOStatus memory_disk::UnlockFile(rocksdb::FileLock* lock, const io_options&,
                                 debug*) {
  const std::lock_guard guard(lock_);
  const std::unique_ptr<held_lock> held(static_cast<held_lock*>(lock));
  locked_.erase(held->path);
  return IOStatus::OK();
}

IOStatus memory_disk::GetTestDirectory(const io_options&, std::string* r,
                                       debug*) {
  *r = "/";
  return IOStatus::OK();
}

IOStatus memory_disk::NewLogger(const std::string&, const io_options&,
                                std::shared_ptr<rocksdb::Logger>*, debug*) {
  return IOStatus::NotSupported("the store logs elsewhere");
}

IOStatus memory_disk::GetAbsolutePath(const std::string& path,
                                      const io_options&, std::string* r,
                                      debug*) {
  *r = spelled(path);
  return IOStatus::OK();
}

IOStatus memory_disk::GetFreeSpace(const std::string&, const io_options&,
                                   std::uint64_t* r, debug*) {
  const std::lock_guard guard(lock_);
  *r = free_bytes_;
  return IOStatus::OK();
}

IOStatus memory_disk::IsDirectory(const std::string& path, const io_options&,
                                  bool* r, debug*) {
  const std::lock_guard guard(lock_);
  const auto at = find(spelled(path));
  if (!at)
    return missing(path);
  *r = at->is_directory;
  return IOStatus::OK();
}

} // namespace parcelflow::simulation
