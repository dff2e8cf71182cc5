#include "tests/simulation/campaign.hpp"

#include "tests/simulation/workers.hpp"

#include <chrono>
#include <cstdio>
#include <sstream>

namespace parcelflow::simulation {
namespace {

/// One total a line, then one hit or violation a line: what a worker tells.
std::string written(const campaign_totals& of) {
  std::ostringstream out;
  out << "sums " << of.seeds << ' ' << of.crashes << ' ' << of.steps << ' '
      << of.disk_changes << ' ' << of.orders << ' ' << of.simulated_ms << '\n';
  for (const auto& [what, count] : of.hits)
    out << "hit " << count << ' ' << what << '\n';
  for (const auto& [seed, why] : of.failed)
    for (const auto& one : why)
      out << "failed " << seed << ' ' << one << '\n';
  return out.str();
}

void read_into(campaign_totals& to, const std::string& text) {
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
    if (word == "hit")
      to.hits[rest] += number;
    else
      to.failed[number].push_back(rest);
  }
}

campaign_totals work(const campaign_options& options, unsigned worker) {
  campaign_totals totals;
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  for (auto i = std::uint64_t{worker}; i < options.seeds;
       i += options.workers) {
    const auto seed = options.first + i;
    const auto one = live_through(draw_schedule(seed));
    totals.add(seed, one);
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
                   static_cast<unsigned long long>(i + 1),
                   static_cast<unsigned long long>(options.seeds),
                   static_cast<double>(i + 1) / so_far.count());
    }
  }
  return totals;
}

} // namespace

void campaign_totals::add(std::uint64_t seed, const outcome& of) {
  ++seeds;
  crashes += of.crashes;
  steps += of.steps;
  disk_changes += of.disk_changes;
  orders += of.orders;
  simulated_ms += static_cast<std::uint64_t>(of.simulated_ms);
  for (const auto& [what, count] : of.hits)
    hits[what] += count;
  if (!of.violations.empty())
    failed[seed] = of.violations;
}

campaign_totals run_campaign(const campaign_options& options) {
  campaign_totals totals;
  const auto told = in_workers(options.workers, [&](unsigned worker) {
    return written(work(options, worker));
  });
  for (const auto& one : told) {
    read_into(totals, one.text);
    if (one.status != 0)
      totals.failed[0].push_back("a worker died with status "
                                 + std::to_string(one.status));
  }
  return totals;
}

} // namespace parcelflow::simulation
