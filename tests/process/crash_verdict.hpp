// What a closed directory holds against the books of the clients: orders that
// are lost, that nobody was told of, or whose effect is there twice or not at
// all; stock that does not add up; and the invariants.
// Owner: the test. Thread rule: one thread. Errors: a row that does not parse
// fails the test; what is wrong comes back as sentences.
#pragma once

#include "tests/process/crash_ledger.hpp"

#include <string>
#include <vector>

namespace parcelflow::test {

struct crash_verdict {
  std::uint64_t lost = 0;         ///< acknowledged, and not there
  std::uint64_t unexpected = 0;   ///< there, and never acknowledged
  std::uint64_t duplicated = 0;   ///< a second order, job or send
  std::vector<std::string> wrong; ///< every finding, those included
};

[[nodiscard]] crash_verdict judge(const std::string& data_directory,
                                  const crash_books& books);

} // namespace parcelflow::test
