#include "support/json_text.hpp"

#include <cstdint>

namespace parcelflow::support {

namespace {

using byte = std::uint8_t;

bool is_tail(byte b) {
  return (b & 0xC0) == 0x80;
}

void append_escape(std::string& out, std::uint32_t code) {
  static constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += digits[(code >> shift) & 0xF];
}

void append_ascii(std::string& out, char c) {
  switch (c) {
  case '"': out += "\\\""; return;
  case '\\': out += "\\\\"; return;
  case '\n': out += "\\n"; return;
  case '\r': out += "\\r"; return;
  case '\t': out += "\\t"; return;
  default: break;
  }
  if (static_cast<byte>(c) < 0x20 || c == 0x7F)
    append_escape(out, static_cast<byte>(c));
  else
    out += c;
}

// C1 controls and the two Unicode line separators; 0 = print as it is.
std::uint32_t hidden_control(std::string_view character) {
  const auto first = static_cast<byte>(character[0]);
  const auto second = static_cast<byte>(character[1]);
  if (first == 0xC2 && second < 0xA0)
    return second;
  if (character == "\u2028")
    return 0x2028;
  if (character == "\u2029")
    return 0x2029;
  return 0;
}

} // namespace

// The ranges are table 3-7 of the Unicode Standard ("Well-Formed UTF-8 Byte
// Sequences"): only the second byte's range depends on the first.
std::size_t utf8_length_at(std::string_view text, std::size_t at) noexcept {
  const auto byte_at = [&](std::size_t i) -> byte {
    return at + i < text.size() ? static_cast<byte>(text[at + i]) : 0;
  };
  const byte first = byte_at(0);
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  if (first < 0xE0)
    return is_tail(byte_at(1)) ? 2 : 0;
  byte low = 0x80;
  byte high = 0xBF;
  if (first == 0xE0)
    low = 0xA0;
  else if (first == 0xED)
    high = 0x9F;
  else if (first == 0xF0)
    low = 0x90;
  else if (first == 0xF4)
    high = 0x8F;
  if (byte_at(1) < low || byte_at(1) > high || !is_tail(byte_at(2)))
    return 0;
  if (first < 0xF0)
    return 3;
  return is_tail(byte_at(3)) ? 4 : 0;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length_at(text, at);
    if (length == 0) {
      out += "\\ufffd";
      ++at;
      continue;
    }
    const auto character = text.substr(at, length);
    at += length;
    if (length == 1)
      append_ascii(out, character[0]);
    else if (const auto code = hidden_control(character); code != 0)
      append_escape(out, code);
    else
      out += character;
  }
  out += '"';
}

} // namespace parcelflow::support
