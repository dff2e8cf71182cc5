#include "domain/event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace parcelflow::domain {
namespace {

constexpr std::size_t ulid_size = 26;

// Judged several times an event, so by a table.
constexpr auto ulid_chars = [] {
  std::array<bool, 256> legal{};
  for (const char c : std::string_view("0123456789ABCDEFGHJKMNPQRSTVWXYZ"))
    legal[static_cast<unsigned char>(c)] = true;
  return legal;
}();

bool is_ulid_char(char c) noexcept {
  return ulid_chars[static_cast<unsigned char>(c)];
}

bool is_ulid(std::string_view text) noexcept {
  return text.size() == ulid_size
         && std::all_of(text.begin(), text.end(), is_ulid_char);
}

bool is_lower_alnum(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

} // namespace

std::string own_event_id(std::string_view order_id, std::uint64_t sequence) {
  if (order_id.starts_with("ord-"))
    order_id.remove_prefix(4);
  std::string id = "evt-";
  id.append(order_id).append("-").append(std::to_string(sequence));
  return id;
}

id_form form_of(const envelope& of) {
  const std::string_view id = of.event_id;
  constexpr std::string_view prefix = "evt-";
  if (!id.starts_with(prefix) || id.size() < prefix.size() + ulid_size + 2)
    return id_form::foreign;
  const auto ulid = id.substr(prefix.size(), ulid_size);
  const auto tail = id.substr(prefix.size() + ulid_size);
  std::uint64_t sequence = 0;
  const char* end = tail.data() + tail.size();
  const auto parsed = std::from_chars(tail.data() + 1, end, sequence);
  if (tail.front() != '-' || !is_ulid(ulid) || parsed.ptr != end
      || parsed.ec != std::errc())
    return id_form::foreign;
  const std::string_view aggregate = of.aggregate_id;
  const bool agrees = aggregate.size() == ulid_size + 4
                      && aggregate.starts_with("ord-")
                      && aggregate.substr(4) == ulid && tail[1] != '0'
                      && sequence == of.aggregate_sequence;
  return agrees ? id_form::own : id_form::contradictory;
}

bool is_tenant_name(std::string_view text) noexcept {
  if (text.empty() || text.size() > 63)
    return false;
  const char first = text.front();
  if (first != '_' && !is_lower_alnum(first))
    return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_public_id(std::string_view text) noexcept {
  if (text.empty() || text.size() > 128)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_'
           || c == ':' || c == '-';
  });
}

} // namespace parcelflow::domain
