// The real program as a child of the test: commands that end by themselves, and
// the daemon, which is started on a free port, asked over HTTP, signalled,
// waited for, and started again on the same directory.
//
// PARCELFLOW_BIN names the program and PARCELFLOW_SOURCE_DIR the tree whose
// config/ it uses; ctest sets both. What a daemon writes goes to files beside
// the data directory, one pair a start.
// Owner: the test. Thread rule: one thread. Errors: an ended or silent child is
// a value; a child that cannot be started fails the test. A daemon that is
// still alive when its owner goes is killed and waited for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::test {

using arguments = std::vector<std::string>;

/// How a process ended: by itself with a code, or by a signal.
struct ended {
  int code = -1;
  int signal = 0;

  friend bool operator==(const ended&, const ended&) = default;
};
[[nodiscard]] constexpr ended exited(int code) {
  return {code, 0};
}
[[nodiscard]] constexpr ended killed_by(int signal) {
  return {-1, signal};
}

/// A path of the source tree, e.g. "config/dev.ini".
[[nodiscard]] std::string in_source(std::string_view path);
[[nodiscard]] std::string whole_text(const std::string& file);

struct child_files {
  std::string out; ///< empty: the test's own
  std::string err;
};

/// Starts a program; `environment` is added to the test's own.
[[nodiscard]] pid_t spawn_child(const std::string& program,
                                const arguments& with, const child_files& to,
                                const arguments& environment = {});
/// Nothing if it has not ended before the deadline.
[[nodiscard]] std::optional<ended>
wait_for_end(pid_t child, std::chrono::milliseconds deadline);

struct command_result {
  ended end;
  std::string out;
  std::string err;
};
/// Runs a program to its end; `environment` is added to the test's own.
[[nodiscard]] command_result run_program(const std::string& program,
                                         const arguments& with,
                                         const arguments& environment = {});
[[nodiscard]] command_result parcelflow(const arguments& with);
[[nodiscard]] command_result parcelctl(const arguments& with,
                                       const arguments& environment = {});
[[nodiscard]] std::string parcelctl_path(); ///< PARCELCTL_BIN

struct http_answer {
  int status = 0; ///< 0: no complete answer came
  std::string head;
  std::string body;
};

/// One request on a connection of its own. From any thread.
[[nodiscard]] http_answer ask_at(std::uint16_t port, std::string_view method,
                                 std::string_view target,
                                 std::string_view token = {},
                                 std::string_view body = {},
                                 const arguments& headers = {});

class daemon_process {
public:
  /// `directory` need not exist. `profile` names config/<profile>.ini.
  daemon_process(std::string directory, std::string profile);
  daemon_process(const daemon_process&) = delete;
  daemon_process& operator=(const daemon_process&) = delete;
  ~daemon_process();

  /// A new token of one tenant, or of several: "tn-a,tn-b". Before `start`.
  [[nodiscard]] std::string token(const std::string& tenants,
                                  const std::string& role = "responder");

  /// Starts it without waiting; the directory may be that of a dead one.
  void launch(const arguments& flags = {});
  /// True once it said on which port it is ready; false if it ended or the
  /// deadline is over.
  [[nodiscard]] bool
  await_ready(std::chrono::milliseconds deadline = std::chrono::seconds(20));
  /// Both; fails the test if it does not get ready.
  void start(const arguments& flags = {});

  /// One request on a connection of its own.
  [[nodiscard]] http_answer ask(std::string_view method,
                                std::string_view target,
                                std::string_view token = {},
                                std::string_view body = {},
                                const arguments& headers = {});

  void send_signal(int number) const;
  [[nodiscard]] std::optional<ended>
  wait(std::chrono::milliseconds deadline = std::chrono::seconds(20));
  /// SIGTERM, then waits.
  [[nodiscard]] std::optional<ended> stop();
  /// SIGKILL, then waits.
  void kill();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Where its console listens; fails the test if it has none.
  [[nodiscard]] std::uint16_t console_port() const;
  [[nodiscard]] const std::string& directory() const noexcept {
    return directory_;
  }
  /// What it logged since its last start.
  [[nodiscard]] std::string log() const;
  [[nodiscard]] std::string said() const; ///< stdout
  /// The flags that name profile and directory.
  [[nodiscard]] arguments identity() const;

private:
  std::string directory_;
  std::string profile_;
  child_files files_;
  int starts_ = 0;
  pid_t pid_ = 0; // 0: none runs
  std::uint16_t port_ = 0;
};

} // namespace parcelflow::test
