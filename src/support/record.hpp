// How stored values are laid out: a version byte, a key id byte (0 = plain,
// others reserved for encryption under a tenant's key), then fields in a fixed
// order. Integers are little-endian base-128 varints, text is a length and its
// bytes, an enumerator is its number, a digest is a text of 32 bytes. A reader
// of version n reads every version <= n that ever shipped; a
// longer record than it knows is refused, never guessed at.
// Thread rule: plain values. Errors: a reader that meets damage turns `bad`
// and yields zeros; the caller checks `ok` once, at the end.
#pragma once

#include <array>
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
  template <class Enum>
  record_writer& choice(Enum value) {
    return u64(static_cast<std::uint64_t>(value));
  }
  record_writer& digest(const std::array<std::uint8_t, 32>& value);
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
  bool flag() { return within(0, 1) != 0; }
  std::uint32_t u32() {
    return static_cast<std::uint32_t>(within(0, UINT32_MAX));
  }
  /// One of the enumerators first..last; any other number is damage.
  template <class Enum>
  Enum choice(Enum first, Enum last) {
    return static_cast<Enum>(within(static_cast<std::uint64_t>(first),
                                    static_cast<std::uint64_t>(last)));
  }
  /// Any other length is damage.
  std::array<std::uint8_t, 32> digest();
  /// A count that cannot exceed the bytes that are left.
  std::uint64_t count();

  /// True if nothing was damaged and every byte was read.
  [[nodiscard]] bool complete() const noexcept { return ok_ && rest_.empty(); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

private:
  /// A number from low to high; any other is damage, and reads as `low`.
  std::uint64_t within(std::uint64_t low, std::uint64_t high);

  std::string_view rest_;
  std::uint8_t version_ = 0;
  bool ok_ = true;
};

} // namespace parcelflow::support
