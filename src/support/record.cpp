#include "support/record.hpp"

#include <algorithm>

namespace parcelflow::support {

record_writer& record_writer::u64(std::uint64_t value) {
  while (value >= 0x80U) {
    bytes_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
    value >>= 7U;
  }
  bytes_.push_back(static_cast<char>(value));
  return *this;
}

record_writer& record_writer::i64(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return u64((bits << 1U) ^ (value < 0 ? ~0ULL : 0ULL));
}

record_writer& record_writer::text(std::string_view value) {
  u64(value.size());
  bytes_.append(value);
  return *this;
}

record_writer&
record_writer::digest(const std::array<std::uint8_t, 32>& value) {
  return text({reinterpret_cast<const char*>(value.data()), value.size()});
}

record_reader::record_reader(std::string_view bytes, std::uint8_t newest) {
  if (bytes.size() < 2) {
    ok_ = false;
    return;
  }
  version_ = static_cast<std::uint8_t>(bytes[0]);
  ok_ = version_ >= 1 && version_ <= newest && bytes[1] == '\0';
  rest_ = bytes.substr(2);
}

std::uint64_t record_reader::u64() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; ok_ && shift < 64; shift += 7) {
    if (rest_.empty())
      break;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1)
      break;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U)
      return value;
  }
  ok_ = false;
  return 0;
}

std::int64_t record_reader::i64() {
  const std::uint64_t bits = u64();
  return static_cast<std::int64_t>((bits >> 1U)
                                   ^ ((bits & 1U) != 0 ? ~0ULL : 0ULL));
}

std::string_view record_reader::text_view() {
  const std::uint64_t size = u64();
  if (!ok_ || size > rest_.size()) {
    ok_ = false;
    return {};
  }
  const auto value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::array<std::uint8_t, 32> record_reader::digest() {
  std::array<std::uint8_t, 32> value{};
  const auto bytes = text_view();
  if (bytes.size() == value.size())
    std::copy(bytes.begin(), bytes.end(), value.begin());
  else
    ok_ = false;
  return value;
}

std::uint64_t record_reader::within(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t value = u64();
  if (ok_ && value >= low && value <= high)
    return value;
  ok_ = false;
  return low;
}

std::uint64_t record_reader::count() {
  const std::uint64_t value = u64();
  if (value > rest_.size()) {
    ok_ = false;
    return 0;
  }
  return value;
}

} // namespace parcelflow::support
