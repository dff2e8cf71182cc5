// A directory of one test's own; gone, with all that is in it, when it dies,
// unless it is kept for who wants to look at it.
// In memory where there is room and TMPDIR does not say otherwise: a test that
// opens a store a hundred times would spend a minute in the disk's syncs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace parcelflow::test {

class temp_directory {
public:
  temp_directory() {
    auto name = (root() / "parcelflow.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("no temporary directory at " + name);
    path_ = name;
  }
  temp_directory(const temp_directory&) = delete;
  temp_directory& operator=(const temp_directory&) = delete;
  ~temp_directory() {
    if (kept_)
      return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  void keep(bool kept = true) noexcept { kept_ = kept; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

private:
  static std::filesystem::path root() {
    std::filesystem::path memory("/dev/shm");
    constexpr std::uintmax_t room = 512U << 20U;
    std::error_code none;
    if (std::getenv("TMPDIR") == nullptr
        && std::filesystem::is_directory(memory, none)
        && std::filesystem::space(memory, none).available >= room && !none)
      return memory;
    return std::filesystem::temp_directory_path();
  }
  std::string path_;
  bool kept_ = false;
};

} // namespace parcelflow::test
