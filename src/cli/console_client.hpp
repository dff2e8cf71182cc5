// A logged-in conversation with the console, as the one-shot commands and the
// shell both hold it: connect, log in, choose a tenant, then ask.
// Owner: the caller. Thread rule: one thread. Errors: faults when it opens; an
// exit code for each answer, after stderr was told why.
#pragma once

#include "cli/console_link.hpp"
#include "codec/json_tree.hpp"
#include "ops/console_command.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace parcelflow::cli {

struct client_options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8081;
  std::string tenant;
  std::string token_file;
  bool json = false;
  bool yes = false;
  bool dry_run = false;
  bool wait = false;
};

class console_client {
public:
  explicit console_client(client_options options)
    : options_(std::move(options)) {}

  /// 0, or the exit code; stderr was told why.
  [[nodiscard]] int open();
  /// Everything from the question on a terminal to the answer on stdout.
  [[nodiscard]] int run(const ops::command& what);
  [[nodiscard]] bool lost() const { return lost_; }

private:
  [[nodiscard]] int ask_and_print(const std::string& line);
  /// What would be changed, looked at.
  [[nodiscard]] int rehearse(const ops::command& what, const std::string& line);
  /// An answer that is a verdict, `clean` or `intact`: 65 if it is bad.
  [[nodiscard]] int examine(const std::string& line);
  /// Page after page, an item a line, however many there are.
  [[nodiscard]] int write_all(const ops::command& what);
  [[nodiscard]] int follow(const std::string& line);
  /// Plans and replays go on after their first answer.
  [[nodiscard]] int run_to_the_end(const ops::command& what,
                                   const std::string& line);
  [[nodiscard]] int await_end(const std::string& id);
  [[nodiscard]] std::string with_flags(const std::string& line) const;
  [[nodiscard]] int refused(const console_answer& answer);

  client_options options_;
  std::unique_ptr<console_link> link_;
  bool json_ = false; ///< of the command under way
  bool lost_ = false;
};

/// The line that means this command, without flags.
[[nodiscard]] std::string line_of(const ops::command& of);

/// Set by a signal handler: ends a tail.
extern volatile bool interrupted;

} // namespace parcelflow::cli
