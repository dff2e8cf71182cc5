#include "http/target.hpp"

#include "codec/json_text.hpp"
#include "codec/trace_context.hpp"
#include "support/assert.hpp"

#include <algorithm>

namespace parcelflow::http {

namespace {

using domain::failure;
using domain::fault;
using domain::outcome;

constexpr int not_hex = -1;

constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return not_hex;
}

constexpr bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

constexpr bool is_printable(char c) noexcept {
  return c >= 0x20 && c <= 0x7e;
}

fault refused(std::string detail) {
  return {failure::invalid_request, std::move(detail)};
}

outcome<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : not_hex;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : not_hex;
      if (high == not_hex || low == not_hex)
        return refused("the target has a '%' without two hex digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    } else if (c == ' ' || c == '#') {
      return refused("the target has a raw space or '#'");
    }
    if (is_control(c))
      return refused("the target has a control character");
    out.push_back(c);
  }
  return out;
}

/// Calls `each` with the parts of `text` between separators, until it refuses.
template <class Each>
domain::status split(std::string_view text, char separator, Each each) {
  for (;;) {
    const auto end = text.find(separator);
    if (auto step = each(text.substr(0, end)); !step)
      return step;
    if (end == std::string_view::npos)
      return domain::done();
    text.remove_prefix(end + 1);
  }
}

domain::status add_segment(request_target& into, std::string_view text) {
  auto segment = decode(text, false);
  if (!segment)
    return segment.why();
  // An intermediary may resolve dots, so the two of us could see two paths.
  if (*segment == "." || *segment == "..")
    return refused("the path has a segment '.' or '..'");
  into.path.push_back(*std::move(segment));
  return domain::done();
}

domain::status add_parameter(request_target& into, std::string_view text) {
  const auto equals = text.find('=');
  auto name = decode(text.substr(0, equals), true);
  if (!name)
    return name.why();
  if (name->empty())
    return refused("the query has a parameter without a name");
  auto value = equals == std::string_view::npos
                 ? outcome<std::string>(std::string{})
                 : decode(text.substr(equals + 1), true);
  if (!value)
    return value.why();
  into.query.emplace_back(*std::move(name), *std::move(value));
  return domain::done();
}

outcome<std::string> unquote(std::string_view text) {
  std::string key;
  for (std::size_t i = 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      if (i + 1 != text.size())
        return refused("the Idempotency-Key goes on after its closing quote");
      return key;
    }
    if (c == '\\') {
      c = ++i < text.size() ? text[i] : '\0';
      if (c != '"' && c != '\\')
        return refused("the Idempotency-Key has a bad escape");
    }
    if (!is_printable(c))
      return refused("the Idempotency-Key must be printable ASCII");
    key.push_back(c);
  }
  return refused("the Idempotency-Key has no closing quote");
}

} // namespace

std::optional<std::string_view>
request_target::parameter(std::string_view name) const noexcept {
  for (const auto& [key, value] : query)
    if (key == name)
      return value;
  return std::nullopt;
}

outcome<request_target> parse_target(std::string_view target) {
  if (target.empty() || target.front() != '/')
    return refused("the target must begin with '/'");
  request_target parsed;
  const auto mark = target.find('?');
  const auto path = target.substr(1, mark == target.npos ? mark : mark - 1);
  if (!path.empty()) {
    auto ok = split(path, '/', [&parsed](std::string_view text) {
      return add_segment(parsed, text);
    });
    if (!ok)
      return ok.why();
  }
  const auto query =
    mark == target.npos ? std::string_view{} : target.substr(mark + 1);
  if (!query.empty()) {
    auto ok = split(query, '&', [&parsed](std::string_view text) {
      return add_parameter(parsed, text);
    });
    if (!ok)
      return ok.why();
  }
  return parsed;
}

domain::status
check_parameters(const request_target& target,
                 std::initializer_list<std::string_view> allowed) {
  const auto& query = target.query;
  for (auto it = query.begin(); it != query.end(); ++it) {
    const auto& name = it->first;
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      return refused("the query parameter " + codec::shown_name(name)
                     + " is not known here");
    if (std::any_of(query.begin(), it,
                    [&name](const auto& other) { return other.first == name; }))
      return refused("the query parameter " + codec::shown_name(name)
                     + " is given twice");
  }
  return domain::done();
}

outcome<std::string> parse_idempotency_key(std::string_view header) {
  if (header.empty())
    return fault{failure::missing_idempotency_key,
                 "send an Idempotency-Key header with 1 to 255 printable "
                 "bytes, a new one for each order"};
  const bool quoted = header.front() == '"';
  auto key =
    quoted ? unquote(header) : outcome<std::string>(std::string(header));
  if (!key)
    return key;
  if (key->empty() || key->size() > idempotency_key_bytes_max)
    return refused("the Idempotency-Key must have 1 to 255 bytes");
  const auto bare_byte = [](char c) {
    return is_printable(c)
           && std::string_view(" \"\\,;").find(c) == std::string_view::npos;
  };
  if (!quoted && !std::all_of(key->begin(), key->end(), bare_byte))
    return refused("an Idempotency-Key with spaces, quotes, commas or "
                   "semicolons must be a quoted string");
  return key;
}

std::optional<trace_context> parse_traceparent(std::string_view header) {
  const auto trace_id = codec::trace_id_of(header);
  if (!trace_id || !header.starts_with("00-"))
    return std::nullopt;
  // 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
  return trace_context{std::string(*trace_id),
                       std::string(header.substr(36, 16)),
                       static_cast<std::uint8_t>(hex_value(header[53]) * 16
                                                 + hex_value(header[54]))};
}

std::string format_traceparent(const trace_context& trace) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "00-" + trace.trace_id + "-" + trace.parent_id + "-";
  out.push_back(digits[trace.flags >> 4]);
  out.push_back(digits[trace.flags & 0x0f]);
  PF_ASSERT(codec::trace_id_of(out) == trace.trace_id);
  return out;
}

} // namespace parcelflow::http
