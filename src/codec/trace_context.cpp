#include "codec/trace_context.hpp"

#include <algorithm>

namespace parcelflow::codec {
namespace {

bool is_hex(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

bool is_zero(std::string_view text) noexcept {
  return text.find_first_not_of('0') == text.npos;
}

} // namespace

bool is_trace_id(std::string_view text) noexcept {
  return text.size() == 32 && is_hex(text);
}

std::optional<std::string_view>
trace_id_of(std::string_view traceparent) noexcept {
  constexpr std::size_t size = 55; // version-trace-parent-flags
  constexpr std::size_t size_max = 256;
  if (traceparent.size() < size || traceparent.size() > size_max)
    return std::nullopt;
  const auto version = traceparent.substr(0, 2);
  const auto trace_id = traceparent.substr(3, 32);
  const auto parent_id = traceparent.substr(36, 16);
  const auto flags = traceparent.substr(53, 2);
  const bool dashed =
    traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  const bool ends =
    traceparent.size() == size || (version != "00" && traceparent[size] == '-');
  if (!dashed || !ends || version == "ff" || is_zero(trace_id)
      || is_zero(parent_id))
    return std::nullopt;
  if (!is_hex(version) || !is_hex(trace_id) || !is_hex(parent_id)
      || !is_hex(flags))
    return std::nullopt;
  return trace_id;
}

} // namespace parcelflow::codec
