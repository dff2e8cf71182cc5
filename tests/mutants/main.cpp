// parcelflow-mutants: the simulator with known-wrong variants of the product
// in it. Each must be killed by a check; one that survives is a hole in the
// checks. Never installed.
//
//   parcelflow-mutants --list
//   parcelflow-mutants                   all of them
//   parcelflow-mutants --quick           those of the default test
//   parcelflow-mutants --mutant NAME --seeds 100
#include "support/log.hpp"
#include "tests/mutants/catalogue.hpp"
#include "tests/mutants/chosen.hpp"
#include "tests/mutants/trial.hpp"
#include "tests/simulation/workers.hpp"

#include <CLI/CLI.hpp>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <new>

using namespace parcelflow;
using namespace parcelflow::mutants;

namespace {

struct choice {
  std::vector<std::string> names;
  bool quick = false;
  unsigned workers = 1;
};

int list() {
  for (const auto& one : catalogue())
    std::printf("%s\n    %s\n    %s; breaks %s\n",
                std::string(one.name).c_str(), std::string(one.says).c_str(),
                std::string(one.file).c_str(), std::string(one.rule).c_str());
  std::printf("%zu mutants\n", catalogue().size());
  return 0;
}

std::vector<std::string> picked(const choice& what) {
  if (!what.names.empty())
    return what.names;
  std::vector<std::string> names{""}; // the product as it is comes first
  for (const auto& one : catalogue())
    if (one.quick || !what.quick)
      names.emplace_back(one.name);
  return names;
}

/// One row of the table; false if the checks failed.
bool try_one(const std::string& name, trial_options options) {
  const bool control = name.empty();
  if (control)
    options.seeds = std::min<std::uint64_t>(options.seeds, 20);
  const auto result = try_variant(name, options);
  const auto* const how = result.killed ? "killed" : "survived";
  std::string by = result.by.substr(0, 110);
  if (!result.killed)
    by = "its code ran " + std::to_string(result.reached) + " times";
  std::printf("%-40s %-8s %4llu  %s\n",
              control ? "(the product as it is)" : name.c_str(), how,
              static_cast<unsigned long long>(result.seeds),
              control && !result.killed ? "" : by.c_str());
  std::fflush(stdout);
  return control != result.killed;
}

int try_all(const choice& what, const trial_options& options) {
  const auto names = picked(what);
  struct sums {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> wrong{0};
  };
  void* const place = ::mmap(nullptr, sizeof(sums), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return 70;
  auto& shared = *new (place) sums;
  std::printf("%-40s %-8s %4s  %s\n", "mutant", "", "seed", "by");
  const auto ended =
    simulation::in_workers(what.workers, [&](unsigned, const auto&) {
      for (auto i = shared.next++; i < names.size(); i = shared.next++)
        if (!try_one(names[i], options))
          ++shared.wrong;
    });
  const bool whole = std::all_of(ended.begin(), ended.end(),
                                 [](const auto& e) { return e.status == 0; });
  const auto wrong = shared.wrong.load();
  std::printf("%zu tried, %zu not as they must be\n", names.size(), wrong);
  return whole && wrong == 0 ? 0 : 1;
}

bool known(const std::string& name) {
  return std::any_of(catalogue().begin(), catalogue().end(),
                     [&](const auto& one) { return one.name == name; });
}

} // namespace

int main(int count, char** arguments) {
  CLI::App program(std::string("Known-wrong variants of ParcelFlow. ")
                   + marker());
  bool listing = false;
  choice what;
  trial_options options;
  program.add_flag("--list", listing, "what there is");
  program.add_flag("--quick", what.quick, "only those of the default test");
  program.add_option("--mutant", what.names, "only these");
  program.add_option("--seeds", options.seeds, "at most, each")
    ->check(CLI::PositiveNumber);
  program.add_option("--first", options.first, "the first of them");
  program.add_option("--workers", what.workers, "processes side by side")
    ->check(CLI::Range(1, 64));
  CLI11_PARSE(program, count, arguments);
  if (listing)
    return list();
  for (const auto& name : what.names)
    if (!known(name)) {
      std::fprintf(stderr, "no such mutant: %s\n", name.c_str());
      return 64;
    }
  support::log::set_level(support::log::level::off);
  std::cout.setstate(std::ios::failbit); // CAF tells there of dead actors
  return try_all(what, options);
}
