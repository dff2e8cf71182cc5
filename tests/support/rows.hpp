// The rows of every owner as of one instant, wherever they come from: a living
// store's snapshot, or a disk that a crash left. What judges them takes this.
// Thread rule: that of the source.
#pragma once

#include "storage/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::test {

class rows {
public:
  virtual ~rows() = default;
  [[nodiscard]] virtual std::optional<std::string>
  get(storage::owner of, std::string_view key) const = 0;
  /// from <= key < upper, in order, until `visit` returns false.
  virtual void scan(storage::owner of, std::string_view from,
                    std::string_view upper,
                    const storage::family::visitor& visit) const = 0;
};

/// Of a store that is open; the snapshot outlives it.
class snapshot_rows final : public rows {
public:
  explicit snapshot_rows(const storage::snapshot& of) : at_(of) {}
  [[nodiscard]] std::optional<std::string>
  get(storage::owner of, std::string_view key) const override {
    return at_.get(of, key);
  }
  void scan(storage::owner of, std::string_view from, std::string_view upper,
            const storage::family::visitor& visit) const override {
    at_.scan(of, from, upper, visit);
  }

private:
  const storage::snapshot& at_;
};

} // namespace parcelflow::test
