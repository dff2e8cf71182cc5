#include "tests/simulation/campaign.hpp"

#include "tests/simulation/workers.hpp"

#include <chrono>
#include <cstdio>
#include <sstream>

namespace parcelflow::simulation {
namespace {

/// One life in lines: what a worker tells of it.
std::string written(std::uint64_t seed, const outcome& of) {
  std::ostringstream out;
  out << "sums 1 " << of.crashes << ' ' << of.steps << ' ' << of.disk_changes
      << ' ' << of.orders << ' ' << of.simulated_ms << '\n';
  for (const auto& [what, count] : of.hits)
    if (count > 0)
      out << "hit " << count << ' ' << what << '\n';
  for (const auto& one : of.violations)
    out << "failed " << seed << ' ' << one << '\n';
  return out.str();
}

/// Returns the seed that was begun last.
std::uint64_t read_into(campaign_totals& to, const std::string& text) {
  std::uint64_t last = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "sums") {
      std::uint64_t n[6] = {};
      for (auto& one : n)
        in >> one;
      to.seeds += n[0];
      to.crashes += n[1];
      to.steps += n[2];
      to.disk_changes += n[3];
      to.orders += n[4];
      to.simulated_ms += n[5];
      continue;
    }
    std::uint64_t number = 0;
    in >> number;
    std::string rest;
    std::getline(in >> std::ws, rest);
    if (word == "begun")
      last = number;
    else if (word == "hit")
      to.hits[rest] += number;
    else
      to.failed[number].push_back(rest);
  }
  return last;
}

void work(const campaign_options& options, unsigned worker,
          const teller& tell) {
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  for (std::uint64_t i = worker; i < options.seeds; i += options.workers) {
    const auto seed = options.first + i;
    tell("begun " + std::to_string(seed) + '\n');
    const auto one = live_through(draw_schedule(seed));
    tell(written(seed, one));
    if (!one.violations.empty())
      std::fprintf(stderr, "seed %llu: %s\n",
                   static_cast<unsigned long long>(seed),
                   one.violations.front().c_str());
    const auto now = std::chrono::steady_clock::now();
    if (options.progress && worker == 0
        && now - told > std::chrono::seconds(10)) {
      told = now;
      const std::chrono::duration<double> so_far = now - begin;
      std::fprintf(stderr, "%llu of %llu seeds, %.1f a second\n",
                   static_cast<unsigned long long>(i) + 1,
                   static_cast<unsigned long long>(options.seeds),
                   static_cast<double>(i + 1) / so_far.count());
    }
  }
}

} // namespace

campaign_totals run_campaign(const campaign_options& options) {
  campaign_totals totals;
  const auto told =
    in_workers(options.workers, [&](unsigned worker, const teller& tell) {
      work(options, worker, tell);
    });
  for (const auto& one : told) {
    const auto last = read_into(totals, one.text);
    if (one.status != 0)
      totals.failed[last].push_back("the process died with status "
                                    + std::to_string(one.status));
  }
  return totals;
}

} // namespace parcelflow::simulation
