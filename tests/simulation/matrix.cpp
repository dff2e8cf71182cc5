#include "tests/simulation/matrix.hpp"

#include "tests/simulation/workers.hpp"

#include <sstream>

namespace parcelflow::simulation {
namespace {

constexpr std::uint64_t script_seed = 20;
constexpr std::uint64_t nested_part = 16; ///< one point in so many, again

struct point {
  std::vector<crash_plan> crashes;
  [[nodiscard]] std::string name() const {
    std::string text;
    for (const auto& one : crashes) {
      text += text.empty() ? "" : ", then ";
      text += one.at_change > 0 ? "change " + std::to_string(one.at_change)
                                    + " " + std::string(to_string(one.mode))
                                : "step " + std::to_string(one.at_step);
    }
    return text;
  }
};

crash_plan at_change(std::uint64_t number, crash_mode mode) {
  crash_plan plan;
  plan.mode = mode;
  plan.at_change = number;
  return plan;
}

constexpr crash_mode modes[] = {crash_mode::process, crash_mode::power,
                                crash_mode::torn};

std::vector<point> points_of(std::uint64_t changes, std::uint64_t steps,
                             std::uint64_t stride) {
  std::vector<point> all;
  for (std::uint64_t n = 1; n <= changes; n += stride)
    for (const auto mode : modes)
      all.push_back({{at_change(n, mode)}});
  for (std::uint64_t m = 1; m <= steps; m += stride) {
    crash_plan plan;
    plan.at_step = m;
    all.push_back({{plan}});
  }
  const auto single = all.size();
  for (std::size_t i = 0; i < single; i += nested_part)
    for (const std::uint64_t again : {3ULL, 17ULL, 40ULL}) {
      auto twice = all[i];
      twice.crashes.push_back(at_change(again, modes[again % 3]));
      auto thrice = twice;
      thrice.crashes.push_back(at_change(again / 2 + 1, modes[i % 3]));
      all.push_back(std::move(twice));
      all.push_back(std::move(thrice));
    }
  return all;
}

outcome live_with(const schedule& script, const point& at) {
  simulation life(script);
  life.crash_also(at.crashes);
  return life.run();
}

} // namespace

std::vector<crash_plan> crashes_named(std::string_view text) {
  std::vector<crash_plan> plans;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word == "then")
      continue;
    std::uint64_t number = 0;
    std::string mode;
    if (word == "change" && words >> number >> mode) {
      for (const auto one : modes)
        if (mode.starts_with(to_string(one)))
          plans.push_back(at_change(number, one));
    } else if (word == "step" && words >> number) {
      words.ignore(); // a comma
      plans.emplace_back();
      plans.back().at_step = number;
    }
  }
  return plans;
}

schedule canonical_script(bool per_owner) {
  using k = act_kind;
  schedule made;
  made.seed = script_seed;
  made.how.per_owner = per_owner;
  const act_kind acts[] = {
    k::place,   k::place,  k::place,    k::rest,   k::place,    k::place,
    k::cancel,  k::repeat, k::complete, k::rest,   k::flush,    k::foreign,
    k::foreign, k::place,  k::foreign,  k::rest,   k::poison,   k::place,
    k::place,   k::pass,   k::pass,     k::pass,   k::pass,     k::rest,
    k::poison,  k::place,  k::replay,   k::rest,   k::replay,   k::replay,
    k::replay,  k::rest,   k::foreign,  k::cancel, k::place,    k::place,
    k::rest,    k::waive,  k::skip,     k::rest,   k::complete, k::place,
    k::rest};
  std::uint64_t number = 0;
  for (const auto kind : acts)
    made.acts.push_back({kind, number++});
  return made;
}

matrix_result run_matrix(const matrix_options& options) {
  const auto script = canonical_script(options.per_owner);
  matrix_result result;
  // A child counts, so that this process stays without threads.
  const auto counted = in_workers(1, [&](unsigned, const teller& tell) {
    simulation life(script);
    life.stop_before_end();
    const auto whole = life.run();
    tell(std::to_string(whole.disk_changes) + " "
         + std::to_string(whole.steps));
  });
  std::istringstream(counted.at(0).text) >> result.changes >> result.steps;
  const auto all = points_of(result.changes, result.steps, options.stride);
  const auto told = in_workers(options.workers, [&](unsigned worker,
                                                    const teller& tell) {
    for (std::size_t i = worker; i < all.size(); i += options.workers) {
      tell("at " + all[i].name() + '\n');
      const auto one = live_with(script, all[i]);
      tell((all[i].crashes.size() > 1 ? "nested " : "run ")
           + std::to_string(one.crashes) + '\n');
      if (!one.violations.empty())
        tell("failed " + all[i].name() + '\t' + one.violations.front() + '\n');
    }
  });
  for (const auto& one : told) {
    std::istringstream lines(one.text);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream in(line);
      std::string word;
      in >> word;
      if (word == "at") {
        std::getline(in >> std::ws, last);
        continue;
      }
      if (word == "failed") {
        std::string where;
        std::string what;
        std::getline(in >> std::ws, where, '\t');
        std::getline(in, what);
        result.failures.emplace_back(where, what);
        continue;
      }
      std::uint64_t crashes = 0;
      in >> crashes;
      result.struck += crashes;
      ++(word == "run" ? result.runs : result.nested_runs);
    }
    if (one.status != 0)
      result.failures.emplace_back(last, "the process died with status "
                                           + std::to_string(one.status));
  }
  return result;
}

} // namespace parcelflow::simulation
