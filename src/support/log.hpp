// The log: one JSON object a line on stderr, made for a journal and for grep.
// `ts`, `level`, `component` and `msg` come first, then the caller's fields in
// their order. Fields are views that live for the call only; a field never
// holds a token or a payload.
//
// Levels are kept per component and may be changed while the process runs. A
// line that nobody wants costs one relaxed load, as long as no component is
// that talkative.
//
//   log::info("relay", "published", {{"tenant", tenant}, {"events", count}});
//
// Owner: the process has one log. Thread rule: every function from any thread;
// a line is written whole. Errors: nothing throws; a line that cannot be
// written is lost, and the process goes on.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace parcelflow::support::log {

enum class level : std::uint8_t { trace, debug, info, warning, error, off };

[[nodiscard]] std::string_view to_string(level value) noexcept;

/// The level of that name ("trace" … "off"), nothing if there is none.
[[nodiscard]] std::optional<level> level_named(std::string_view name) noexcept;

/// One (name, value). A string value beyond 4096 bytes is cut, and says so.
struct field {
  using value_type =
    std::variant<std::string_view, std::int64_t, std::uint64_t, bool>;

  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  field(std::string_view field_name, const Text& text)
  noexcept : name(field_name), value(std::string_view(text)) {}

  /// Any integer or bool; a pointer is neither.
  template <std::integral Number>
  field(std::string_view field_name, Number number) noexcept
    : name(field_name), value(widened(number)) {}

  std::string_view name;
  value_type value;

private:
  template <std::integral Number>
  static value_type widened(Number number) noexcept {
    if constexpr (std::same_as<Number, bool>)
      return number;
    else if constexpr (std::signed_integral<Number>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
};

using fields = std::initializer_list<field>;

/// True if a line of that level and component would be written: ask before
/// you compute a costly field.
[[nodiscard]] bool enabled(level at, std::string_view component) noexcept;

void write(level at, std::string_view component, std::string_view message,
           fields extra = {}) noexcept;

inline void trace(std::string_view component, std::string_view message,
                  fields extra = {}) noexcept {
  write(level::trace, component, message, extra);
}
inline void debug(std::string_view component, std::string_view message,
                  fields extra = {}) noexcept {
  write(level::debug, component, message, extra);
}
inline void info(std::string_view component, std::string_view message,
                 fields extra = {}) noexcept {
  write(level::info, component, message, extra);
}
inline void warning(std::string_view component, std::string_view message,
                    fields extra = {}) noexcept {
  write(level::warning, component, message, extra);
}
inline void error(std::string_view component, std::string_view message,
                  fields extra = {}) noexcept {
  write(level::error, component, message, extra);
}

/// The level of every component that has none of its own. At first: info.
void set_level(level lowest);

/// The level of one component; `off` silences it.
void set_level(std::string_view component, level lowest);

/// Forgets the levels of single components.
void clear_component_levels();

/// Lines go to `sink` (without the newline, one call at a time) instead of
/// stderr until the redirection dies. One at a time; for tests.
class redirection {
public:
  explicit redirection(std::function<void(std::string_view line)> sink);
  redirection(const redirection&) = delete;
  redirection& operator=(const redirection&) = delete;
  ~redirection();
};

} // namespace parcelflow::support::log
