// What is fuzzed: functions that take any bytes. A target asserts what must
// hold for all of them; a wrong answer ends the process, as a sanitizer does.
// Each is run in two ways: by libFuzzer under sanitizers (scripts/fuzz), and
// over its corpus and seeded mutations of it in the default test.
// Thread rule: one thread. Errors: none come back; a finding aborts.
#pragma once

#include <span>
#include <string_view>

namespace parcelflow::fuzz {

struct target {
  std::string_view name; ///< of its folder in tests/fuzz/corpus
  void (*run)(std::string_view input);
};

[[nodiscard]] std::span<const target> targets();

void envelope(std::string_view input);
void order(std::string_view input);
void key(std::string_view input);
void record(std::string_view input);
void console(std::string_view input);
void request(std::string_view input);
void settings(std::string_view input);

/// The first byte chooses; the rest is the input. 0 of nothing.
[[nodiscard]] inline unsigned choice(std::string_view& input) {
  if (input.empty())
    return 0;
  const auto first = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return first;
}

} // namespace parcelflow::fuzz
