// The text forms of support/digest.hpp; no library needed.
#include "support/digest.hpp"

namespace parcelflow::support {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64url_digits =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

} // namespace

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 0xF];
  }
  return text;
}

std::string hex(const digest& value) {
  return hex(bytes_of(value));
}

std::optional<digest> digest_of_hex(std::string_view text) {
  digest value{};
  if (text.size() != 2 * value.size())
    return std::nullopt;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto high = hex_digits.find(text[2 * i]);
    const auto low = hex_digits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
      return std::nullopt;
    value[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return value;
}

std::string base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<std::uint8_t>(c);
    for (bits += 8; bits >= 6; bits -= 6)
      text += base64url_digits[(held >> (bits - 6)) & 0x3F];
  }
  if (bits > 0)
    text += base64url_digits[(held << (6 - bits)) & 0x3F];
  return text;
}

std::optional<std::string> bytes_of_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const auto digit = base64url_digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    held = (held << 6) | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(held >> bits);
    }
  }
  const bool left_over = (held & ((1U << bits) - 1U)) != 0;
  if (bits >= 6 || left_over)
    return std::nullopt;
  return bytes;
}

} // namespace parcelflow::support
