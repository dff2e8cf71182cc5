// A crash of the whole process inside one process: when a named fault point
// strikes, the data directory is copied as it is at that instant, which is what
// a killed process would leave; `restart` then lets the old world go and opens
// the copy. So a crash is exact at any point, also inside an effect.
#pragma once

#include "support/fault_point.hpp"
#include "tests/support/world.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

namespace parcelflow::test {

class crash {
public:
  crash(world& of, const std::string& point, std::uint64_t passage = 1)
    : world_(of), point_(point) {
    support::on_fault_point([this](std::string_view) { take_image(); });
    REQUIRE(support::arm_fault_point(point, passage));
  }
  /// To be called by hand, from inside an effect.
  explicit crash(world& of) : world_(of), point_("by hand") {}
  ~crash() {
    support::on_fault_point([](std::string_view) {});
  }
  crash(const crash&) = delete;
  crash& operator=(const crash&) = delete;

  void take_image() {
    if (struck_)
      return;
    struck_ = true;
    static int images = 0;
    image_ = world_.directory / ("image-" + std::to_string(++images));
    const auto& from = world_.settings.data.directory;
    // RocksDB may clean up in the background: until nothing moved meanwhile.
    for (auto before = files_of(from);; before = files_of(from)) {
      std::error_code moved;
      std::filesystem::remove_all(image_);
      std::filesystem::copy(from, image_,
                            std::filesystem::copy_options::recursive, moved);
      if (!moved && files_of(from) == before)
        return;
    }
  }
  [[nodiscard]] bool struck() const noexcept { return struck_; }

  /// Goes on from the instant of the crash.
  void restart() {
    REQUIRE_MESSAGE(struck_, point_ << " never struck");
    world_.close();
    world_.settings.data.directory = image_;
    world_.start();
  }

private:
  using files = std::map<std::string, std::uintmax_t>;
  static files files_of(const std::string& directory) {
    files found;
    std::error_code gone;
    for (const auto& one : std::filesystem::recursive_directory_iterator(
           directory, std::filesystem::directory_options::none, gone))
      found[one.path()] = one.is_regular_file(gone) ? one.file_size(gone) : 0;
    return found;
  }

  world& world_;
  std::string point_;
  std::string image_;
  bool struck_ = false;
};

} // namespace parcelflow::test
