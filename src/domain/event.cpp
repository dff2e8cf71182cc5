#include "domain/event.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::domain {
namespace {

constexpr std::size_t ulid_size = 26;

bool is_ulid_char(char c) noexcept {
  constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return alphabet.find(c) != std::string_view::npos;
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
  std::string_view rest = of.event_id;
  if (!rest.starts_with("evt-") || rest.size() < 4 + ulid_size + 2)
    return id_form::foreign;
  const auto ulid = rest.substr(4, ulid_size);
  rest.remove_prefix(4 + ulid_size);
  std::uint64_t sequence = 0;
  const char* end = rest.data() + rest.size();
  const auto parsed = std::from_chars(rest.data() + 1, end, sequence);
  if (rest.front() != '-' || !is_ulid(ulid) || parsed.ptr != end
      || parsed.ec != std::errc())
    return id_form::foreign;
  const bool agrees =
    of.event_id == own_event_id(of.aggregate_id, of.aggregate_sequence)
    && of.aggregate_id.size() == 4 + ulid_size;
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
