// Every target over its corpus and seeded mutations of it; the sanitizers and
// the coverage are scripts/fuzz's.
#include "tests/fuzz/targets.hpp"
#include "tests/support/process.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

using namespace parcelflow;

namespace {

constexpr int mutations = 4000;

std::vector<std::string> corpus_of(std::string_view target) {
  const auto folder =
    test::in_source("tests/fuzz/corpus/" + std::string(target));
  std::vector<std::string> all;
  for (const auto& one : std::filesystem::directory_iterator(folder))
    all.push_back(test::whole_text(one.path()));
  return all;
}

std::string mutated(const std::vector<std::string>& corpus,
                    std::mt19937& chance) {
  auto text = corpus[chance() % corpus.size()];
  for (auto edits = 1 + chance() % 4; edits > 0; --edits) {
    const auto at = text.empty() ? 0 : chance() % text.size();
    const auto byte = static_cast<char>(chance());
    switch (chance() % 5) {
    case 0: text.insert(at, 1, byte); break;
    case 1: text.erase(at, 1 + chance() % 8); break;
    case 2: text.resize(at); break;
    case 3: {
      const auto& other = corpus[chance() % corpus.size()];
      if (!other.empty())
        text.insert(at, other.substr(chance() % other.size()));
      break;
    }
    default:
      if (!text.empty())
        text[at] = byte;
    }
  }
  return text;
}

} // namespace

TEST_CASE("no input of a corpus, and none made of it, breaks a target") {
  constexpr unsigned seed = 20261;
  for (const auto& one : fuzz::targets()) {
    CAPTURE(one.name);
    const auto corpus = corpus_of(one.name);
    REQUIRE(corpus.size() >= 2);
    for (const auto& input : corpus)
      one.run(input);
    std::mt19937 chance(seed);
    for (int i = 0; i < mutations; ++i)
      one.run(mutated(corpus, chance));
  }
}
