// What is hashed to tell two things apart: fields one after the other, a text
// as its length (8 bytes, big-endian) and its bytes, a number as 8 bytes
// big-endian, so that no two different sequences of fields give the same input.
// The layout is pinned by golden tests: digests of years ago must still agree.
// Thread rule: plain values. Errors: none.
#pragma once

#include "domain/event.hpp"
#include "support/digest.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::codec {

class digest_input {
public:
  explicit digest_input(std::size_t size_hint) { bytes_.reserve(size_hint); }

  digest_input& number(std::uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes_ += static_cast<char>(value >> shift);
    return *this;
  }
  digest_input& text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  [[nodiscard]] domain::sha256_digest sha256() const {
    return support::sha256_of(bytes_);
  }

private:
  std::string bytes_;
};

} // namespace parcelflow::codec
