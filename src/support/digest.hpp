// Digests, secrets and their text forms, over OpenSSL's libcrypto.
//
// SHA-256 is on the path of every order, so the algorithm is fetched once and
// a `sha256` object keeps its context. Measured with SHA extensions at -O2:
// 565 ns for one piece of 600 bytes (the bare `openssl speed` needs as much),
// 815 ns for the same bytes in 8 framed parts: join small parts first.
//
// Thread rule: a `sha256` object belongs to one thread; every function is free
// of shared state. Errors: none that a caller could handle. A libcrypto that
// cannot hash or has no randomness is a broken process: PF_ASSERT.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::support {

using digest = std::array<std::uint8_t, 32>;

/// SHA-256 in pieces. `finish` makes the object ready for the next message.
class sha256 {
public:
  sha256();
  sha256(sha256&&) noexcept;
  sha256& operator=(sha256&&) noexcept;
  ~sha256();

  sha256& update(std::string_view bytes);

  /// The size as 8 big-endian bytes, then the bytes: two different lists of
  /// parts never feed the same message.
  sha256& update_framed(std::string_view part);

  [[nodiscard]] digest finish();

private:
  struct context;
  std::unique_ptr<context> context_;
};

/// The digest of one message; reuses one context a thread.
[[nodiscard]] digest sha256_of(std::string_view bytes);

/// RFC 2104 with SHA-256. The key may have any length.
[[nodiscard]] digest hmac_sha256(std::string_view key, std::string_view bytes);

/// `size` bytes from the system's generator, fit for secrets.
[[nodiscard]] std::string random_bytes(std::size_t size);

/// Compares in time that depends on the sizes only.
[[nodiscard]] bool equal_in_constant_time(std::string_view a,
                                          std::string_view b) noexcept;
[[nodiscard]] bool equal_in_constant_time(const digest& a,
                                          const digest& b) noexcept;

/// Lower-case hex.
[[nodiscard]] std::string hex(std::string_view bytes);
[[nodiscard]] std::string hex(const digest& value);

/// The digest of exactly 64 lower-case hex digits; anything else is nothing.
[[nodiscard]] std::optional<digest> digest_of_hex(std::string_view text);

/// RFC 4648 section 5, without padding.
[[nodiscard]] std::string base64url(std::string_view bytes);

/// Strict: no padding, no other character, unused bits zero, so that every
/// value has one text only.
[[nodiscard]] std::optional<std::string>
bytes_of_base64url(std::string_view text);

/// The digest's bytes as a view; valid as long as the digest.
[[nodiscard]] inline std::string_view bytes_of(const digest& value) noexcept {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

} // namespace parcelflow::support
