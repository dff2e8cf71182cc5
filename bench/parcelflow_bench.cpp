// scripts/bench: measures, prints a table, and with --json an object.
#include "pipeline_arm.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace parcelflow::bench;

struct options {
  std::vector<std::size_t> in_flight{1, 64, 1024};
  std::vector<std::size_t> tenants{16, 1000};
  std::size_t orders = 60000;
  std::size_t pairs = 3;
  std::string directory = ".";
  std::string committer = "shared";
  bool json = false;
};

struct row {
  arm_plan plan;
  std::vector<arm_result> ours;
  std::vector<double> ceilings;
  std::vector<double> ratios;
};

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

template <class Field>
double median_of(const row& of, Field field) {
  std::vector<double> values;
  for (const auto& one : of.ours)
    values.push_back(one.*field);
  return median(std::move(values));
}

row measure(const options& with, std::size_t in_flight, std::size_t tenants) {
  namespace fs = std::filesystem;
  row of;
  of.plan.in_flight = in_flight;
  of.plan.tenants = tenants;
  of.plan.per_owner = with.committer == "per_owner";
  of.plan.orders = std::min(with.orders, in_flight * 2000);
  for (std::size_t pair = 0; pair < with.pairs; ++pair) {
    const auto base =
      fs::path(with.directory) / ("bench-" + std::to_string(::getpid()));
    fs::create_directories(base / "raw");
    of.plan.directory = base / "ours";
    auto ours = run_pipeline(of.plan);
    of.plan.directory = base / "raw";
    const auto ceiling = run_ceiling(of.plan, ours.rounds_written);
    fs::remove_all(base);
    ours.rounds_written.clear();
    std::fprintf(stderr,
                 "in flight %zu, tenants %zu, pair %zu/%zu: %.0f of %.0f "
                 "orders/s\n",
                 in_flight, tenants, pair + 1, with.pairs,
                 ours.both_effects_per_s, ceiling);
    of.ratios.push_back(ours.both_effects_per_s / ceiling);
    of.ceilings.push_back(ceiling);
    of.ours.push_back(std::move(ours));
  }
  return of;
}

void print_table(const std::vector<row>& rows) {
  std::printf("%9s %8s %12s %12s %12s %7s %7s %8s %8s %10s %9s\n", "in flight",
              "tenants", "accepted/s", "both eff./s", "ceiling/s", "ratio",
              "worst", "p50 ms", "p99 ms", "rounds/ord", "CPU us");
  for (const auto& of : rows) {
    const auto& last = of.ours.back();
    std::printf(
      "%9zu %8zu %12.0f %12.0f %12.0f %7.2f %7.2f %8.2f %8.2f %10.4f %9.1f\n",
      of.plan.in_flight, of.plan.tenants,
      median_of(of, &arm_result::accepted_per_s),
      median_of(of, &arm_result::both_effects_per_s), median(of.ceilings),
      median(of.ratios), *std::min_element(of.ratios.begin(), of.ratios.end()),
      median_of(of, &arm_result::accept_p50_ms),
      median_of(of, &arm_result::accept_p99_ms),
      static_cast<double>(last.rounds) / static_cast<double>(of.plan.orders),
      median_of(of, &arm_result::cpu_us_per_order));
  }
}

void print_json(const std::vector<row>& rows) {
  std::printf("{\"arms\":[");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& of = rows[i];
    const auto& last = of.ours.back();
    std::printf(
      "%s{\"in_flight\":%zu,\"tenants\":%zu,\"orders\":%zu,\"pairs\":%zu,"
      "\"accepted_per_s\":%.1f,\"both_effects_per_s\":%.1f,"
      "\"ceiling_per_s\":%.1f,\"ratio\":%.4f,\"ratio_worst\":%.4f,"
      "\"accept_p50_ms\":%.3f,\"accept_p99_ms\":%.3f,"
      "\"rounds_per_order\":%.5f,\"bytes_per_order\":%.0f,"
      "\"cpu_us_per_order\":%.1f}",
      i == 0 ? "" : ",", of.plan.in_flight, of.plan.tenants, of.plan.orders,
      of.ours.size(), median_of(of, &arm_result::accepted_per_s),
      median_of(of, &arm_result::both_effects_per_s), median(of.ceilings),
      median(of.ratios), *std::min_element(of.ratios.begin(), of.ratios.end()),
      median_of(of, &arm_result::accept_p50_ms),
      median_of(of, &arm_result::accept_p99_ms),
      static_cast<double>(last.rounds) / static_cast<double>(of.plan.orders),
      static_cast<double>(last.bytes) / static_cast<double>(of.plan.orders),
      median_of(of, &arm_result::cpu_us_per_order));
  }
  std::printf("]}\n");
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"ParcelFlow benches; figures are ratios inside one run"};
  options with;
  auto* pipeline = app.add_subcommand(
    "pipeline", "orders to both effects, beside raw RocksDB with those rows");
  pipeline->add_option("--in-flight", with.in_flight)->delimiter(',');
  pipeline->add_option("--tenants", with.tenants)->delimiter(',');
  pipeline->add_option("--orders", with.orders, "at most, an arm");
  pipeline->add_option("--pairs", with.pairs, "ours and ceiling in turn");
  pipeline->add_option("--directory", with.directory, "on the disk to measure");
  pipeline->add_option("--committer", with.committer, "shared or per_owner")
    ->check(CLI::IsMember({"shared", "per_owner"}));
  pipeline->add_flag("--json", with.json);
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  std::vector<row> rows;
  for (const auto tenants : with.tenants)
    for (const auto in_flight : with.in_flight)
      rows.push_back(measure(with, in_flight, tenants));
  if (with.json)
    print_json(rows);
  else
    print_table(rows);
  return 0;
}
