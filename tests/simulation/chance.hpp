// The only source of chance in a simulation: what is drawn from one seed is
// the same on every machine and in every build, so a run can be repeated.
// Thread rule: plain value, one thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace parcelflow::simulation {

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough for schedules.
class chance {
public:
  explicit chance(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  /// Uniform enough in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  /// In [low, high], both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept {
    return low + below(high - low + 1);
  }
  bool percent(std::uint64_t of_hundred) noexcept {
    return below(100) < of_hundred;
  }
  template <class T>
  const T& pick(const std::vector<T>& from) noexcept {
    return from[below(from.size())];
  }
  /// A source of its own for one part: what that part draws moves no other.
  [[nodiscard]] chance fork(std::uint64_t salt) const noexcept {
    return chance(chance(state_ ^ (salt * 0xd1342543de82ef95ULL)).next());
  }

private:
  std::uint64_t state_;
};

/// FNV-1a over whatever happened, in its order: two runs with one hash did the
/// same.
class trace {
public:
  /// Writes every entry there too: two runs that differ show where.
  void tee(std::FILE* to) noexcept { to_ = to; }
  void add(std::string_view text) noexcept {
    if (to_ != nullptr)
      std::fprintf(to_, "%.*s\n", static_cast<int>(text.size()), text.data());
    for (const char byte : text)
      mix(static_cast<std::uint8_t>(byte));
    mix(0x1f);
  }
  void add(std::uint64_t number) noexcept {
    if (to_ != nullptr)
      std::fprintf(to_, "%llu\n", static_cast<unsigned long long>(number));
    for (unsigned shift = 0; shift < 64; shift += 8)
      mix(static_cast<std::uint8_t>(number >> shift));
  }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

private:
  void mix(std::uint8_t byte) noexcept {
    hash_ = (hash_ ^ byte) * 0x100000001b3ULL;
  }
  std::FILE* to_ = nullptr;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

} // namespace parcelflow::simulation
