#include "tests/support/process.hpp"

#include "tests/http/raw_client.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

namespace parcelflow::test {
namespace {

std::string from_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  REQUIRE_MESSAGE(value != nullptr, name << " is not set; ctest sets it");
  return value;
}

std::vector<char*> pointers_to(arguments& texts) {
  std::vector<char*> all;
  for (auto& one : texts)
    all.push_back(one.data());
  all.push_back(nullptr);
  return all;
}

/// The port of the line that says `what`, if it is there.
std::optional<std::uint16_t> port_of(const std::string& log,
                                     std::string_view what) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto said = nlohmann::json::parse(line, nullptr, false);
    if (said.is_object() && said.value("msg", "") == what)
      return said.at("port").get<std::uint16_t>();
  }
  return std::nullopt;
}

} // namespace

std::string in_source(std::string_view path) {
  return from_environment("PARCELFLOW_SOURCE_DIR") + "/" + std::string(path);
}

std::string whole_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

pid_t spawn_child(const std::string& program, const arguments& with,
                  const child_files& to, const arguments& environment) {
  arguments all{program};
  all.insert(all.end(), with.begin(), with.end());
  arguments settings = environment;
  for (char** at = environ; *at != nullptr; ++at)
    settings.emplace_back(*at);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  if (!to.out.empty())
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, to.out.c_str(),
                                     flags, 0600);
  if (!to.err.empty())
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, to.err.c_str(),
                                     flags, 0600);
  pid_t child = 0;
  const int failed =
    ::posix_spawn(&child, program.c_str(), &files, nullptr,
                  pointers_to(all).data(), pointers_to(settings).data());
  posix_spawn_file_actions_destroy(&files);
  REQUIRE_MESSAGE(failed == 0, program << " cannot be started: " << failed);
  return child;
}

std::optional<ended> wait_for_end(pid_t child,
                                  std::chrono::milliseconds deadline) {
  int status = 0;
  const bool over = poll_until(
    [&] { return ::waitpid(child, &status, WNOHANG) == child; }, deadline);
  if (!over)
    return std::nullopt;
  if (WIFSIGNALED(status))
    return killed_by(WTERMSIG(status));
  return exited(WEXITSTATUS(status));
}

command_result run_program(const std::string& program, const arguments& with,
                           const arguments& environment) {
  const temp_directory files;
  const child_files to{files / "out", files / "err"};
  const auto child = spawn_child(program, with, to, environment);
  const auto end = wait_for_end(child, std::chrono::seconds(20));
  if (!end) {
    ::kill(child, SIGKILL);
    (void)wait_for_end(child, std::chrono::seconds(20));
    FAIL(program << " does not end");
  }
  return {*end, whole_text(to.out), whole_text(to.err)};
}

command_result parcelflow(const arguments& with) {
  return run_program(from_environment("PARCELFLOW_BIN"), with);
}

command_result parcelctl(const arguments& with, const arguments& environment) {
  return run_program(parcelctl_path(), with, environment);
}

std::string parcelctl_path() {
  return from_environment("PARCELCTL_BIN");
}

http_answer ask_at(std::uint16_t port, std::string_view method,
                   std::string_view target, std::string_view token,
                   std::string_view body, const arguments& headers) {
  std::string request;
  request.append(method).append(" ").append(target).append(
    " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
  if (!token.empty())
    request.append("Authorization: Bearer ").append(token).append("\r\n");
  for (const auto& one : headers)
    request.append(one).append("\r\n");
  if (!body.empty())
    request.append("Content-Type: application/json\r\nContent-Length: ")
      .append(std::to_string(body.size()))
      .append("\r\n");
  request.append("\r\n").append(body);
  raw_client client(port);
  const auto got = client.ask(request);
  return {got.status, got.head, got.body};
}

daemon_process::daemon_process(std::string directory, std::string profile)
  : directory_(std::move(directory)), profile_(std::move(profile)) {}

daemon_process::~daemon_process() {
  kill();
}

arguments daemon_process::identity() const {
  return {"--config", in_source("config/" + profile_ + ".ini"),
          "--data.directory=" + directory_};
}

std::string daemon_process::token(const std::string& tenants,
                                  const std::string& role) {
  arguments with{"token", "issue"};
  const auto who = identity();
  with.insert(with.end(), who.begin(), who.end());
  with.insert(with.end(), {"--tenant", tenants, "--role", role});
  const auto made = parcelflow(with);
  REQUIRE_MESSAGE(made.end == exited(0), made.err);
  return made.out.substr(0, made.out.find('\n'));
}

void daemon_process::launch(const arguments& flags) {
  REQUIRE_MESSAGE(pid_ == 0, "the one before has not ended");
  arguments with{"run"};
  const auto who = identity();
  with.insert(with.end(), who.begin(), who.end());
  with.emplace_back("--http.port=0");
  with.emplace_back("--console.port=0");
  with.insert(with.end(), flags.begin(), flags.end());
  const auto name = directory_ + "." + std::to_string(++starts_);
  files_ = {name + ".out", name + ".log"};
  port_ = 0;
  pid_ = spawn_child(from_environment("PARCELFLOW_BIN"), with, files_);
}

bool daemon_process::await_ready(std::chrono::milliseconds deadline) {
  std::optional<std::uint16_t> port;
  bool gone = false;
  (void)poll_until(
    [&] {
      siginfo_t about{};
      gone = ::waitid(P_PID, static_cast<id_t>(pid_), &about,
                      WEXITED | WNOHANG | WNOWAIT)
               != 0
             || about.si_pid == pid_;
      port = port_of(log(), "ready");
      return port || gone;
    },
    deadline);
  port_ = port.value_or(0);
  return port && !gone;
}

void daemon_process::start(const arguments& flags) {
  launch(flags);
  REQUIRE_MESSAGE(await_ready(), "not ready: " << log());
}

http_answer daemon_process::ask(std::string_view method,
                                std::string_view target, std::string_view token,
                                std::string_view body,
                                const arguments& headers) {
  return ask_at(port_, method, target, token, body, headers);
}

void daemon_process::send_signal(int number) const {
  REQUIRE(pid_ != 0);
  REQUIRE(::kill(pid_, number) == 0);
}

std::optional<ended> daemon_process::wait(std::chrono::milliseconds deadline) {
  REQUIRE(pid_ != 0);
  const auto end = wait_for_end(pid_, deadline);
  if (end)
    pid_ = 0;
  return end;
}

std::optional<ended> daemon_process::stop() {
  send_signal(SIGTERM);
  return wait();
}

void daemon_process::kill() {
  if (pid_ == 0)
    return;
  ::kill(pid_, SIGKILL);
  (void)wait_for_end(pid_, std::chrono::seconds(20));
  pid_ = 0;
}

std::string daemon_process::log() const {
  return whole_text(files_.err);
}

std::uint16_t daemon_process::console_port() const {
  const auto port = port_of(log(), "console open");
  REQUIRE_MESSAGE(port.has_value(), "no console: " << log());
  return *port;
}

std::string daemon_process::said() const {
  return whole_text(files_.out);
}

} // namespace parcelflow::test
