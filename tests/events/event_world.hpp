// The world of one of the source text's checks: the whole engine on a directory
// of the check's own. Where PARCELFLOW_EVENTS_DIR names a folder the directory
// stays there, for `scripts/test events` to read it when every process has
// gone; otherwise it is temporary.
#pragma once

#include "tests/support/closed_store.hpp"
#include "tests/support/scenario.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace parcelflow::test {

class check_directory {
public:
  explicit check_directory(const std::string& check) {
    const char* kept = std::getenv("PARCELFLOW_EVENTS_DIR");
    path_ =
      (kept != nullptr ? std::string(kept) : temporary_.path()) + "/" + check;
    std::filesystem::remove_all(path_);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  temp_directory temporary_;
  std::string path_;
};

inline std::function<void(app::config&)> in(const std::string& path) {
  return [path](app::config& settings) { settings.data.directory = path; };
}

} // namespace parcelflow::test
