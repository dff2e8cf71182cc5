#include "cli/completion.hpp"

#include "ops/console_command.hpp"

#include <algorithm>
#include <span>

namespace parcelflow::cli {

using ops::argument;
using ops::verb;
using ops::verb_entry;

namespace {

constexpr std::string_view global_options[] = {
  "--host", "--port",    "--tenant", "--token-file", "--json",
  "--yes",  "--dry-run", "--wait",   "--help"};
constexpr std::string_view shells = "bash zsh fish";

bool of_a_session(const verb_entry& of) {
  return of.id == verb::auth || of.id == verb::tenant || of.id == verb::quit;
}

std::string replaced(std::string_view text, char from, char to) {
  std::string out(text);
  std::ranges::replace(out, from, to);
  return out;
}

/// For a single-quoted string of a shell.
std::string unquoted(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '\'' && c != '`' && c != '[' && c != ']')
      out += c;
  return out;
}

std::string options_of(const verb_entry& of) {
  std::string text;
  for (const auto& one : of.terms)
    text.append(" --").append(one.name);
  return text;
}

std::string all_global() {
  std::string text;
  for (const auto one : global_options)
    text.append(text.empty() ? "" : " ").append(one);
  return text;
}

std::string all_verbs() {
  std::string text;
  for (const auto one : one_shot_verbs())
    text.append(one).append(" ");
  return text + "completion";
}

/// Options with a choice, each once: their names and values are the same
/// wherever they appear.
std::vector<argument> choices() {
  std::vector<argument> found;
  for (const auto& one : ops::verbs())
    for (const auto& term : one.terms)
      if (term.form == ops::shape::choice
          && std::ranges::find(found, term.name, &argument::name)
               == found.end())
        found.push_back(term);
  return found;
}

std::string for_bash() {
  std::string text = R"(# bash completion of parcelctl
_parcelctl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local verb= at
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${COMP_WORDS[at]} in
      --host|--port|--tenant|--token-file) ((++at)) ;;
      -*) ;;
      *) verb=${COMP_WORDS[at]}; break ;;
    esac
  done
  case $before in
    --token-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
)";
  for (const auto& one : choices())
    text += "    --" + std::string(one.name) + ") COMPREPLY=($(compgen -W '"
            + replaced(one.values, '|', ' ') + "' -- \"$word\")); return ;;\n";
  text += "  esac\n  local options='" + all_global() + "'\n  case $verb in\n"
          + "    '') COMPREPLY=($(compgen -W '" + all_verbs()
          + " '\"$options\" -- \"$word\")); return ;;\n"
          + "    completion) COMPREPLY=($(compgen -W '" + std::string(shells)
          + "' -- \"$word\")); return ;;\n";
  for (const auto& one : ops::verbs())
    if (!of_a_session(one)) {
      std::string words;
      for (const auto& word : one.words)
        if (word.form == ops::shape::choice)
          words = " " + replaced(word.values, '|', ' ');
      text += "    " + std::string(one.name) + ") options+='" + options_of(one)
              + words + "' ;;\n";
    }
  return text + R"(  esac
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -F _parcelctl parcelctl
)";
}

std::string for_zsh() {
  std::string text = "#compdef parcelctl\n_parcelctl() {\n  local -a verbs\n"
                     "  verbs=(\n";
  for (const auto& one : ops::verbs())
    if (!of_a_session(one))
      text +=
        "    '" + std::string(one.name) + ":" + unquoted(one.help) + "'\n";
  text += "    'completion:Prints a completion file.'\n  )\n"
          "  local verb at\n  for ((at = 2; at < CURRENT; ++at)); do\n"
          "    case ${words[at]} in\n"
          "      --host|--port|--tenant|--token-file) ((++at)) ;;\n"
          "      -*) ;;\n      *) verb=${words[at]}; break ;;\n"
          "    esac\n  done\n"
          "  if [[ -z $verb ]]; then\n    _describe verb verbs\n    return\n"
          "  fi\n  case $verb in\n"
          "    completion) _values shell "
          + std::string(shells) + " ;;\n";
  for (const auto& one : ops::verbs()) {
    if (of_a_session(one))
      continue;
    text += "    " + std::string(one.name) + ") _arguments";
    for (const auto& term : one.terms) {
      text += " '--" + std::string(term.name) + "[" + unquoted(term.meaning)
              + "]:" + std::string(term.name) + ":";
      if (term.form == ops::shape::choice)
        text += "(" + replaced(term.values, '|', ' ') + ")";
      text += "'";
    }
    for (const auto option : global_options)
      text += " " + std::string(option);
    text += " ;;\n";
  }
  return text + "  esac\n}\n_parcelctl \"$@\"\n";
}

std::string for_fish() {
  const std::string base = "complete -c parcelctl -f";
  std::string text = "# fish completion of parcelctl\n";
  for (const auto& one : ops::verbs())
    if (!of_a_session(one))
      text += base + " -n __fish_use_subcommand -a " + std::string(one.name)
              + " -d '" + unquoted(one.help) + "'\n";
  text += base + " -n __fish_use_subcommand -a completion -d "
          + "'Prints a completion file.'\n" + base
          + " -n '__fish_seen_subcommand_from completion' -a '"
          + std::string(shells) + "'\n";
  for (const auto& one : ops::verbs())
    for (const auto& term : one.terms) {
      text += base + " -n '__fish_seen_subcommand_from " + std::string(one.name)
              + "' -x -l " + std::string(term.name) + " -d '"
              + unquoted(term.meaning) + "'";
      if (term.form == ops::shape::choice)
        text += " -a '" + replaced(term.values, '|', ' ') + "'";
      text += "\n";
    }
  for (const auto option : global_options)
    text += base + " -l " + std::string(option.substr(2)) + "\n";
  return text;
}

} // namespace

std::vector<std::string_view> one_shot_verbs() {
  std::vector<std::string_view> names;
  for (const auto& one : ops::verbs())
    if (!of_a_session(one))
      names.push_back(one.name);
  return names;
}

std::string completion_for(std::string_view shell) {
  if (shell == "bash")
    return for_bash();
  if (shell == "zsh")
    return for_zsh();
  return shell == "fish" ? for_fish() : std::string();
}

} // namespace parcelflow::cli
