// How stored values are laid out: a version byte, a key id byte (0 = plain,
// others reserved for encryption under a tenant's key), then fields in a fixed
// order. Integers are little-endian base-128 varints, text is a length and its
// bytes. A reader of version n reads every version <= n that ever shipped; a
// longer record than it knows is refused, never guessed at.
// Thread rule: plain values. Errors: a reader that meets damage turns `bad`
// and yields zeros; the caller checks `ok` once, at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::support {

class record_writer {
public:
  explicit record_writer(std::uint8_t version) {
    bytes_.push_back(static_cast<char>(version));
    bytes_.push_back('\0'); // key_id: plain
  }
  record_writer& u64(std::uint64_t value);
  /// Zigzag, so that small negative numbers stay small.
  record_writer& i64(std::int64_t value);
  record_writer& text(std::string_view value);
  record_writer& flag(bool value) { return u64(value ? 1 : 0); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

class record_reader {
public:
  /// Refuses (not ok) a version above `newest`, zero, or a foreign key id.
  record_reader(std::string_view bytes, std::uint8_t newest);

  [[nodiscard]] std::uint8_t version() const noexcept { return version_; }
  std::uint64_t u64();
  std::int64_t i64();
  std::string_view text_view();
  std::string text() { return std::string(text_view()); }
  bool flag() { return u64() != 0; }
  /// A count that cannot exceed the bytes that are left.
  std::uint64_t count();

  /// True if nothing was damaged and every byte was read.
  [[nodiscard]] bool complete() const noexcept { return ok_ && rest_.empty(); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

private:
  std::string_view rest_;
  std::uint8_t version_ = 0;
  bool ok_ = true;
};

} // namespace parcelflow::support
