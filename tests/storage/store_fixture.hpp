// A store in a directory of its own, and the damage that tests do to it.
#pragma once

#include "storage/store.hpp"
#include "tests/support/temp_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace parcelflow::test {

/// What `on_failure` throws here, so that a test can look at it.
struct store_failed : std::runtime_error {
  explicit store_failed(domain::fault of)
    : std::runtime_error(of.detail), why(std::move(of)) {}
  domain::fault why;
};

inline storage::store_options options_for(const std::string& directory) {
  storage::store_options options;
  options.directory = directory;
  options.mark_sync_ms = 0; // the mark is as durable as the rows
  options.write_buffer_bytes = 4U << 20U;
  options.on_failure = [](const domain::fault& why) {
    throw store_failed(why);
  };
  return options;
}

inline std::unique_ptr<storage::store>
open_or_throw(storage::store_options options) {
  auto opened = storage::store::open(std::move(options));
  if (!opened)
    throw store_failed(opened.why());
  return *std::move(opened);
}

/// Why an open is refused; `internal` with a word of praise if it is not.
inline domain::fault refusal(storage::store_options options) {
  auto opened = storage::store::open(std::move(options));
  return opened ? domain::fault{domain::failure::internal, "it opened"}
                : opened.why();
}

/// Seals what the family staged, writes it, and runs the continuations.
inline void commit(storage::store& into, storage::family& from) {
  const std::vector<storage::sealed_batch_ptr> round{from.seal()};
  into.commit(round);
  from.round_done();
}

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& file,
                        const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Every file below a directory with its bytes, except the locks.
inline std::map<std::string, std::string> contents(const std::string& of) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(of)) {
    const auto name = entry.path().filename();
    if (entry.is_regular_file() && name != "LOCK" && name != "lock")
      files[entry.path().string()] = bytes_of(entry.path());
  }
  return files;
}

/// The newest write-ahead log that holds anything.
inline std::filesystem::path newest_log(const std::string& directory) {
  std::filesystem::path newest;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory + "/store"))
    if (entry.path().extension() == ".log" && entry.file_size() > 0)
      newest = std::max(newest, entry.path());
  return newest;
}

} // namespace parcelflow::test
