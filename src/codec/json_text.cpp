#include "codec/json_text.hpp"

namespace parcelflow::codec {
namespace {

bool is_plain(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
  case '"': out += "\\\""; return;
  case '\\': out += "\\\\"; return;
  case '\b': out += "\\b"; return;
  case '\f': out += "\\f"; return;
  case '\n': out += "\\n"; return;
  case '\r': out += "\\r"; return;
  case '\t': out += "\\t"; return;
  default: break;
  }
  const auto code = static_cast<unsigned char>(c);
  out += "\\u00";
  out += hex[code >> 4];
  out += hex[code & 0xF];
}

} // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_plain(text[at]))
      continue;
    out.append(text, begin, at - begin);
    append_escaped(out, text[at]);
    begin = at + 1;
  }
  out.append(text, begin);
  out += '"';
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t shown_max = 40;
  std::string shown = "\"";
  for (const char c : name.substr(0, shown_max))
    shown += c >= ' ' && c <= '~' && c != '"' ? c : '?';
  shown += name.size() > shown_max ? "...\"" : "\"";
  return shown;
}

std::string& object_writer::member(std::string_view name) {
  if (!first_)
    out_ += ',';
  first_ = false;
  append_quoted(out_, name);
  return out_ += ':';
}

} // namespace parcelflow::codec
