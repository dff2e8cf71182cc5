// Metrics: what an operator's Prometheus reads at /metrics. A component asks
// the registry once, at its start, for a handle with its name and fixed labels;
// bumping a handle afterwards is one relaxed atomic operation, without lookup,
// lock or library. What is cheaper to ask for than to keep (queue depth, disk
// free) is given as a callback that runs at each scrape.
//
// Names begin with `parcelflow_`, are in base units (`_seconds`, `_bytes`) and
// say their kind: counters end in `_total`, nothing else does. A wrong name,
// or one name with two kinds, is a programmer error: PF_ASSERT.
//
// Owner: wiring makes one registry and passes it on; handles share what they
// point to and may outlive it. A default-made handle counts into nothing.
// Thread rule: every function from any thread. A callback runs on the thread
// that renders, with the registry locked: it must be quick and must not call
// the registry. Errors: a callback that throws loses its sample.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::support {

/// Few and bounded: a tenant at most, never an order or event id.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

enum class metric_kind : std::uint8_t { counter, gauge, histogram };

namespace detail {

struct histogram_cells {
  explicit histogram_cells(std::vector<double> upper_bounds);

  const std::vector<double> bounds;               ///< ascending, without +Inf
  std::vector<std::atomic<std::uint64_t>> counts; ///< one more than bounds
  std::atomic<double> sum{0.0};
};

} // namespace detail

/// Only grows; starts at 0 with the process.
class counter {
public:
  counter() = default;
  void add(std::uint64_t events = 1) noexcept {
    if (cell_ != nullptr)
      cell_->fetch_add(events, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return cell_ != nullptr ? cell_->load(std::memory_order_relaxed) : 0;
  }

private:
  friend class metrics;
  std::shared_ptr<std::atomic<std::uint64_t>> cell_;
};

/// A value of now.
class gauge {
public:
  gauge() = default;
  void set(double value) noexcept {
    if (cell_ != nullptr)
      cell_->store(value, std::memory_order_relaxed);
  }
  void add(double delta) noexcept {
    if (cell_ != nullptr)
      cell_->fetch_add(delta, std::memory_order_relaxed);
  }
  [[nodiscard]] double value() const noexcept {
    return cell_ != nullptr ? cell_->load(std::memory_order_relaxed) : 0.0;
  }

private:
  friend class metrics;
  std::shared_ptr<std::atomic<double>> cell_;
};

/// How often values fell into which range. A scrape that meets an `observe`
/// under way may see it in the count and not yet in the sum.
class histogram {
public:
  histogram() = default;
  void observe(double value) noexcept;

private:
  friend class metrics;
  std::shared_ptr<detail::histogram_cells> cells_;
};

/// Keeps a callback registered; when it dies the callback has returned and
/// never runs again. Hold it after the things that the callback reads.
class scrape_registration {
public:
  scrape_registration() = default;
  explicit scrape_registration(std::function<void()> forget)
    : forget_(std::move(forget)) {}
  scrape_registration(scrape_registration&& other) noexcept
    : forget_(std::exchange(other.forget_, nullptr)) {}
  scrape_registration& operator=(scrape_registration&& other) noexcept {
    std::swap(forget_, other.forget_);
    return *this;
  }
  ~scrape_registration() {
    if (forget_)
      forget_();
  }

private:
  std::function<void()> forget_;
};

class metrics {
public:
  /// Series (label sets) a name may have; beyond is a programmer error.
  static constexpr std::size_t series_max = 512;

  metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;
  ~metrics();

  /// The same name and labels give a handle on the same series.
  [[nodiscard]] support::counter counter(std::string_view name,
                                         std::string_view help,
                                         const metric_labels& labels = {});
  [[nodiscard]] support::gauge gauge(std::string_view name,
                                     std::string_view help,
                                     const metric_labels& labels = {});
  /// `bounds` ascend and are finite; +Inf is added. One set a name.
  [[nodiscard]] support::histogram histogram(std::string_view name,
                                             std::string_view help,
                                             std::vector<double> bounds,
                                             const metric_labels& labels = {});

  /// `read` is asked at each scrape. A series has one callback at a time.
  [[nodiscard]] scrape_registration
  counter_on_scrape(std::string_view name, std::string_view help,
                    metric_labels labels, std::function<double()> read);
  [[nodiscard]] scrape_registration
  gauge_on_scrape(std::string_view name, std::string_view help,
                  metric_labels labels, std::function<double()> read);

  /// Everything in the Prometheus text format (version 0.0.4), names sorted.
  [[nodiscard]] std::string render() const;

  /// What is wrong with a name; empty if nothing is.
  [[nodiscard]] static std::string_view name_fault(metric_kind kind,
                                                   std::string_view name);

private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Bounds for latencies from 100 µs to 30 s.
[[nodiscard]] std::vector<double> latency_bounds_seconds();

/// 1, 2, 4 … up to `largest`: sizes of rounds and batches.
[[nodiscard]] std::vector<double> size_bounds(std::uint64_t largest);

} // namespace parcelflow::support
