// What the table of verbs tells people.
#include "ops/console_command.hpp"

namespace parcelflow::ops {
namespace {

std::string shown(const argument& of, bool is_term) {
  std::string text(of.name);
  if (is_term)
    text.append("=").append(of.hint);
  else if (of.form == shape::choice)
    text = of.values;
  return of.required ? text : '[' + text + ']';
}

void append_row(std::string& to, std::string_view left, std::string_view right,
                std::size_t column) {
  to.append("  ").append(left);
  to.append(column > left.size() ? column - left.size() : 1, ' ');
  to.append(right).append("\n");
}

bool is_filter(const verb_entry& of) {
  return of.terms.size() > 5;
}

std::string_view reach_of(scope about) {
  switch (about) {
  case scope::anyone: return "without a login";
  case scope::login: return "with any tenant";
  case scope::tenant: return "for the chosen tenant";
  case scope::process: return "with a token over all tenants";
  }
  return {};
}

} // namespace

std::string usage_of(const verb_entry& of) {
  std::string text(of.name);
  for (const auto& one : of.words)
    text.append(" ").append(shown(one, false));
  if (is_filter(of)) // too many for a line
    return text + " [TERM…]";
  for (const auto& one : of.terms)
    text.append(" ").append(shown(one, true));
  return text;
}

std::string help_text() {
  constexpr std::size_t column = 14;
  std::string text = "Verbs; `help VERB` shows one with its arguments:\n";
  for (const auto& one : verbs())
    append_row(text, one.name, one.help, column);
  text += "Any of them takes --json (one JSON object a line) and --width=N "
          "(fit tables).\n"
          "A value with spaces stands in double quotes: reason=\"sent by "
          "hand\".\n";
  return text;
}

std::string help_text(const verb_entry& of) {
  constexpr std::size_t column = 22;
  std::string text = usage_of(of) + "\n" + std::string(of.help) + "\n";
  for (const auto& one : of.words)
    append_row(text, one.name, one.meaning, column);
  for (const auto& one : of.terms) {
    std::string left = std::string(one.name) + "=" + std::string(one.hint);
    append_row(text, left, one.meaning, column);
    if (one.form == shape::choice)
      append_row(text, "", one.values, column);
  }
  text += "Needs the role ";
  text += domain::to_string(of.needed);
  text.append(", ").append(reach_of(of.about)).append(".\n");
  return text;
}

} // namespace parcelflow::ops
