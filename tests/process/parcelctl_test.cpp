// parcelctl against a running daemon: what it prints, how it ends, and that a
// token is never seen.
#include "tests/process/console_user.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace parcelflow;
using std::chrono::seconds;
using test::arguments;
using test::exited;
using test::poll_until;

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct desk {
  desk() {
    token = daemon.token("tn-a");
    both = daemon.token("tn-a,tn-b");
    low = daemon.token("tn-a", "operator");
    admin = daemon.token("*", "admin");
    daemon.start(test::quick_flags());
  }

  arguments with_port(const arguments& more) const {
    arguments all{"--port", std::to_string(daemon.console_port())};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  test::command_result run(const arguments& more) const {
    return as(token, more);
  }
  test::command_result as(const std::string& who, const arguments& more) const {
    return test::parcelctl(with_port(more), {"PARCELFLOW_TOKEN=" + who});
  }

  test::temp_directory files;
  test::daemon_process daemon{files / "data", "crash-lab"};
  std::string token;
  std::string both;
  std::string low;
  std::string admin;
};

/// A program on a terminal of its own.
class on_terminal {
public:
  on_terminal(const arguments& with, const arguments& environment) {
    arguments all{test::parcelctl_path()};
    all.insert(all.end(), with.begin(), with.end());
    std::vector<char*> pointers;
    for (auto& one : all)
      pointers.push_back(one.data());
    pointers.push_back(nullptr);
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      for (const auto& one : environment)
        ::putenv(::strdup(one.c_str()));
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    ::fcntl(terminal_, F_SETFL, O_NONBLOCK);
  }
  on_terminal(const on_terminal&) = delete;
  on_terminal& operator=(const on_terminal&) = delete;
  ~on_terminal() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(terminal_);
  }

  void type(std::string_view keys) const {
    CHECK(::write(terminal_, keys.data(), keys.size())
          == static_cast<ssize_t>(keys.size()));
  }
  bool shows(std::string_view text) {
    return poll_until(
      [&] {
        char bytes[4096];
        for (ssize_t got; (got = ::read(terminal_, bytes, sizeof bytes)) > 0;)
          screen_.append(bytes, static_cast<std::size_t>(got));
        const auto at = screen_.find(text);
        if (at != std::string::npos)
          screen_.erase(0, at + text.size());
        return at != std::string::npos;
      },
      seconds(10));
  }
  std::optional<test::ended> end() {
    const auto how = test::wait_for_end(child_, seconds(10));
    if (how)
      child_ = 0;
    return how;
  }
  const std::string& screen() const { return screen_; }

private:
  int terminal_ = -1;
  pid_t child_ = 0;
  std::string screen_;
};

} // namespace

TEST_CASE("each way to fail has its exit code, and stdout stays empty") {
  desk at;
  const auto ends = [](const test::command_result& of, int code) {
    CAPTURE(of.err);
    CHECK(of.end == exited(code));
    CHECK((code == 0 || of.out.empty()));
    CHECK((code == 0) == of.err.empty());
  };
  ends(at.run({"whoami"}), 0);
  ends(at.run({"frobnicate"}), 64);
  ends(at.run({"waive", "dl-1"}), 64);
  ends(at.run({"skip", "a", "b", "c", "--reason", "x", "--yes"}), 64);
  ends(at.run({"waive", "dl-1", "--reason", "x"}), 64); // nobody can be asked
  ends(at.run({"show", "dl-1", "--dry-run"}), 64);
  ends(at.run({"show", "dl-nothing"}), 65);
  ends(at.run({"evidence", "ord-nothing", "--json"}), 65);
  ends(at.as(at.low, {"streams"}), 77);
  ends(at.as("pft_wrong", {"whoami"}), 77);
  ends(at.as("", {"whoami"}), 77);
  ends(at.run({"--tenant", "tn-b", "streams"}), 77);
  ends(at.as(at.both, {"streams"}), 64); // which tenant?
  ends(at.as(at.both, {"--tenant", "tn-b", "streams"}), 0);
  ends(test::parcelctl({"--port", "1", "whoami"},
                       {"PARCELFLOW_TOKEN=" + at.token}),
       69);
  ends(test::parcelctl({"--port", std::to_string(at.daemon.port()), "whoami"},
                       {"PARCELFLOW_TOKEN=" + at.token}),
       69); // HTTP answers there
  ends(test::parcelctl({"--host", "192.0.2.1", "whoami"},
                       {"PARCELFLOW_TOKEN=" + at.token}),
       64); // no token leaves the machine
}

TEST_CASE("audit and verify end with their verdict") {
  desk at;
  for (const std::string verb : {"audit", "verify"}) {
    const auto text = at.as(at.admin, {verb});
    CAPTURE(text.out);
    CHECK(text.end == exited(0));
    const auto as_json = at.as(at.admin, {verb, "--json"});
    CHECK(as_json.end == exited(0));
    CHECK(nlohmann::json::parse(as_json.out, nullptr, false).is_object());
    CHECK(at.run({verb}).end == exited(77));
  }
}

TEST_CASE("with --json stdout is one object, and so is a refusal on stderr") {
  desk at;
  for (const arguments& verb : {arguments{"whoami"},
                                {"health"},
                                {"stats"},
                                {"dead-letters"},
                                {"streams"},
                                {"replays"},
                                {"tenants"},
                                {"pauses"},
                                {"log"}}) {
    arguments with{"--json"};
    with.insert(with.end(), verb.begin(), verb.end());
    const auto said = at.run(with);
    CAPTURE(verb.front());
    CHECK(said.end == exited(0));
    CHECK(nlohmann::json::parse(said.out, nullptr, false).is_object());
    CHECK(said.out.find('\n') == said.out.size() - 1);
  }
  const auto no = at.run({"--json", "show", "dl-nothing"});
  const auto why = nlohmann::json::parse(no.err, nullptr, false);
  REQUIRE(why.is_object());
  CHECK(why.at("error").at("failure") == "not_found");
}

TEST_CASE("the token comes from a file too, and is seen in no command line") {
  desk at;
  const auto file = at.files / "token";
  std::ofstream(file) << at.token << "\n";
  CHECK(test::parcelctl(at.with_port({"--token-file", file, "whoami"})).end
        == exited(0));
  CHECK(
    test::parcelctl(at.with_port({"whoami"}), {"PARCELFLOW_TOKEN_FILE=" + file})
      .end
    == exited(0));
  CHECK(test::parcelctl(at.with_port({"--token", at.token, "whoami"})).end
        == exited(64));

  const test::child_files to{at.files / "out", at.files / "err"};
  const auto child =
    test::spawn_child(test::parcelctl_path(), at.with_port({"tail", "--json"}),
                      to, {"PARCELFLOW_TOKEN=" + at.token});
  test::console_user other(at.daemon, at.token);
  CHECK(poll_until([&] { return ::kill(child, 0) == 0; }, seconds(5)));
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ostringstream line;
    line << std::ifstream(process.path() / "cmdline", std::ios::binary).rdbuf();
    CHECK_FALSE(holds(line.str(), at.token));
  }
  ::kill(child, SIGTERM);
  CHECK(test::wait_for_end(child, seconds(10)).has_value());
  CHECK_FALSE(holds(at.daemon.log(), at.token));
}

TEST_CASE("a dry run shows what would be changed and changes nothing") {
  desk at;
  const auto said =
    at.run({"pause", "tenant", "--reason", "just looking", "--dry-run"});
  CHECK(said.end == exited(0));
  CHECK(holds(said.err, "dry run"));
  CHECK(holds(said.err, "pause tenant reason=\"just looking\""));
  CHECK(holds(at.run({"pauses"}).out, "none"));
}

TEST_CASE("tables fit the columns that there are") {
  desk at;
  const auto narrow = test::parcelctl(
    at.with_port({"stats"}), {"PARCELFLOW_TOKEN=" + at.token, "COLUMNS=30"});
  std::istringstream lines(narrow.out);
  for (std::string line; std::getline(lines, line);) {
    std::size_t columns = 0;
    for (const char c : line)
      columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    CHECK(columns <= 30);
  }
  CHECK(holds(narrow.out, "…"));
}

TEST_CASE("completion files name every verb and option") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const auto said = test::parcelctl({"completion", shell});
    CHECK(said.end == exited(0));
    for (const std::string word :
         {"dead-letters", "redirect", "reason", "SEQUENCE_GAP", "token-file"})
      CHECK_MESSAGE(holds(said.out, word), shell << " lacks " << word);
  }
  CHECK(test::parcelctl({"completion", "tcsh"}).end == exited(64));
  const test::temp_directory files;
  std::ofstream(files / "bash") << test::parcelctl({"completion", "bash"}).out;
  const auto completed = test::run_program(
    "/bin/bash", {"-c", "source " + (files / "bash")
                          + "; COMP_WORDS=(parcelctl --tenant a de); "
                            "COMP_CWORD=3; _parcelctl; echo ${COMPREPLY[@]}"});
  CHECK(completed.out == "dead-letters\n");
}

TEST_CASE("the shell completes, keeps its history, and asks before a change") {
  desk at;
  const auto home = at.files / "home";
  std::filesystem::create_directory(home);
  on_terminal shell(at.with_port({}), {"PARCELFLOW_TOKEN=" + at.token,
                                       "HOME=" + home, "TERM=xterm"});
  REQUIRE_MESSAGE(shell.shows("parcelflow> "), shell.screen());
  shell.type("whoa\t\r");
  CHECK_MESSAGE(shell.shows("responder"), shell.screen());
  shell.type("pause tenant reason=x\r");
  REQUIRE(shell.shows("go on? [y/N]"));
  shell.type("n\r");
  CHECK(shell.shows("parcelflow> "));
  shell.type("pauses\r");
  CHECK(shell.shows("none"));
  shell.type("nonsense\r");
  CHECK(shell.shows("there is no such verb"));
  shell.type("tail\r");
  CHECK(shell.shows("tail"));
  shell.type("\x03");
  CHECK(shell.shows("parcelflow> "));
  shell.type("quit\r");
  CHECK(shell.end() == exited(0));
  const auto kept = home + "/.parcelctl_history";
  CHECK(holds(test::whole_text(kept), "whoami"));
  CHECK((std::filesystem::status(kept).permissions()
         & std::filesystem::perms::others_read)
        == std::filesystem::perms::none);
  CHECK(at.daemon.stop() == exited(0));
}
