// A real file system that is full: what could not be written is refused, what
// was acknowledged is there when space returns. Where no small file system can
// be mounted, the rule of the simulated disk stands in, and says so.
#include "tests/storage/row_ledger.hpp"
#include "tests/support/faulty_file_system.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <iostream>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;

namespace {

/// A tmpfs of 16 MiB at `path`, for as long as this lives.
class small_disk {
public:
  explicit small_disk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=16m") == 0;
    if (!mounted_)
      std::cout << "no small file system (" << std::strerror(errno)
                << "): a simulated full disk stands in\n";
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk() {
    if (mounted_)
      ::umount(path_.c_str());
  }
  [[nodiscard]] bool mounted() const noexcept { return mounted_; }

private:
  std::string path_;
  bool mounted_ = false;
};

/// Rounds until the disk refuses one; why it did.
domain::fault fill(row_ledger& ledger, const store_options& options,
                   int& number) {
  constexpr int rounds_max = 1000;
  try {
    const auto vault = open_or_throw(options);
    auto orders = vault->take(owner::order);
    auto log = vault->take(owner::bus);
    for (int i = 0; i < rounds_max; ++i)
      ledger.write(*vault, orders, log, number++);
  } catch (const store_failed& failed) {
    return failed.why;
  }
  return {failure::internal, "it took every round"};
}

} // namespace

TEST_CASE("a disk that fills refuses by name, and is whole with space again") {
  const temp_directory place;
  const small_disk disk(place / "disk");
  const auto ballast = place / "disk/ballast";
  auto options = options_for(place / "disk/data");
  options.mark_sync_ms = 1000;
  const auto simulated = std::make_shared<faulty_file_system>();
  row_ledger ledger(64U << 10U); // few rows fill it
  int number = 0;
  {
    const auto vault = open_or_throw(options);
    auto orders = vault->take(owner::order);
    auto log = vault->take(owner::bus);
    for (; number < 10; ++number)
      ledger.write(*vault, orders, log, number);
  }
  if (disk.mounted())
    write_bytes(ballast, std::string(12U << 20U, 'x'));
  else
    options.file_system = simulated;
  for (int fills = 0; fills < 3; ++fills) {
    if (!disk.mounted())
      simulated->fill();
    const auto why = fill(ledger, options, number);
    CAPTURE(why.detail);
    CHECK(to_string(why.code) == to_string(failure::disk_full));
    std::filesystem::remove(ballast);
    simulated->heal();
    const auto vault = open_or_throw(options);
    const auto wrong = ledger.check(*vault);
    CHECK_MESSAGE(!wrong, *wrong);
    if (wrong)
      return;
    ledger.settle(*vault);
    vault->flush();
    if (disk.mounted())
      write_bytes(ballast, std::string(8U << 20U, 'x'));
  }
}
