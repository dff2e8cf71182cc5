#include "app/whole_file.hpp"

#include "support/digest.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace parcelflow::app {

namespace {

// Closes on every way out.
class descriptor {
public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

private:
  int fd_;
};

domain::fault system_fault(const std::string& path) {
  const int code = errno;
  return {code == ENOENT ? domain::failure::not_found
                         : domain::failure::storage_io,
          path + ": " + std::strerror(code)};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_up_to(int fd, std::string& bytes, std::size_t size) {
  bytes.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const auto got = ::read(fd, bytes.data() + filled, size - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return true;
}

// Without it the new name may be lost with the power, though the file is safe.
domain::status sync_folder_of(const std::string& path) {
  auto folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty())
    folder = ".";
  const descriptor open(
    ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.get() < 0 || ::fsync(open.get()) != 0)
    return system_fault(folder);
  return domain::done();
}

} // namespace

domain::outcome<file_text> read_whole(const std::string& path,
                                      std::size_t bytes_max) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0)
    return system_fault(path);
  if (!S_ISREG(about.st_mode))
    return {domain::failure::storage_io, path + ": not a regular file"};
  file_text text;
  text.mode = about.st_mode & 07777;
  if (!read_up_to(file.get(), text.bytes, bytes_max + 1))
    return system_fault(path);
  if (text.bytes.size() > bytes_max)
    return {domain::failure::storage_io,
            path + ": longer than " + std::to_string(bytes_max) + " bytes"};
  return text;
}

domain::status replace_whole(const std::string& path, std::string_view bytes) {
  const auto fresh = path + ".new-" + support::hex(support::random_bytes(6));
  descriptor file(
    ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0)
    return system_fault(fresh);
  const bool written = write_all(file.get(), bytes) && ::fsync(file.get()) == 0
                       && ::close(file.release()) == 0
                       && ::rename(fresh.c_str(), path.c_str()) == 0;
  if (!written) {
    auto why = system_fault(path);
    ::unlink(fresh.c_str());
    return why;
  }
  return sync_folder_of(path);
}

domain::outcome<file_lock> file_lock::take(const std::string& path) {
  descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file.get() < 0)
    return system_fault(path);
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR)
      return system_fault(path);
  return file_lock(file.release());
}

file_lock::file_lock(file_lock&& other) noexcept
  : descriptor_(std::exchange(other.descriptor_, -1)) {}

file_lock::~file_lock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

} // namespace parcelflow::app
