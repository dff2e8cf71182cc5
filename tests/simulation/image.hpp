// What lies on a disk, read with RocksDB alone: no store, no actor, no audit of
// ours looks at it, so what they believe is not taken for granted.
// Thread rule: plain value. Errors: a disk that does not open says why.
#pragma once

#include "tests/simulation/memory_disk.hpp"
#include "tests/support/rows.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>

namespace parcelflow::simulation {

class image final : public test::rows {
public:
  /// Reads every row of the store in `directory`; the disk is not changed. A
  /// disk without a store has no rows.
  static domain::outcome<image> read(const std::shared_ptr<memory_disk>& disk,
                                     const std::string& directory);

  [[nodiscard]] std::optional<std::string>
  get(storage::owner of, std::string_view key) const override;
  void scan(storage::owner of, std::string_view from, std::string_view upper,
            const storage::family::visitor& visit) const override;

private:
  using family_rows = std::map<std::string, std::string, std::less<>>;
  std::array<family_rows, storage::owner_count> families_;
};

} // namespace parcelflow::simulation
