// parcelflow-sim: lives through seeds and says what broke.
//
//   parcelflow-sim --seed 42            one life, told as it happens
//   parcelflow-sim --seed 42 --keep 3,7-9   only those of its acts
//   parcelflow-sim --seeds 1000         many; exit 1 if a promise broke
//   parcelflow-sim --matrix             one script, crashed at every point
//   parcelflow-sim --script --crash "change 104 torn"   at one of them
#include "support/log.hpp"
#include "tests/simulation/campaign.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/matrix.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>

using namespace parcelflow;
using namespace parcelflow::simulation;

namespace {

std::string command_of(const schedule& of) {
  std::vector<std::uint64_t> numbers;
  for (const auto& one : of.acts)
    numbers.push_back(one.number);
  return "parcelflow-sim --seed " + std::to_string(of.seed) + " --keep "
         + to_text(numbers);
}

int one_life(const schedule& of, bool narrate, const std::string& trace_file,
             const std::string& crashes = {}) {
  simulation::simulation life(of);
  life.crash_also(crashes_named(crashes));
  life.narrate(narrate);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(
    trace_file.empty() ? nullptr : std::fopen(trace_file.c_str(), "w"),
    std::fclose);
  life.write_trace(to.get());
  const auto result = life.run();
  std::printf("seed %llu trace %016llx acts %zu crashes %llu orders %llu "
              "steps %llu disk %llu simulated %lld ms\n",
              static_cast<unsigned long long>(of.seed),
              static_cast<unsigned long long>(result.trace_hash),
              of.acts.size(), static_cast<unsigned long long>(result.crashes),
              static_cast<unsigned long long>(result.orders),
              static_cast<unsigned long long>(result.steps),
              static_cast<unsigned long long>(result.disk_changes),
              static_cast<long long>(result.simulated_ms));
  for (const auto& one : result.violations)
    std::printf("broken: %s\n", one.c_str());
  return result.violations.empty() ? 0 : 1;
}

int matrix(const matrix_options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto all = run_matrix(options);
  const std::chrono::duration<double> took =
    std::chrono::steady_clock::now() - begin;
  for (const auto& [where, what] : all.failures)
    std::printf("FAILED %s: %s\n  replay: parcelflow-sim --script%s --crash "
                "\"%s\"\n",
                where.c_str(), what.c_str(),
                options.per_owner ? " --per-owner" : "", where.c_str());
  std::printf("%s batches: N %llu disk changes, M %llu actor steps, every "
              "%llu. of them; %llu runs and %llu nested ones, %llu crashes, "
              "%zu failures, %.0f s\n",
              options.per_owner ? "split" : "shared",
              static_cast<unsigned long long>(all.changes),
              static_cast<unsigned long long>(all.steps),
              static_cast<unsigned long long>(options.stride),
              static_cast<unsigned long long>(all.runs),
              static_cast<unsigned long long>(all.nested_runs),
              static_cast<unsigned long long>(all.struck), all.failures.size(),
              took.count());
  return all.failures.empty() ? 0 : 1;
}

/// Says how often each fault was met; false if one never was.
bool met_all(const campaign_options& options, const campaign_totals& totals) {
  bool all = true;
  for (const auto& row : fault_rows()) {
    const auto count = met(row, totals.hits);
    all = all && count > 0;
    std::printf("%10llu  %s %s%s\n", static_cast<unsigned long long>(count),
                std::string(row.id).c_str(), std::string(row.what).c_str(),
                count == 0 ? "  NEVER MET" : "");
  }
  for (const auto& row : later_rows())
    std::printf("   not yet  %s %s\n", std::string(row.id).c_str(),
                std::string(row.what).c_str());
  return all || !options.demand_all;
}

int many_lives(const campaign_options& options, bool shrinking) {
  const auto begin = std::chrono::steady_clock::now();
  const auto totals = run_campaign(options);
  const std::chrono::duration<double> took =
    std::chrono::steady_clock::now() - begin;
  if (options.all_hits)
    for (const auto& [what, count] : totals.hits)
      std::printf("%10llu  %s\n", static_cast<unsigned long long>(count),
                  what.c_str());
  const bool whole = met_all(options, totals);
  std::printf("%llu seeds in %.1f s (%.1f a second), %llu crashes, %llu "
              "orders, %llu steps, %llu disk changes; simulated / wall: %.0f\n",
              static_cast<unsigned long long>(totals.seeds), took.count(),
              static_cast<double>(totals.seeds) / took.count(),
              static_cast<unsigned long long>(totals.crashes),
              static_cast<unsigned long long>(totals.orders),
              static_cast<unsigned long long>(totals.steps),
              static_cast<unsigned long long>(totals.disk_changes),
              static_cast<double>(totals.simulated_ms) / 1000.0 / took.count());
  for (const auto& [seed, why] : totals.failed) {
    std::printf("FAILED seed %llu: %s\n", static_cast<unsigned long long>(seed),
                why.front().c_str());
    if (shrinking)
      std::printf("  replay: %s\n",
                  command_of(shrink(draw_schedule(seed))).c_str());
    else
      std::printf("  replay: parcelflow-sim --seed %llu\n",
                  static_cast<unsigned long long>(seed));
  }
  std::printf("%zu of %llu seeds failed\n", totals.failed.size(),
              static_cast<unsigned long long>(totals.seeds));
  return totals.failed.empty() && whole ? 0 : 1;
}

} // namespace

int main(int count, char** arguments) {
  CLI::App program("Deterministic simulation of ParcelFlow");
  std::uint64_t seed = 0;
  std::string keep;
  bool quiet = false;
  bool shrinking = false;
  campaign_options many;
  many.seeds = 0;
  program.add_option("--seed", seed, "live through this one");
  program.add_option("--keep", keep, "only these acts of it, e.g. 3,7-9");
  std::string trace_file;
  program.add_option("--trace", trace_file, "write the trace of --seed there");
  program.add_flag("--quiet", quiet, "no story");
  program.add_flag("--shrink", shrinking, "find the fewest acts that break");
  program.add_option("--seeds", many.seeds, "how many to live through");
  program.add_option("--first", many.first, "the first of them");
  program.add_flag("--hits", many.all_hits, "print every hit");
  program.add_flag("!--any-faults", many.demand_all,
                   "do not demand that each fault was met: few seeds");
  program.add_option("--workers", many.workers, "processes side by side")
    ->check(CLI::Range(1, 64));
  matrix_options crashes;
  bool all_points = false;
  program.add_flag("--matrix", all_points, "every crash point of one script");
  bool script = false;
  std::string crash;
  program.add_flag("--script", script, "live through the matrix's script");
  program.add_option("--crash", crash,
                     "and crash there, as the matrix names it");
  program.add_flag("--per-owner", crashes.per_owner, "with split batches");
  program.add_option("--stride", crashes.stride, "only every n-th point")
    ->check(CLI::PositiveNumber);
  CLI11_PARSE(program, count, arguments);
  crashes.workers = many.workers;
  support::log::set_level(support::log::level::off);
  // CAF tells there of each actor that dies with its store; that is wanted.
  std::cout.setstate(std::ios::failbit);
  if (script)
    return one_life(canonical_script(crashes.per_owner), !quiet, trace_file,
                    crash);
  if (all_points)
    return matrix(crashes);
  if (many.seeds > 0)
    return many_lives(many, shrinking);
  auto what = draw_schedule(seed);
  if (!keep.empty())
    what = only(what, parse_numbers(keep));
  if (shrinking) {
    what = shrink(what);
    std::printf("%s\n", command_of(what).c_str());
  }
  return one_life(what, !quiet, trace_file);
}
