// Canaries: secrets that a test plants, each of a text that occurs nowhere
// else, and the scanner that looks for them in what came out. It finds half of
// one too, so that a text cut short is a leak as well.
// Owner: the test. Thread rule: one thread. Errors: too short a secret fails
// the test: half of it might be found by chance.
#pragma once

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::test {

class canaries {
public:
  static constexpr std::size_t bytes_min = 24;

  /// A new secret: `prefix`, and 32 random hexadecimal digits.
  std::string plant(const std::string& name, const std::string& prefix = {}) {
    std::random_device chance;
    std::string text;
    while (text.size() < 32)
      text += "0123456789abcdef"[chance() % 16];
    keep(name, text);
    return prefix + text;
  }
  /// A secret that somebody else made.
  void keep(std::string name, std::string text) {
    REQUIRE(text.size() >= bytes_min);
    planted_.push_back({std::move(name), std::move(text)});
  }

  /// The names of those that stand in a text, whole or half.
  [[nodiscard]] std::vector<std::string> leaks_in(std::string_view text) const {
    std::vector<std::string> found;
    for (const auto& [name, secret] : planted_) {
      const std::string_view whole = secret;
      const auto half = whole.size() / 2;
      if (text.find(whole.substr(0, half)) != std::string_view::npos
          || text.find(whole.substr(half)) != std::string_view::npos)
        found.push_back(name);
    }
    return found;
  }

private:
  struct canary {
    std::string name;
    std::string text;
  };
  std::vector<canary> planted_;
};

} // namespace parcelflow::test
