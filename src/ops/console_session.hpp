// One conversation, as a state machine: bytes come in, bytes go out, and in
// between there is at most one command under way. It knows lines, logins, the
// chosen tenant, authority and time; what a command does it leaves to its
// driver (console_server), which asks `take_command` and brings the answer.
//
//   connected -> (auth, delayed after a failure) -> command -> answer -> sent
//
// The next line is looked at when the answer before has left, so a client that
// does not read is not served. Half lines wait; a line that is too long is
// dropped as it comes and refused once it ends.
//
// Owner: the session's worker. Thread rule: one thread at a time. Errors: none;
// what is wrong with a line is answered. Times are support::clock::steady().
#pragma once

#include "domain/denial_book.hpp"
#include "ops/console_render.hpp"
#include "support/clock.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::ops {

using support::unix_ms;

struct session_limits {
  std::size_t line_bytes_max = 4096;
  unix_ms idle_timeout_ms = 600'000;
  std::uint32_t login_attempts_max = 5;
  unix_ms login_delay_ms = 500;
  unix_ms answer_timeout_ms = 30'000;
};

/// Who may come in: asked anew for each command, so that a token that was
/// revoked meanwhile is worth nothing.
struct session_access {
  std::function<domain::outcome<domain::identity>(std::string_view token)>
    authenticate;
  std::function<domain::outcome<domain::identity>(std::string_view token_id)>
    still_valid;
  std::function<domain::status(std::string_view tenant)> check_tenant;
  domain::denial_listener denied;        ///< may be empty
  std::function<void()> unauthenticated; ///< a failed login; may be empty
};

/// A command that its caller may give.
struct admitted_command {
  std::uint64_t ticket = 0;
  command what;
  domain::identity who;
  std::string tenant; ///< empty if it is about no tenant
};

class console_session {
public:
  console_session(session_limits limits, session_access access);

  void open(unix_ms now);
  void receive(std::string_view bytes, unix_ms now);
  /// What became of the command; ignored if that is not under way any more.
  void answer(std::uint64_t ticket,
              const domain::outcome<std::string>& document, unix_ms now);
  /// One line of a tail that goes on.
  void stream(std::uint64_t ticket, std::string_view document);
  /// Everything that `take_output` gave has left.
  void sent(unix_ms now);
  void tick(unix_ms now);

  [[nodiscard]] std::string take_output(unix_ms now);
  [[nodiscard]] std::size_t output_size() const { return output_.size(); }
  [[nodiscard]] std::optional<admitted_command> take_command();
  /// More bytes can be taken.
  [[nodiscard]] bool wants_input() const;
  /// A tail whose lines are wanted: 0 if there is none.
  [[nodiscard]] std::uint64_t tailing() const;
  /// To be closed once the output has left.
  [[nodiscard]] bool over() const { return over_ && state_ != state::delayed; }
  /// Over because its output did not leave for too long: nothing more will.
  [[nodiscard]] bool given_up() const { return given_up_; }
  /// When `tick` is to be called at the latest.
  [[nodiscard]] unix_ms next_tick() const;

private:
  enum class state : std::uint8_t {
    ready,   ///< looks at lines
    delayed, ///< holds the answer to a failed login back
    asking,  ///< a command is under way
    tailing,
    sending, ///< an answer has to leave
  };

  void look_at_lines(unix_ms now);
  [[nodiscard]] std::optional<std::string> next_line();
  void obey(std::string_view line, unix_ms now);
  void obey(command what, unix_ms now);
  void log_in(std::string_view token, unix_ms now);
  void choose_tenant(const std::string& name);
  void show_identity();
  domain::outcome<admitted_command> admit(command what);
  domain::status check_reach(const admitted_command& of,
                             const authority& needs) const;
  domain::fault deny(const std::string& tenant, std::string_view verb_name);
  void say(std::string_view bytes);
  void refuse(const domain::fault& why);
  void end_tail(unix_ms now);
  void close(std::string_view why);

  session_limits limits_;
  session_access access_;
  state state_ = state::ready;
  std::string input_;
  bool discarding_ = false; ///< the rest of a line that is too long
  std::string output_;
  std::optional<unix_ms> unsent_since_; ///< output that has not left
  bool over_ = false;
  bool given_up_ = false;
  std::optional<domain::identity> who_;
  std::string tenant_;
  presentation how_; ///< of the line that is being answered
  verb asked_ = verb::help;
  std::optional<admitted_command> command_; ///< not taken yet
  std::uint64_t ticket_ = 0;
  std::uint32_t failed_logins_ = 0;
  std::string held_back_; ///< delayed
  unix_ms until_ = 0;     ///< of `delayed` or `asking`
  unix_ms active_at_ = 0; ///< when the last command was answered
};

} // namespace parcelflow::ops
