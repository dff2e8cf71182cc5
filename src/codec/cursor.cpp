#include "codec/cursor.hpp"

#include "support/assert.hpp"
#include "support/digest.hpp"

namespace parcelflow::codec {
namespace {

constexpr std::size_t code_bytes = 16;
constexpr std::size_t key_bytes_min = 16;
constexpr std::size_t veil_bytes = 12;

/// Size and bytes: two lists of parts never give the same message.
void frame(std::string& message, std::string_view part) {
  message += std::to_string(part.size());
  message += ':';
  message += part;
}

} // namespace

cursor_sealer::cursor_sealer(std::string key) : key_(std::move(key)) {
  PF_ASSERT(key_.size() >= key_bytes_min);
}

std::string cursor_sealer::code_of(const cursor_scope& scope,
                                   std::string_view position) const {
  std::string message;
  frame(message, "cursor");
  frame(message, scope.list);
  frame(message, scope.tenant);
  frame(message, scope.filter);
  frame(message, position);
  const auto code = support::hmac_sha256(key_, message);
  return std::string(support::bytes_of(code).substr(0, code_bytes));
}

std::string cursor_sealer::masked(std::string_view code,
                                  std::string_view position) const {
  std::string bytes(position);
  std::string mask;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto place = at % sizeof(support::digest);
    if (place == 0) {
      std::string message;
      frame(message, "mask");
      frame(message, code);
      frame(message, std::to_string(at));
      const auto block = support::hmac_sha256(key_, message);
      mask = support::bytes_of(block);
    }
    bytes[at] = static_cast<char>(bytes[at] ^ mask[place]);
  }
  return bytes;
}

std::string cursor_sealer::seal(const cursor_scope& scope,
                                std::string_view position) const {
  const auto code = code_of(scope, position);
  return support::base64url(masked(code, position) + code);
}

std::optional<std::string> cursor_sealer::open(const cursor_scope& scope,
                                               std::string_view text) const {
  const auto bytes = support::bytes_of_base64url(text);
  if (!bytes || bytes->size() < code_bytes)
    return std::nullopt;
  const auto cut = bytes->size() - code_bytes;
  const auto code = std::string_view(*bytes).substr(cut);
  auto position = masked(code, std::string_view(*bytes).substr(0, cut));
  if (!support::equal_in_constant_time(code, code_of(scope, position)))
    return std::nullopt;
  return position;
}

std::string cursor_sealer::veil(std::string_view value) const {
  std::string message;
  frame(message, "veil");
  frame(message, value);
  const auto code = support::hmac_sha256(key_, message);
  return support::base64url(support::bytes_of(code).substr(0, veil_bytes));
}

} // namespace parcelflow::codec
