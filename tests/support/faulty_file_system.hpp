// A FileSystem that asks before each operation that matters whether the disk
// lets it happen. A refused operation is not performed (an append may write a
// part of its bytes first) and returns the error that it was refused with.
//
// Operations are counted from 1 in the order in which they are asked for, so a
// script can be run once to count and then once for each number ("fail from the
// n-th on" is what a process that died there left on a healthy disk).
// Owner: the test. Thread rule: any thread; one lock around the rule.
#pragma once

#include "tests/support/disk_request.hpp"

#include <rocksdb/file_system.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace parcelflow::test {

class faulty_file_system final : public rocksdb::FileSystemWrapper {
public:
  /// Not ok = refuse with it.
  using rule = std::function<rocksdb::IOStatus(const disk_request&)>;

  faulty_file_system()
    : FileSystemWrapper(rocksdb::FileSystem::Default()),
      gate_(std::make_shared<gate>()) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  void set_rule(rule judge) {
    const std::lock_guard guard(gate_->lock);
    gate_->judge = std::move(judge);
  }
  void heal() { set_rule({}); }
  /// Every operation of that kind on a path that contains `part` fails.
  void fail(disk_op op, std::string part,
            rocksdb::IOStatus with = rocksdb::IOStatus::IOError("injected")) {
    set_rule([op, part = std::move(part),
              with = std::move(with)](const disk_request& asked) {
      return asked.op == op && asked.path.find(part) != asked.path.npos
               ? with
               : rocksdb::IOStatus::OK();
    });
  }
  /// The n-th operation that changes the disk fails, and all after it.
  void fail_from(std::uint64_t number) {
    set_rule([number](const disk_request& asked) {
      return changes_disk(asked.op) && asked.number >= number
               ? rocksdb::IOStatus::IOError("injected: the process is dead")
               : rocksdb::IOStatus::OK();
    });
  }
  /// Everything that takes room fails; reading and syncing go on.
  void fill() {
    set_rule([](const disk_request& asked) {
      return asked.op == disk_op::append || asked.op == disk_op::create
               ? rocksdb::IOStatus::NoSpace("injected: disk full")
               : rocksdb::IOStatus::OK();
    });
  }
  /// Of an append that is refused, so many bytes are written all the same.
  void tear_appends(std::size_t size) { gate_->torn_bytes = size; }
  /// Operations so far that change the disk.
  [[nodiscard]] std::uint64_t changes() const {
    const std::lock_guard guard(gate_->lock);
    return gate_->changes;
  }

private:
  using status = rocksdb::IOStatus;
  using io_options = rocksdb::IOOptions;
  using file_options = rocksdb::FileOptions;
  using debug = rocksdb::IODebugContext;
  using bytes = rocksdb::Slice;

  struct gate {
    std::mutex lock;
    rule judge;
    std::uint64_t changes = 0;
    std::size_t torn_bytes = 0;

    status ask(disk_op op, std::string_view path) {
      const std::lock_guard guard(lock);
      changes += changes_disk(op) ? 1 : 0;
      return judge ? judge({op, path, changes}) : status::OK();
    }
  };
  using gate_ptr = std::shared_ptr<gate>;

  class growing_file final : public rocksdb::FSWritableFileOwnerWrapper {
  public:
    growing_file(std::unique_ptr<rocksdb::FSWritableFile> file, gate_ptr at,
                 std::string path)
      : FSWritableFileOwnerWrapper(std::move(file)), file_(target()),
        gate_(std::move(at)), path_(std::move(path)) {}
    status Append(const bytes& data, const io_options& o, debug* d) override {
      return append(data, o, d);
    }
    status Append(const bytes& data, const io_options& o,
                  const rocksdb::DataVerificationInfo&, debug* d) override {
      return append(data, o, d);
    }
    status Truncate(std::uint64_t size, const io_options& o,
                    debug* d) override {
      const auto s = gate_->ask(disk_op::append, path_);
      return s.ok() ? file_->Truncate(size, o, d) : s;
    }
    status Sync(const io_options& o, debug* d) override {
      const auto s = gate_->ask(disk_op::sync, path_);
      return s.ok() ? file_->Sync(o, d) : s;
    }
    status Fsync(const io_options& o, debug* d) override {
      const auto s = gate_->ask(disk_op::sync, path_);
      return s.ok() ? file_->Fsync(o, d) : s;
    }

  private:
    status append(const bytes& data, const io_options& o, debug* d) {
      auto s = gate_->ask(disk_op::append, path_);
      if (s.ok())
        return file_->Append(data, o, d);
      if (gate_->torn_bytes > 0 && gate_->torn_bytes < data.size())
        file_->Append(bytes(data.data(), gate_->torn_bytes), o, d)
          .PermitUncheckedError();
      return s;
    }
    rocksdb::FSWritableFile* file_;
    gate_ptr gate_;
    std::string path_;
  };

  class fixed_file final : public rocksdb::FSRandomRWFileOwnerWrapper {
  public:
    fixed_file(std::unique_ptr<rocksdb::FSRandomRWFile> file, gate_ptr at,
               std::string path)
      : FSRandomRWFileOwnerWrapper(std::move(file)), gate_(std::move(at)),
        path_(std::move(path)) {}
    status Write(std::uint64_t offset, const bytes& data, const io_options& o,
                 debug* d) override {
      const auto s = gate_->ask(disk_op::overwrite, path_);
      return s.ok() ? target()->Write(offset, data, o, d) : s;
    }
    status Read(std::uint64_t offset, std::size_t n, const io_options& o,
                bytes* to, char* scratch, debug* d) const override {
      const auto s = gate_->ask(disk_op::read, path_);
      return s.ok() ? target()->Read(offset, n, o, to, scratch, d) : s;
    }
    status Sync(const io_options& o, debug* d) override {
      const auto s = gate_->ask(disk_op::sync, path_);
      return s.ok() ? target()->Sync(o, d) : s;
    }

  private:
    gate_ptr gate_;
    std::string path_;
  };

  class table_file final : public rocksdb::FSRandomAccessFileOwnerWrapper {
  public:
    table_file(std::unique_ptr<rocksdb::FSRandomAccessFile> file, gate_ptr at,
               std::string path)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), gate_(std::move(at)),
        path_(std::move(path)) {}
    status Read(std::uint64_t offset, std::size_t n, const io_options& o,
                bytes* to, char* scratch, debug* d) const override {
      const auto s = gate_->ask(disk_op::read, path_);
      return s.ok() ? target()->Read(offset, n, o, to, scratch, d) : s;
    }

  private:
    gate_ptr gate_;
    std::string path_;
  };

  class directory final : public rocksdb::FSDirectoryWrapper {
  public:
    directory(std::unique_ptr<rocksdb::FSDirectory> of, gate_ptr at,
              std::string path)
      : FSDirectoryWrapper(std::move(of)), gate_(std::move(at)),
        path_(std::move(path)) {}
    status Fsync(const io_options& o, debug* d) override {
      const auto s = gate_->ask(disk_op::entry_sync, path_);
      return s.ok() ? FSDirectoryWrapper::Fsync(o, d) : s;
    }
    status FsyncWithDirOptions(const io_options& o, debug* d,
                               const rocksdb::DirFsyncOptions& how) override {
      const auto s = gate_->ask(disk_op::entry_sync, path_);
      return s.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(o, d, how) : s;
    }

  private:
    gate_ptr gate_;
    std::string path_;
  };

  /// Asks, opens through `open`, wraps what came.
  template <class Wrapper, class File, class Open>
  status opened(disk_op op, const std::string& path,
                std::unique_ptr<File>* result, Open open) {
    if (auto s = gate_->ask(op, path); !s.ok())
      return s;
    std::unique_ptr<File> file;
    auto s = open(&file);
    if (s.ok())
      *result = std::make_unique<Wrapper>(std::move(file), gate_, path);
    return s;
  }

public:
  status NewWritableFile(const std::string& path, const file_options& o,
                         std::unique_ptr<rocksdb::FSWritableFile>* r,
                         debug* d) override {
    return opened<growing_file>(disk_op::create, path, r, [&](auto* file) {
      return target()->NewWritableFile(path, o, file, d);
    });
  }
  status ReopenWritableFile(const std::string& path, const file_options& o,
                            std::unique_ptr<rocksdb::FSWritableFile>* r,
                            debug* d) override {
    return opened<growing_file>(disk_op::create, path, r, [&](auto* file) {
      return target()->ReopenWritableFile(path, o, file, d);
    });
  }
  status NewRandomRWFile(const std::string& path, const file_options& o,
                         std::unique_ptr<rocksdb::FSRandomRWFile>* r,
                         debug* d) override {
    return opened<fixed_file>(disk_op::read, path, r, [&](auto* file) {
      return target()->NewRandomRWFile(path, o, file, d);
    });
  }
  status NewRandomAccessFile(const std::string& path, const file_options& o,
                             std::unique_ptr<rocksdb::FSRandomAccessFile>* r,
                             debug* d) override {
    return opened<table_file>(disk_op::read, path, r, [&](auto* file) {
      return target()->NewRandomAccessFile(path, o, file, d);
    });
  }
  status NewSequentialFile(const std::string& path, const file_options& o,
                           std::unique_ptr<rocksdb::FSSequentialFile>* r,
                           debug* d) override {
    const auto s = gate_->ask(disk_op::read, path);
    return s.ok() ? target()->NewSequentialFile(path, o, r, d) : s;
  }
  status NewDirectory(const std::string& path, const io_options& o,
                      std::unique_ptr<rocksdb::FSDirectory>* r,
                      debug* d) override {
    return opened<directory>(disk_op::read, path, r, [&](auto* of) {
      return target()->NewDirectory(path, o, of, d);
    });
  }
  status CreateDirIfMissing(const std::string& path, const io_options& o,
                            debug* d) override {
    const auto s = gate_->ask(disk_op::directory, path);
    return s.ok() ? target()->CreateDirIfMissing(path, o, d) : s;
  }
  status RenameFile(const std::string& from, const std::string& to,
                    const io_options& o, debug* d) override {
    const auto s = gate_->ask(disk_op::rename, to);
    return s.ok() ? target()->RenameFile(from, to, o, d) : s;
  }
  status LinkFile(const std::string& from, const std::string& to,
                  const io_options& o, debug* d) override {
    const auto s = gate_->ask(disk_op::rename, to);
    return s.ok() ? target()->LinkFile(from, to, o, d) : s;
  }
  status DeleteFile(const std::string& path, const io_options& o,
                    debug* d) override {
    const auto s = gate_->ask(disk_op::remove, path);
    return s.ok() ? target()->DeleteFile(path, o, d) : s;
  }

private:
  gate_ptr gate_;
};

} // namespace parcelflow::test
