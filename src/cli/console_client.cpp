#include "cli/console_client.hpp"

#include "cli/exit_codes.hpp"
#include "cli/terminal.hpp"
#include "cli/token_source.hpp"

#include <chrono>
#include <iostream>
#include <thread>

namespace parcelflow::cli {

using ops::verb;

volatile bool interrupted = false;

namespace {

constexpr std::chrono::milliseconds look_again{200};
constexpr int page_items = 200; ///< the most that the console gives at once

/// What shows the thing that a command would change.
std::string look_of(const ops::command& of) {
  switch (of.what->id) {
  case verb::execute:
  case verb::cancel: return "progress " + ops::quoted_word(of.word(0));
  case verb::waive: return "show " + ops::quoted_word(of.word(0));
  case verb::skip:
  case verb::redirect:
  case verb::resend: return "evidence " + ops::quoted_word(of.word(1));
  case verb::drain: return "health";
  default: return "pauses";
  }
}

int fault_exit(const domain::fault& why) {
  complain(why.detail);
  return why.code == domain::failure::bus_unreachable
           ? exit_unavailable
           : exit_code_of(domain::to_string(why.code));
}

bool is_over(std::string_view state) {
  return state != "planning" && state != "running" && state != "cancelling";
}

} // namespace

std::string line_of(const ops::command& of) {
  std::string line(of.what->name);
  for (const auto& word : of.words)
    line += ' ' + ops::quoted_word(word);
  for (const auto& [name, value] : of.terms)
    line += ' ' + name + '=' + ops::quoted_word(value);
  return line;
}

int console_client::open() {
  const auto token = find_token(options_.token_file);
  if (!token) {
    complain(token.why().detail);
    return exit_denied;
  }
  auto link = console_link::open(options_.host, options_.port);
  if (!link)
    return fault_exit(link.why());
  link_ = *std::move(link);
  lost_ = false;
  if (const auto login = link_->ask("auth " + *token, false); !login.ok())
    return refused(login);
  if (options_.tenant.empty())
    return exit_ok;
  const auto chosen =
    link_->ask("tenant " + ops::quoted_word(options_.tenant), false);
  return chosen.ok() ? exit_ok : refused(chosen);
}

int console_client::refused(const console_answer& answer) {
  lost_ = answer.broken;
  if (answer.broken) {
    complain("the console ended the connection");
    return exit_unavailable;
  }
  if (json_ && answer.text.starts_with('{'))
    std::cerr << answer.text;
  else
    complain(answer.text);
  return exit_code_of(answer.failure);
}

std::string console_client::with_flags(const std::string& line) const {
  if (json_)
    return line + " --json";
  const auto width = screen_width();
  return width > 0 ? line + " --width=" + std::to_string(width) : line;
}

int console_client::ask_and_print(const std::string& line) {
  const auto answer = link_->ask(with_flags(line), json_);
  if (!answer.ok())
    return refused(answer);
  std::cout << answer.text << std::flush;
  return exit_ok;
}

int console_client::examine(const std::string& line) {
  // As JSON first would be a second audit: the verdict is the first member.
  const auto answer = link_->ask(with_flags(line), json_);
  if (!answer.ok())
    return refused(answer);
  std::cout << answer.text << std::flush;
  const auto first = answer.text.substr(0, answer.text.find_first_of(",\n"));
  return first.find("false") == std::string::npos ? exit_ok : exit_data;
}

int console_client::run(const ops::command& what) {
  json_ = options_.json || what.json;
  const auto line = line_of(what);
  if (what.what->changes) {
    if (options_.dry_run)
      return rehearse(what, line);
    if (!options_.yes && !can_ask()) {
      complain("this changes something and nobody can be asked: add --yes");
      return exit_usage;
    }
    if (!options_.yes && !confirmed(line))
      return exit_ok;
  }
  if (what.what->id == verb::tail)
    return follow(line);
  if (what.what->id == verb::export_letters)
    return write_all(what);
  if (what.what->id == verb::audit || what.what->id == verb::verify)
    return examine(line);
  if ((what.what->id == verb::plan || what.what->id == verb::execute)
      && (options_.wait || shows_progress()))
    return run_to_the_end(what, line);
  const int code = ask_and_print(line);
  if (code == exit_ok && what.what->id == verb::tenant)
    options_.tenant = what.word(0); // also after the next login
  return code;
}

int console_client::rehearse(const ops::command& what,
                             const std::string& line) {
  std::cerr << "dry run, nothing is changed; it would be: " << line << "\n";
  return ask_and_print(look_of(what));
}

int console_client::write_all(const ops::command& what) {
  const bool one_page = !what.term("limit").empty();
  auto next = what;
  if (!one_page)
    next.terms.emplace_back("limit", std::to_string(page_items));
  for (;;) {
    const auto answer = link_->ask(line_of(next) + " --json", true);
    if (!answer.ok())
      return refused(answer);
    const auto tree = codec::parse_tree(answer.text);
    if (!tree) {
      complain("the console's answer is not understood");
      return exit_internal;
    }
    std::string lines;
    for (const auto& [unnamed, item] : tree->at("items").members) {
      codec::append_json(lines, item);
      lines += '\n';
    }
    std::cout << lines << std::flush;
    const auto& cursor = tree->at("nextCursor").value;
    if (cursor.empty())
      return exit_ok;
    if (one_page) {
      std::cerr << "more: --cursor " << cursor << "\n";
      return exit_ok;
    }
    std::erase_if(next.terms,
                  [](const auto& t) { return t.first == "cursor"; });
    next.terms.emplace_back("cursor", cursor);
  }
}

int console_client::follow(const std::string& line) {
  console_answer answer;
  interrupted = false;
  answer.broken =
    !link_->follow(with_flags(line), interrupted, [&](std::string_view row) {
      answer.failure = failure_in(row);
      if (answer.failure.empty())
        std::cout << row << std::endl;
      else
        answer.text = row;
    });
  return answer.ok() ? exit_ok : refused(answer);
}

int console_client::run_to_the_end(const ops::command& what,
                                   const std::string& line) {
  const auto begun = link_->ask(line + " --json", true);
  if (!begun.ok())
    return refused(begun);
  const auto tree = codec::parse_tree(begun.text);
  const auto id =
    tree ? tree->at(what.what->id == verb::plan ? "planId" : "replayId").value
         : std::string();
  if (id.empty()) {
    complain("the console's answer is not understood");
    return exit_internal;
  }
  if (const int code = await_end(id); code != exit_ok)
    return code;
  const int code = ask_and_print("progress " + id);
  return code == exit_ok && !json_ ? ask_and_print("evidence " + id) : code;
}

int console_client::await_end(const std::string& id) {
  progress_bar bar;
  for (;;) {
    const auto answer = link_->ask("progress " + id + " --json", true);
    if (!answer.ok())
      return refused(answer);
    const auto tree = codec::parse_tree(answer.text);
    const auto state = tree ? tree->at("state").value : std::string();
    if (is_over(state))
      return exit_ok;
    if (shows_progress())
      bar.draw(id + " " + state,
               tree->at(state == "planning" ? "lookedAt" : "done").number(),
               tree->at("total").number());
    std::this_thread::sleep_for(look_again);
  }
}

} // namespace parcelflow::cli
