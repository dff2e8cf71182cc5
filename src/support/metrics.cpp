#include "support/metrics.hpp"

#include "support/assert.hpp"
#include "support/log.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <sstream>
#include <variant>

namespace parcelflow::support {

namespace {

using counter_cell = std::shared_ptr<std::atomic<std::uint64_t>>;
using gauge_cell = std::shared_ptr<std::atomic<double>>;
using histogram_cell = std::shared_ptr<detail::histogram_cells>;
using callback = std::function<double()>;
using series = std::variant<counter_cell, gauge_cell, histogram_cell, callback>;

struct metric_entry {
  metric_kind kind;
  std::string help;
  std::map<metric_labels, series> by_labels;
};

bool is_label_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && name != "order_id"
         && name != "event_id" && std::ranges::all_of(name, [](char c) {
              return (c >= 'a' && c <= 'z') || c == '_';
            });
}

prometheus::MetricType type_of(metric_kind kind) {
  switch (kind) {
  case metric_kind::counter: return prometheus::MetricType::Counter;
  case metric_kind::gauge: return prometheus::MetricType::Gauge;
  case metric_kind::histogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

void fill_histogram(prometheus::ClientMetric::Histogram& out,
                    const detail::histogram_cells& cells) {
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < cells.counts.size(); ++i) {
    cumulative += cells.counts[i].load(std::memory_order_relaxed);
    const double bound = i < cells.bounds.size() ? cells.bounds[i] : INFINITY;
    out.bucket.push_back({cumulative, bound});
  }
  out.sample_count = cumulative;
  out.sample_sum = cells.sum.load(std::memory_order_relaxed);
}

void set_value(prometheus::ClientMetric& out, metric_kind kind, double value) {
  if (kind == metric_kind::counter)
    out.counter.value = value;
  else
    out.gauge.value = value;
}

// False if a callback had no answer.
bool sample(prometheus::ClientMetric& out, metric_kind kind,
            const series& from) {
  if (const auto* cell = std::get_if<counter_cell>(&from)) {
    set_value(out, kind, static_cast<double>((*cell)->load()));
  } else if (const auto* value = std::get_if<gauge_cell>(&from)) {
    set_value(out, kind, (*value)->load());
  } else if (const auto* cells = std::get_if<histogram_cell>(&from)) {
    fill_histogram(out.histogram, **cells);
  } else {
    try {
      set_value(out, kind, std::get<callback>(from)());
    } catch (...) {
      log::warning("metrics", "a scrape callback failed");
      return false;
    }
  }
  return true;
}

} // namespace

struct metrics::state {
  series& at(metric_kind kind, std::string_view name, std::string_view help,
             const metric_labels& labels) {
    PF_ASSERT(name_fault(kind, name).empty());
    for (const auto& [label, value] : labels)
      PF_ASSERT(is_label_name(label));
    auto& entry =
      entries.try_emplace(std::string(name), metric_entry{kind, {}, {}})
        .first->second;
    PF_ASSERT(entry.kind == kind);
    entry.help = help;
    PF_ASSERT(entry.by_labels.contains(labels)
              || entry.by_labels.size() < series_max);
    return entry.by_labels[labels];
  }

  void ask(metric_kind kind, std::string_view name, std::string_view help,
           const metric_labels& labels, callback read) {
    const std::lock_guard hold(mutex);
    auto& place = at(kind, name, help, labels);
    // A fresh series is an empty counter cell; anything else is taken.
    const auto* cell = std::get_if<counter_cell>(&place);
    PF_ASSERT(cell != nullptr && *cell == nullptr);
    place = std::move(read);
  }

  void forget(const std::string& name, const metric_labels& labels) {
    const std::lock_guard hold(mutex);
    auto& entry = entries.at(name);
    entry.by_labels.erase(labels);
    if (entry.by_labels.empty())
      entries.erase(name);
  }

  std::mutex mutex;
  std::map<std::string, metric_entry> entries;
};

namespace detail {

histogram_cells::histogram_cells(std::vector<double> upper_bounds)
  : bounds(std::move(upper_bounds)), counts(bounds.size() + 1) {
  PF_ASSERT(std::ranges::is_sorted(bounds, std::less_equal{}));
  PF_ASSERT(bounds.empty() || std::isfinite(bounds.back()));
}

} // namespace detail

void histogram::observe(double value) noexcept {
  if (cells_ == nullptr)
    return;
  const auto& bounds = cells_->bounds;
  const auto bucket = static_cast<std::size_t>(
    std::ranges::lower_bound(bounds, value) - bounds.begin());
  cells_->counts[bucket].fetch_add(1, std::memory_order_relaxed);
  cells_->sum.fetch_add(value, std::memory_order_relaxed);
}

metrics::metrics() : state_(std::make_shared<state>()) {}
metrics::~metrics() = default;

counter metrics::counter(std::string_view name, std::string_view help,
                         const metric_labels& labels) {
  const std::lock_guard hold(state_->mutex);
  auto& place = state_->at(metric_kind::counter, name, help, labels);
  auto* cell = std::get_if<counter_cell>(&place);
  PF_ASSERT(cell != nullptr); // else the series belongs to a callback
  if (*cell == nullptr)
    *cell = std::make_shared<std::atomic<std::uint64_t>>(0);
  support::counter handle;
  handle.cell_ = *cell;
  return handle;
}

gauge metrics::gauge(std::string_view name, std::string_view help,
                     const metric_labels& labels) {
  const std::lock_guard hold(state_->mutex);
  auto& place = state_->at(metric_kind::gauge, name, help, labels);
  PF_ASSERT(!std::holds_alternative<callback>(place));
  if (!std::holds_alternative<gauge_cell>(place))
    place = std::make_shared<std::atomic<double>>(0.0);
  support::gauge handle;
  handle.cell_ = std::get<gauge_cell>(place);
  return handle;
}

histogram metrics::histogram(std::string_view name, std::string_view help,
                             std::vector<double> bounds,
                             const metric_labels& labels) {
  const std::lock_guard hold(state_->mutex);
  auto& place = state_->at(metric_kind::histogram, name, help, labels);
  if (!std::holds_alternative<histogram_cell>(place))
    place = std::make_shared<detail::histogram_cells>(std::move(bounds));
  else
    PF_ASSERT(std::get<histogram_cell>(place)->bounds == bounds);
  support::histogram handle;
  handle.cells_ = std::get<histogram_cell>(place);
  return handle;
}

scrape_registration metrics::counter_on_scrape(std::string_view name,
                                               std::string_view help,
                                               metric_labels labels,
                                               callback read) {
  state_->ask(metric_kind::counter, name, help, labels, std::move(read));
  return scrape_registration(
    [kept = state_, name = std::string(name), labels = std::move(labels)] {
      kept->forget(name, labels);
    });
}

scrape_registration metrics::gauge_on_scrape(std::string_view name,
                                             std::string_view help,
                                             metric_labels labels,
                                             callback read) {
  state_->ask(metric_kind::gauge, name, help, labels, std::move(read));
  return scrape_registration(
    [kept = state_, name = std::string(name), labels = std::move(labels)] {
      kept->forget(name, labels);
    });
}

std::string metrics::render() const {
  std::vector<prometheus::MetricFamily> families;
  {
    const std::lock_guard hold(state_->mutex);
    for (const auto& [name, entry] : state_->entries) {
      auto& family = families.emplace_back();
      family.name = name;
      family.help = entry.help;
      family.type = type_of(entry.kind);
      for (const auto& [labels, from] : entry.by_labels) {
        prometheus::ClientMetric metric;
        for (const auto& [label, value] : labels)
          metric.label.push_back({label, value});
        if (sample(metric, entry.kind, from))
          family.metric.push_back(std::move(metric));
      }
    }
  }
  std::ostringstream text;
  text.imbue(std::locale::classic());
  prometheus::TextSerializer{}.Serialize(text, families);
  return std::move(text).str();
}

std::string_view metrics::name_fault(metric_kind kind, std::string_view name) {
  if (!name.starts_with("parcelflow_") || name.size() > 100)
    return "begins with parcelflow_, at most 100 characters";
  if (!std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      }))
    return "lower-case letters, digits and _ only";
  for (const auto* unit : {"_ms", "_us", "_ns", "_milliseconds", "_minutes",
                           "_hours", "_days", "_kib", "_mib", "_percent"})
    if (name.ends_with(unit))
      return "base units only: _seconds, _bytes, _ratio";
  for (const auto* suffix : {"_count", "_sum", "_bucket"})
    if (name.ends_with(suffix))
      return "_count, _sum and _bucket belong to histograms' samples";
  if (name.ends_with("_total") != (kind == metric_kind::counter))
    return "counters end in _total, nothing else does";
  return {};
}

std::vector<double> latency_bounds_seconds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
          0.1,    0.25,    0.5,    1.0,   2.5,    5.0,   10.0, 30.0};
}

std::vector<double> size_bounds(std::uint64_t largest) {
  std::vector<double> bounds;
  for (std::uint64_t bound = 1; bound <= largest && bounds.size() < 32;
       bound *= 2)
    bounds.push_back(static_cast<double>(bound));
  return bounds;
}

} // namespace parcelflow::support
