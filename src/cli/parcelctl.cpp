#include "cli/parcelctl.hpp"

#include "cli/completion.hpp"
#include "cli/console_client.hpp"
#include "cli/exit_codes.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace parcelflow::cli {
namespace {

constexpr const char* description =
  "parcelctl: find, explain and replay what failed, over the ops console of a "
  "running parcelflow.";
constexpr const char* footer =
  "Without a verb, on a terminal: a shell.\n"
  "parcelctl's own options stand before the verb or after it.\n"
  "The token comes from --token-file, PARCELFLOW_TOKEN_FILE or "
  "PARCELFLOW_TOKEN, never from an argument.\n"
  "Exit codes: 0 done, 64 usage, 65 not found or not allowed by its state, "
  "69 no console there, 70 internal, 74 storage, 75 try later, 77 denied.\n"
  "Environment: PARCELFLOW_CONSOLE_PORT, PARCELFLOW_TENANT, COLUMNS, "
  "NO_COLOR.";

std::string upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

/// One verb as CLI11 knows it, and what it was given.
struct verb_option {
  const ops::verb_entry* verb;
  CLI::App* command;
  std::deque<std::string> words; ///< stable addresses
  std::map<std::string, std::string> terms;
};

class program {
public:
  program() {
    app_.footer(footer);
    app_.set_version_flag("--version",
                          std::string(support::versions().project));
    app_.add_option("--host", options_.host, "address of the console")
      ->capture_default_str();
    app_.add_option("--port", options_.port, "port of the console")
      ->envname("PARCELFLOW_CONSOLE_PORT")
      ->capture_default_str();
    app_
      .add_option("--tenant", options_.tenant,
                  "which one, if the token reaches several")
      ->envname("PARCELFLOW_TENANT");
    app_.add_option("--token-file", options_.token_file,
                    "file that holds the token");
    app_.add_flag("--json", options_.json, "one JSON object a line");
    app_.add_flag("--dry-run", options_.dry_run,
                  "show what would be changed, and stop");
    app_.add_flag("--yes", options_.yes, "do not ask before a change");
    app_.add_flag("--wait", options_.wait,
                  "plan, execute: until it is finished");
    for (const auto name : one_shot_verbs())
      add(*ops::find_verb(name));
    completion_ = app_.add_subcommand(
      "completion", "Prints a completion file for bash, zsh or fish.");
    completion_->add_option("shell", shell_, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? exit_ok : exit_usage;
    }
    if (completion_->parsed()) {
      std::cout << completion_for(shell_);
      return exit_ok;
    }
    for (const auto& one : verbs_)
      if (one.command->parsed())
        return run(one);
    if (can_ask())
      return run_shell(options_);
    std::cerr << app_.help();
    return exit_usage;
  }

private:
  void add(const ops::verb_entry& verb) {
    auto& made = verbs_.emplace_back();
    made.verb = &verb;
    made.command =
      app_.add_subcommand(std::string(verb.name), std::string(verb.help));
    made.command->fallthrough();
    for (const auto& word : verb.words) {
      auto* option = made.command->add_option(std::string(word.name),
                                              made.words.emplace_back(),
                                              std::string(word.meaning));
      if (word.required)
        option->required();
    }
    for (const auto& term : verb.terms) {
      std::string meaning(term.meaning);
      if (term.form == ops::shape::choice)
        meaning.append(": ").append(term.values);
      auto* option =
        made.command->add_option("--" + std::string(term.name),
                                 made.terms[std::string(term.name)], meaning);
      option->type_name(upper(term.hint));
      if (term.required)
        option->required();
    }
  }

  int run(const verb_option& of) {
    if (options_.dry_run && !of.verb->changes) {
      complain("--dry-run is for what changes something");
      return exit_usage;
    }
    ops::command given;
    given.what = of.verb;
    for (const auto& word : of.words)
      if (!word.empty())
        given.words.push_back(word);
    for (const auto& [name, value] : of.terms)
      if (of.command->count("--" + name) > 0)
        given.terms.emplace_back(name, value);
    // The same judgement as the console's, before anything is sent.
    const auto judged = ops::parse_line(line_of(given));
    if (!judged || !judged->what) {
      complain(judged ? judged->what.why().detail : "no verb");
      return exit_usage;
    }
    if (of.verb->id == ops::verb::help)
      return help(*judged->what);
    console_client client(options_);
    if (const int code = client.open(); code != exit_ok)
      return code;
    return client.run(*judged->what);
  }

  static int help(const ops::command& of) {
    if (of.words.empty()) {
      std::cout << ops::help_text();
      return exit_ok;
    }
    const auto* about = ops::find_verb(of.word(0));
    if (about == nullptr) {
      complain("there is no such verb");
      return exit_usage;
    }
    std::cout << ops::help_text(*about);
    return exit_ok;
  }

  CLI::App app_{description, "parcelctl"};
  client_options options_;
  std::deque<verb_option> verbs_;
  CLI::App* completion_ = nullptr;
  std::string shell_;
};

} // namespace

int run_parcelctl(int argc, char** argv) {
  return program().run(argc, argv);
}

} // namespace parcelflow::cli
