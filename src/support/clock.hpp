// The one seam for wall time. Everything that is stored or compared with a
// stored time comes from here, so that simulation can bend it.
// Thread rule: `now` may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace parcelflow::support {

/// Milliseconds since 1970-01-01T00:00:00Z.
using unix_ms = std::int64_t;

class clock {
public:
  virtual ~clock() = default;
  [[nodiscard]] virtual unix_ms now() const noexcept = 0;
  /// Milliseconds since some instant of this process; never runs backwards.
  /// For waits that live in memory only.
  [[nodiscard]] virtual unix_ms steady() const noexcept = 0;
};

/// The machine's clock.
class system_clock final : public clock {
public:
  [[nodiscard]] unix_ms now() const noexcept override;
  [[nodiscard]] unix_ms steady() const noexcept override;
};

/// A clock that stands until it is moved: tests and simulation.
class manual_clock final : public clock {
public:
  explicit manual_clock(unix_ms start) noexcept : now_(start) {}
  [[nodiscard]] unix_ms now() const noexcept override { return now_.load(); }
  [[nodiscard]] unix_ms steady() const noexcept override {
    return steady_.load();
  }
  /// Lets time pass; a negative span is a clock set back.
  void advance(unix_ms by) noexcept {
    now_ += by;
    if (by > 0)
      steady_ += by;
  }
  /// The clock is set; no time passes.
  void set(unix_ms to) noexcept { now_ = to; }

private:
  std::atomic<unix_ms> now_;
  std::atomic<unix_ms> steady_{0};
};

/// How long to wait for a stored instant that was never put further ahead than
/// `longest`. One that lies further ahead was written before the clock was set
/// back: it counts as past, since to wait for it would stop work for as long.
[[nodiscard]] constexpr unix_ms wait_for(unix_ms at, unix_ms now,
                                         unix_ms longest) noexcept {
  return at <= now || at - now > longest ? 0 : at - now;
}

/// RFC 3339 in UTC with milliseconds, e.g. "2026-11-30T19:00:00.000Z".
[[nodiscard]] std::string to_rfc3339(unix_ms at);

} // namespace parcelflow::support
