// A connection to the console, from the other side: one line out, one answer
// in. Blocking; a silent server is waited for no longer than `patience`.
// Owner: the caller. Thread rule: one thread. Errors: a sentence for people, in
// `console_answer::broken` or from `open`; a refusal of the console is an
// answer like any other.
#pragma once

#include "domain/failure.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace parcelflow::cli {

struct console_answer {
  std::string text;    ///< without its last line and the doubled dots
  std::string failure; ///< its name if it was refused, e.g. "not_found"
  bool broken = false; ///< the connection ended first

  [[nodiscard]] bool ok() const { return failure.empty() && !broken; }
};

/// "not_found" of `error not_found: sentence` or of the same as JSON; empty if
/// it is no refusal.
[[nodiscard]] std::string failure_in(std::string_view answer);

class console_link {
public:
  static constexpr std::chrono::milliseconds patience{660'000};

  /// Connected and greeted, on this machine only. bus_unreachable if nobody
  /// listens; the console's own refusal, such as overloaded, if it turned us
  /// away.
  static domain::outcome<std::unique_ptr<console_link>>
  open(const std::string& host, std::uint16_t port);
  console_link(const console_link&) = delete;
  console_link& operator=(const console_link&) = delete;
  ~console_link();

  /// `json`: the line asks for --json, so its answer is one line.
  console_answer ask(std::string_view line, bool json);
  /// Sends a line whose answer goes on, and hands each of its lines on until
  /// `*stop` is set (a signal has to interrupt the wait) or the other side ends
  /// it. False if the connection is gone.
  bool follow(std::string_view line, const volatile bool& stop,
              const std::function<void(std::string_view)>& row);

private:
  explicit console_link(int socket) : socket_(socket) {}
  [[nodiscard]] bool send(std::string_view line);
  /// False if the connection ended, the wait was interrupted or too long.
  [[nodiscard]] bool next_line(std::string& line, int wait_ms);

  int socket_;
  std::string received_;
};

} // namespace parcelflow::cli
