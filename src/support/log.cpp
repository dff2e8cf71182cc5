#include "support/log.hpp"

#include "support/clock.hpp"
#include "support/json_text.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace parcelflow::support::log {

namespace {

constexpr std::size_t string_bytes_max = 4096;

constexpr std::array<std::string_view, 6> level_names{
  "trace", "debug", "info", "warning", "error", "off"};

// What each component wants. `lowest_` is the lowest level anyone wants, so
// that the usual refusal needs no lock.
class level_table {
public:
  bool wants(level at, std::string_view component) const noexcept {
    if (at < lowest_.load(std::memory_order_relaxed))
      return false;
    const std::shared_lock hold(mutex_);
    const auto own = by_component_.find(component);
    return at >= (own == by_component_.end() ? general_ : own->second);
  }

  void set(level lowest) {
    const std::unique_lock hold(mutex_);
    general_ = lowest;
    publish_lowest();
  }

  void set(std::string_view component, level lowest) {
    const std::unique_lock hold(mutex_);
    by_component_.insert_or_assign(std::string(component), lowest);
    publish_lowest();
  }

  void clear() {
    const std::unique_lock hold(mutex_);
    by_component_.clear();
    publish_lowest();
  }

private:
  void publish_lowest() {
    level lowest = general_;
    for (const auto& [component, own] : by_component_)
      lowest = std::min(lowest, own);
    lowest_.store(lowest, std::memory_order_relaxed);
  }

  mutable std::shared_mutex mutex_;
  level general_ = level::info;
  std::map<std::string, level, std::less<>> by_component_;
  std::atomic<level> lowest_{level::info};
};

// Where lines go. The spdlog logger does the locking and the one write a line.
class output {
public:
  output()
    : stderr_("parcelflow", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    stderr_.set_pattern("%v");
    stderr_.set_level(spdlog::level::trace);
  }

  void put(std::string_view line) {
    if (redirected_.load(std::memory_order_acquire)) {
      const std::lock_guard hold(mutex_);
      if (sink_) {
        sink_(line);
        return;
      }
    }
    stderr_.log(spdlog::level::info,
                spdlog::string_view_t(line.data(), line.size()));
  }

  void redirect(std::function<void(std::string_view)> sink) {
    const std::lock_guard hold(mutex_);
    sink_ = std::move(sink);
    redirected_.store(sink_ != nullptr, std::memory_order_release);
  }

private:
  spdlog::logger stderr_;
  std::mutex mutex_;
  std::function<void(std::string_view)> sink_;
  std::atomic<bool> redirected_{false};
};

// Never destroyed: a thread may still log while the process goes down.
level_table& levels() {
  static auto* const table = new level_table;
  return *table;
}

output& out() {
  static auto* const place = new output;
  return *place;
}

void append_value(std::string& line, const field::value_type& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    line += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    line += std::to_string(*number);
  } else if (const auto* count = std::get_if<std::uint64_t>(&value)) {
    line += std::to_string(*count);
  } else {
    const auto text = std::get<std::string_view>(value);
    if (text.size() <= string_bytes_max) {
      append_json_string(line, text);
    } else {
      std::string cut(text.substr(0, string_bytes_max));
      cut += " [cut, " + std::to_string(text.size()) + " bytes]";
      append_json_string(line, cut);
    }
  }
}

std::string compose(level at, std::string_view component,
                    std::string_view message, fields extra) {
  std::string line;
  line.reserve(256);
  line += R"({"ts":")";
  line += to_rfc3339(system_clock().now());
  line += R"(","level":")";
  line += to_string(at);
  line += R"(","component":)";
  append_value(line, component);
  line += R"(,"msg":)";
  append_value(line, message);
  for (const auto& [name, value] : extra) {
    line += ',';
    append_json_string(line, name);
    line += ':';
    append_value(line, value);
  }
  line += '}';
  return line;
}

} // namespace

std::string_view to_string(level value) noexcept {
  return level_names[static_cast<std::size_t>(value)];
}

std::optional<level> level_named(std::string_view name) noexcept {
  const auto found = std::ranges::find(level_names, name);
  if (found == level_names.end())
    return std::nullopt;
  return static_cast<level>(found - level_names.begin());
}

bool enabled(level at, std::string_view component) noexcept {
  try {
    return at < level::off && levels().wants(at, component);
  } catch (...) {
    return false;
  }
}

void write(level at, std::string_view component, std::string_view message,
           fields extra) noexcept {
  if (!enabled(at, component))
    return;
  try {
    out().put(compose(at, component, message, extra));
  } catch (...) {
    // A log that cannot write must not take the process with it.
  }
}

void set_level(level lowest) {
  levels().set(lowest);
}

void set_level(std::string_view component, level lowest) {
  levels().set(component, lowest);
}

void clear_component_levels() {
  levels().clear();
}

redirection::redirection(std::function<void(std::string_view)> sink) {
  out().redirect(std::move(sink));
}

redirection::~redirection() {
  out().redirect(nullptr);
}

} // namespace parcelflow::support::log
