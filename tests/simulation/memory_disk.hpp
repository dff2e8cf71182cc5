// A disk in memory that can lose what was not synced. It keeps two images:
// what a running process sees (the page cache) and what is on stable storage,
// of bytes and of directory entries alike:
//
//   bytes    stable once their file was synced
//   entries  a created, renamed or removed name is stable once its directory
//            was synced; syncing the file does not make its name stable
//
// `after` gives the disk that a crash would leave; the old one goes on, so the
// crashed process may run to its end without touching the new one.
//
// `watch` sees each change before it happens, in its order and with its
// number, and may refuse it: faults and crashes alike begin there.
// Thread rule: any thread; one lock. The watcher is called with it held and
// may call `after`.
#pragma once

#include "tests/simulation/chance.hpp"
#include "tests/support/disk_request.hpp"

#include <rocksdb/file_system.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::simulation {

enum class crash_mode : std::uint8_t {
  process, ///< the page cache stays, and may be lost by a later power loss
  power,   ///< what was not synced is gone
  torn,    ///< of what was not synced some first part stays
};

[[nodiscard]] std::string_view to_string(crash_mode mode) noexcept;

class memory_disk final : public rocksdb::FileSystem {
public:
  using watcher = std::function<rocksdb::IOStatus(const test::disk_request&)>;

  memory_disk();
  ~memory_disk() override;
  static const char* kClassName() { return "MemoryDisk"; }
  const char* Name() const override { return kClassName(); }

  void watch(watcher of);
  /// What is left after a crash at this instant. `cut`: the change during
  /// which it happened; a torn one may have come through in part.
  [[nodiscard]] std::shared_ptr<memory_disk>
  after(crash_mode mode, chance& draw,
        const test::disk_request* cut = nullptr) const;

  /// Changes so far.
  [[nodiscard]] std::uint64_t changes() const;
  /// Drops the unsynced bytes of a file, as a failed sync may.
  void forget_unsynced(std::string_view path);
  /// What GetFreeSpace says.
  void set_free_bytes(std::uint64_t bytes);

  /// Names of files in the order of their paths, and their bytes, to damage
  /// them: as stable as they were.
  [[nodiscard]] std::vector<std::string> files() const;
  [[nodiscard]] std::string bytes_of(std::string_view path) const;
  void replace(std::string_view path, std::string bytes);
  void erase(std::string_view path);

private:
  struct inode;
  class growing_file;
  class fixed_file;
  class table_file;
  class stream_file;
  class directory;
  using inode_ptr = std::shared_ptr<inode>;
  using entries = std::map<std::string, inode_ptr, std::less<>>;
  /// A change of names that is not stable yet; an empty `from` creates, an
  /// empty `to` removes.
  struct entry_change {
    std::string from;
    std::string to;
    inode_ptr what;
  };

  rocksdb::IOStatus ask(test::disk_op op, std::string_view path,
                        std::string_view data = {});
  [[nodiscard]] inode_ptr find(const std::string& path) const;
  static void apply(entries& to, const entry_change& change);
  void sync_entries(const std::string& in);
  void drop_orphans();

public:
  // --- rocksdb::FileSystem --------------------------------------------------
  using status = rocksdb::IOStatus;
  using io_options = rocksdb::IOOptions;
  using file_options = rocksdb::FileOptions;
  using debug = rocksdb::IODebugContext;

  status NewSequentialFile(const std::string& path, const file_options& o,
                           std::unique_ptr<rocksdb::FSSequentialFile>* r,
                           debug* d) override;
  status NewRandomAccessFile(const std::string& path, const file_options& o,
                             std::unique_ptr<rocksdb::FSRandomAccessFile>* r,
                             debug* d) override;
  status NewWritableFile(const std::string& path, const file_options& o,
                         std::unique_ptr<rocksdb::FSWritableFile>* r,
                         debug* d) override;
  status ReopenWritableFile(const std::string& path, const file_options& o,
                            std::unique_ptr<rocksdb::FSWritableFile>* r,
                            debug* d) override;
  status NewRandomRWFile(const std::string& path, const file_options& o,
                         std::unique_ptr<rocksdb::FSRandomRWFile>* r,
                         debug* d) override;
  status NewDirectory(const std::string& path, const io_options& o,
                      std::unique_ptr<rocksdb::FSDirectory>* r,
                      debug* d) override;
  status FileExists(const std::string& path, const io_options& o,
                    debug* d) override;
  status GetChildren(const std::string& path, const io_options& o,
                     std::vector<std::string>* r, debug* d) override;
  status DeleteFile(const std::string& path, const io_options& o,
                    debug* d) override;
  status CreateDir(const std::string& path, const io_options& o,
                   debug* d) override;
  status CreateDirIfMissing(const std::string& path, const io_options& o,
                            debug* d) override;
  status DeleteDir(const std::string& path, const io_options& o,
                   debug* d) override;
  status GetFileSize(const std::string& path, const io_options& o,
                     std::uint64_t* r, debug* d) override;
  status GetFileModificationTime(const std::string& path, const io_options& o,
                                 std::uint64_t* r, debug* d) override;
  status RenameFile(const std::string& from, const std::string& to,
                    const io_options& o, debug* d) override;
  status LockFile(const std::string& path, const io_options& o,
                  rocksdb::FileLock** r, debug* d) override;
  status UnlockFile(rocksdb::FileLock* lock, const io_options& o,
                    debug* d) override;
  status GetTestDirectory(const io_options& o, std::string* r,
                          debug* d) override;
  status NewLogger(const std::string& path, const io_options& o,
                   std::shared_ptr<rocksdb::Logger>* r, debug* d) override;
  status GetAbsolutePath(const std::string& path, const io_options& o,
                         std::string* r, debug* d) override;
  status GetFreeSpace(const std::string& path, const io_options& o,
                      std::uint64_t* r, debug* d) override;
  status IsDirectory(const std::string& path, const io_options& o, bool* r,
                     debug* d) override;

private:
  mutable std::recursive_mutex lock_;
  watcher watcher_;
  std::uint64_t changes_ = 0;
  std::uint64_t free_bytes_ = 1ULL << 40U;
  entries now_;
  entries stable_;
  std::vector<entry_change> pending_; ///< stable_ + pending_ = now_
  std::set<std::string, std::less<>> locked_;
};

} // namespace parcelflow::simulation
