#include "tests/mutants/trial.hpp"

#include "tests/mutants/chosen.hpp"
#include "tests/simulation/simulation.hpp"
#include "tests/simulation/workers.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

namespace parcelflow::mutants {
namespace {

using simulation::teller;

void live(std::string_view name, const trial_options& options,
          const teller& tell) {
  choose(name);
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    ::alarm(options.seed_limit_s);
    tell("begun " + std::to_string(i + 1) + '\n');
    const auto one =
      simulation::live_through(simulation::draw_schedule(options.first + i));
    tell("reached " + std::to_string(reached()) + '\n');
    if (one.violations.empty())
      continue;
    tell("killed " + one.violations.front() + '\n');
    break;
  }
}

/// The words of an assertion, if the last thing that was said is one.
std::string last_words(int from) {
  std::string text(8192, '\0');
  const auto size = ::lseek(from, 0, SEEK_END);
  const auto begin = std::max<off_t>(size - 8192, 0);
  const auto got = ::pread(from, text.data(), text.size(), begin);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  constexpr std::string_view head = "\"component\":\"assert\",\"msg\":\"";
  const auto at = text.rfind(head);
  if (at == std::string::npos)
    return {};
  text = text.substr(at + head.size());
  text = text.substr(0, text.find("\"}"));
  return text.substr(
    text.find("src/") == std::string::npos ? 0 : text.find("src/"));
}

std::string death(int status, int errors) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "it hangs";
  if (const auto words = last_words(errors); !words.empty())
    return "assertion " + words;
  if (WIFEXITED(status))
    return "it ended with exit code " + std::to_string(WEXITSTATUS(status));
  return "it ended by signal " + std::to_string(WTERMSIG(status));
}

} // namespace

trial_result try_variant(std::string_view name, const trial_options& options) {
  const int errors = ::memfd_create("errors", MFD_CLOEXEC);
  const auto told =
    simulation::in_workers(1, [&](unsigned, const teller& tell) {
      ::dup2(errors, STDERR_FILENO);
      live(name, options, tell);
    });
  trial_result result;
  std::istringstream lines(told.front().text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "begun")
      in >> result.seeds;
    else if (word == "reached")
      in >> result.reached;
    else if (std::getline(in >> std::ws, result.by))
      result.killed = true;
  }
  if (told.front().status != 0) {
    result.killed = true;
    result.by = death(told.front().status, errors);
  }
  ::close(errors);
  return result;
}

} // namespace parcelflow::mutants
