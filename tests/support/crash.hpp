// A crash of the whole process inside one process: when a named fault point
// strikes, the data directory is copied as it is at that instant, which is what
// a killed process would leave; `restart` then lets the old world go and opens
// the copy. So a crash is exact at any point, also inside an effect.
#pragma once

#include "support/fault_point.hpp"
#include "tests/support/world.hpp"

#include <filesystem>
#include <string>

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
    std::filesystem::copy(world_.settings.data.directory, image_,
                          std::filesystem::copy_options::recursive);
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
  world& world_;
  std::string point_;
  std::string image_;
  bool struck_ = false;
};

} // namespace parcelflow::test
