// Small files that are read and replaced as a whole, and the lock around it.
// Thread rule: free functions; a lock belongs to the scope that holds it, and
// excludes threads of the same process too. Errors: not_found, storage_io.
#pragma once

#include "domain/failure.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace parcelflow::app {

struct file_text {
  std::string bytes;
  unsigned mode = 0; ///< permission bits
};

/// A regular file of at most `bytes_max`.
[[nodiscard]] domain::outcome<file_text> read_whole(const std::string& path,
                                                    std::size_t bytes_max);

/// Temporary file beside it (mode 0600), fsync, rename, fsync of the folder.
[[nodiscard]] domain::status replace_whole(const std::string& path,
                                           std::string_view bytes);

/// Holds an exclusive lock on `path` (created, 0600) until it dies.
class file_lock {
public:
  [[nodiscard]] static domain::outcome<file_lock> take(const std::string& path);

  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&&) = delete;
  ~file_lock();

private:
  explicit file_lock(int descriptor) noexcept : descriptor_(descriptor) {}
  int descriptor_;
};

} // namespace parcelflow::app
