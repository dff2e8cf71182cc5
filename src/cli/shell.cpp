#include "cli/shell.hpp"

#include "cli/exit_codes.hpp"
#include "cli/terminal.hpp"

#include <editline/readline.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace parcelflow::cli {

using ops::verb;

namespace {

constexpr int history_lines_max = 1000;

std::string history_path() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string()
                         : std::string(home) + "/.parcelctl_history";
}

void on_interrupt(int) {
  interrupted = true;
}

/// Ctrl-C ends a tail and not the shell; the wait must not be restarted.
void catch_interrupts() {
  struct sigaction act {};
  act.sa_handler = on_interrupt;
  sigaction(SIGINT, &act, nullptr);
}

void add_choices(std::vector<std::string>& to, std::string_view before,
                 std::string_view values) {
  while (!values.empty()) {
    const auto bar = std::min(values.find('|'), values.size());
    to.push_back(std::string(before) + std::string(values.substr(0, bar)));
    values.remove_prefix(std::min(bar + 1, values.size()));
  }
}

std::vector<std::string> candidates(const ops::verb_entry& of,
                                    std::size_t word) {
  std::vector<std::string> found;
  if (of.id == verb::help)
    for (const auto& one : ops::verbs())
      found.emplace_back(one.name);
  if (word < of.words.size() && of.words[word].form == ops::shape::choice)
    add_choices(found, {}, of.words[word].values);
  for (const auto& term : of.terms) {
    const auto name = std::string(term.name) + "=";
    if (term.form == ops::shape::choice)
      add_choices(found, name, term.values);
    else
      found.push_back(name);
  }
  return found;
}

// libedit asks for one match after the other.
std::vector<std::string> matches;

char* next_match(const char*, int state) {
  const auto index = static_cast<std::size_t>(state);
  return index < matches.size() ? ::strdup(matches[index].c_str()) : nullptr;
}

char** complete(const char* text, int, int end) {
  matches = completions_of(
    std::string_view(rl_line_buffer, static_cast<std::size_t>(end)));
  rl_attempted_completion_over = 1; // never file names
  return rl_completion_matches(text, next_match);
}

void set_up_editing() {
  rl_readline_name = const_cast<char*>("parcelctl");
  rl_attempted_completion_function = complete;
  static char breaks[] = " \t\n\"";
  rl_completer_word_break_characters = breaks;
  rl_completion_append_character = ' ';
  using_history();
  stifle_history(history_lines_max);
  if (const auto path = history_path(); !path.empty())
    read_history(path.c_str());
}

void keep_history() {
  const auto path = history_path();
  if (path.empty())
    return;
  const auto before = ::umask(077);
  write_history(path.c_str());
  ::umask(before);
}

/// A line of the shell. False: it was the last.
bool obey(console_client& client, const std::string& line) {
  const auto parsed = ops::parse_line(line);
  if (!parsed)
    return true;
  if (!parsed->what) {
    complain(parsed->what.why().detail);
    return true;
  }
  const auto& given = *parsed->what;
  if (given.what->id == verb::quit)
    return false;
  if (given.what->id == verb::auth) {
    complain("the shell is logged in already; start it with another token");
    return true;
  }
  if (client.lost() && client.open() != exit_ok)
    return true;
  (void)client.run(given);
  return true;
}

} // namespace

std::vector<std::string> completions_of(std::string_view line) {
  const auto begin = line.find_last_of(" \t");
  const auto last =
    begin == std::string_view::npos ? line : line.substr(begin + 1);
  const auto before =
    ops::split_words(line.substr(0, line.size() - last.size()));
  std::vector<std::string> all;
  if (before && before->empty())
    for (const auto& one : ops::verbs())
      all.emplace_back(one.name);
  if (before && !before->empty())
    if (const auto* of = ops::find_verb(before->front()); of != nullptr)
      all = candidates(*of, before->size() - 1);
  std::erase_if(all, [&](const auto& one) { return !one.starts_with(last); });
  return all;
}

int run_shell(const client_options& options) {
  console_client client(options);
  if (const int code = client.open(); code != exit_ok)
    return code;
  set_up_editing();
  catch_interrupts();
  std::cerr << "Type help for the verbs, quit or Ctrl-D to leave.\n";
  for (;;) {
    char* typed = ::readline("parcelflow> ");
    if (typed == nullptr)
      break;
    const std::string line(typed);
    std::free(typed);
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    if (line.find("auth") == std::string::npos)
      add_history(line.c_str());
    if (!obey(client, line))
      break;
  }
  keep_history();
  return exit_ok;
}

} // namespace parcelflow::cli
