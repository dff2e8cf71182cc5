// What a test's disk is asked for, and how such requests are counted: the
// vocabulary of the faulty and of the simulated file system.
#pragma once

#include <cstdint>
#include <string_view>

namespace parcelflow::test {

enum class disk_op : std::uint8_t {
  create,     ///< a new or reopened file
  append,     ///< to a file that only grows, and truncation of it
  overwrite,  ///< a write into the middle (acked.mark)
  sync,       ///< of a file
  read,       ///< open for reading, and each read
  rename,     ///< link included
  remove,     ///< of a file
  directory,  ///< making one
  entry_sync, ///< of a directory
};

[[nodiscard]] constexpr std::string_view to_string(disk_op op) {
  constexpr std::string_view names[] = {"create", "append", "overwrite",
                                        "sync",   "read",   "rename",
                                        "remove", "mkdir",  "entry_sync"};
  return names[static_cast<std::size_t>(op)];
}

[[nodiscard]] constexpr bool changes_disk(disk_op op) {
  return op != disk_op::read;
}

struct disk_request {
  disk_op op;
  std::string_view path; ///< of a rename: the target
  std::uint64_t number;  ///< of this request among those that change the disk
  std::string_view data = {}; ///< of an append or overwrite
};

} // namespace parcelflow::test
