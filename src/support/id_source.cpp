#include "support/id_source.hpp"

#include "support/assert.hpp"

#include <algorithm>
#include <random>

namespace parcelflow::support {
namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

std::uint64_t split_mix(std::uint64_t& state) noexcept {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

std::uint64_t rotate_left(std::uint64_t x, unsigned by) noexcept {
  return (x << by) | (x >> (64U - by));
}

} // namespace

seeded_id_source::seeded_id_source(const clock& time, std::uint64_t seed)
  : time_(time) {
  for (auto& word : state_)
    word = split_mix(seed);
}

std::uint64_t seeded_id_source::next_random() noexcept {
  auto& s = state_;
  const std::uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17U;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

std::string seeded_id_source::next_ulid() {
  const unix_ms now = std::max<unix_ms>(time_.now(), 0);
  if (now > last_ms_) {
    last_ms_ = now;
    high_ = static_cast<std::uint16_t>(next_random());
    low_ = next_random();
  } else {
    // Same or earlier millisecond: count on, so that order never breaks.
    const std::uint64_t step = 1 + (next_random() & 0xFFFFFU);
    low_ += step;
    if (low_ < step && ++high_ == 0)
      ++last_ms_;
  }
  std::string text(26, '0');
  auto time = static_cast<std::uint64_t>(last_ms_);
  for (std::size_t i = 10; i-- > 0; time >>= 5U)
    text[i] = alphabet[time & 31U];
  std::uint64_t low = low_;
  std::uint64_t high = high_;
  for (std::size_t i = 26; i-- > 10;) {
    text[i] = alphabet[low & 31U];
    low = (low >> 5U) | (high << 59U);
    high >>= 5U;
  }
  return text;
}

void seeded_id_source::not_before(unix_ms at) {
  if (at < last_ms_)
    return;
  last_ms_ =
    at + 1; // the next one counts on from here, whatever the clock says
  high_ = 0;
  low_ = next_random();
}

std::string seeded_id_source::next_trace_id() {
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string text(32, '0');
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t bits = next_random() | 1U;
    for (std::size_t i = 0; i < 16; ++i, bits >>= 4U)
      text[half * 16 + 15 - i] = hex[bits & 15U];
  }
  return text;
}

std::uint64_t seeded_id_source::below(std::uint64_t bound) {
  PF_ASSERT(bound > 0);
  return next_random() % bound;
}

std::uint64_t entropy_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

unix_ms ulid_time(std::string_view ulid) noexcept {
  if (!is_ulid(ulid))
    return 0;
  unix_ms at = 0;
  for (const char c : ulid.substr(0, 10))
    at = at * 32 + static_cast<unix_ms>(alphabet.find(c));
  return at;
}

bool is_ulid(std::string_view text) noexcept {
  return text.size() == 26 && std::all_of(text.begin(), text.end(), [](char c) {
           return alphabet.find(c) != std::string_view::npos;
         });
}

} // namespace parcelflow::support
