#include "ops/console_command.hpp"

#include "support/json_text.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::ops {

using domain::failure;

namespace {

constexpr std::string_view json_flag = "--json";
constexpr std::string_view width_flag = "--width=";
constexpr std::size_t width_max = 10'000;

/// What a terminal can be shown again: UTF-8 without control characters.
bool is_text(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const auto length = support::utf8_length_at(line, at);
    const auto first = static_cast<unsigned char>(line[at]);
    if (length == 0 || first == 0x7f || (first < 0x20 && first != '\t'))
      return false;
    at += length;
  }
  return true;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  });
}

bool is_choice(std::string_view text, std::string_view values) {
  while (!values.empty()) {
    const auto bar = std::min(values.find('|'), values.size());
    if (values.substr(0, bar) == text)
      return true;
    values.remove_prefix(std::min(bar + 1, values.size()));
  }
  return false;
}

std::string or_list(std::string_view values) {
  std::string text(values);
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|'))
    text.replace(at, 1, ", ");
  return text;
}

domain::status check(const argument& of, std::string_view value) {
  const std::string name(of.name);
  if (value.empty())
    return {failure::invalid_request, name + " must not be empty"};
  switch (of.form) {
  case shape::number:
    if (!number_of(value))
      return {failure::invalid_request, name + " must be a whole number"};
    break;
  case shape::range:
    if (!range_of(value))
      return {failure::invalid_request,
              name + " must be sequences such as 3, 3.. or 3..7"};
    break;
  case shape::choice:
    if (!is_choice(value, of.values))
      return {failure::invalid_request,
              name + " must be one of: " + or_list(of.values)};
    break;
  case shape::word: break;
  }
  return domain::done();
}

std::string names_of(std::span<const argument> terms) {
  std::string text;
  for (const auto& one : terms)
    text.append(text.empty() ? "" : ", ").append(one.name);
  return text.empty() ? "none" : text;
}

domain::status take_term(command& to, std::string_view name,
                         std::string_view value) {
  const auto& terms = to.what->terms;
  const auto known = std::ranges::find(terms, name, &argument::name);
  if (known == terms.end())
    return {failure::invalid_request,
            std::string(to.what->name)
              + " has no such term; allowed: " + names_of(terms)};
  if (std::ranges::find(
        to.terms, name,
        [](const auto& one) { return std::string_view(one.first); })
      != to.terms.end())
    return {failure::invalid_request, std::string(name) + " is given twice"};
  to.terms.emplace_back(name, value);
  return check(*known, value);
}

/// A term if the verb could have one: `find a=b` looks for the word a=b.
bool looks_like_term(const command& so_far, std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && is_name(word.substr(0, equals))
         && (!so_far.what->terms.empty()
             || so_far.words.size() >= so_far.what->words.size());
}

domain::status check_whole(const command& of) {
  const auto& entry = *of.what;
  const auto missing = [&](std::string_view name) {
    return domain::status{failure::invalid_request,
                          std::string(name)
                            + " is missing: " + usage_of(entry)};
  };
  for (std::size_t i = 0; i < entry.words.size(); ++i)
    if (entry.words[i].required && i >= of.words.size())
      return missing(entry.words[i].name);
  for (const auto& one : entry.terms)
    if (one.required && of.term(one.name).empty())
      return missing(std::string(one.name) + "=" + std::string(one.hint));
  if (entry.id != verb::pause && entry.id != verb::resume)
    return domain::done();
  const auto what = of.word(0);
  const bool named = what == "consumer" || what == "stream";
  if (named && of.words.size() < 2)
    return missing(what == "stream" ? "ORDER" : "NAME");
  if (of.words.size() > (what == "stream" ? 3U : named ? 2U : 1U))
    return {failure::invalid_request, "too many words after "
                                        + std::string(what) + ": "
                                        + std::string(entry.words[0].meaning)};
  return domain::done();
}

domain::outcome<command> command_of(const std::vector<std::string>& words) {
  command made;
  made.what = find_verb(words.front());
  if (made.what == nullptr)
    return {failure::invalid_request, "there is no such verb; try: help"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    domain::status taken = domain::done();
    if (looks_like_term(made, word)) {
      const auto equals = word.find('=');
      taken = take_term(made, word.substr(0, equals), word.substr(equals + 1));
    } else if (made.words.size() < made.what->words.size()) {
      taken = check(made.what->words[made.words.size()], word);
      made.words.emplace_back(word);
    } else {
      taken = {failure::invalid_request,
               "too many words: " + usage_of(*made.what)};
    }
    if (!taken)
      return taken.why();
  }
  if (auto whole = check_whole(made); !whole)
    return whole.why();
  return made;
}

} // namespace

std::string_view command::term(std::string_view name) const {
  for (const auto& [own, value] : terms)
    if (own == name)
      return value;
  return {};
}

std::string_view command::word(std::size_t index) const {
  return index < words.size() ? std::string_view(words[index])
                              : std::string_view();
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end)
    return std::nullopt;
  return value;
}

std::optional<number_range> range_of(std::string_view text) {
  const auto dots = text.find("..");
  const auto from = number_of(text.substr(0, dots));
  if (!from || *from == 0)
    return std::nullopt;
  if (dots == std::string_view::npos)
    return number_range{*from, *from};
  if (dots + 2 == text.size())
    return number_range{*from, 0};
  const auto to = number_of(text.substr(dots + 2));
  if (!to || *to < *from)
    return std::nullopt;
  return number_range{*from, *to};
}

domain::outcome<std::vector<std::string>> split_words(std::string_view line) {
  if (!is_text(line))
    return {failure::invalid_request, "the line holds bytes that are no text"};
  std::vector<std::string> words;
  bool inside = false;
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (!quoted && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside)
      words.emplace_back();
    inside = true;
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\' && at + 1 < line.size()
             && (line[at + 1] == '"' || line[at + 1] == '\\'))
      words.back() += line[++at];
    else
      words.back() += c;
  }
  if (quoted)
    return {failure::invalid_request, "a double quote is not closed"};
  return words;
}

std::string quoted_word(std::string_view word) {
  if (!word.empty() && word.find_first_of(" \t\"\\") == std::string_view::npos)
    return std::string(word);
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}

std::optional<parsed_line> parse_line(std::string_view line) {
  auto words = split_words(line);
  if (!words)
    return parsed_line{line.find(json_flag) != std::string_view::npos, 0,
                       words.why()};
  parsed_line made{false, 0, domain::fault{}};
  bool width_ok = true;
  std::erase_if(*words, [&](const std::string& word) {
    const bool is_width = word.starts_with(width_flag);
    made.json = made.json || word == json_flag;
    if (is_width) {
      const auto number = number_of(word.substr(width_flag.size()));
      width_ok = number && *number <= width_max;
      made.width = number.value_or(0);
    }
    return is_width || word == json_flag;
  });
  if (words->empty())
    return std::nullopt;
  if (!width_ok)
    made.what = domain::fault{failure::invalid_request,
                              "--width must be a whole number of columns"};
  else
    made.what = command_of(*words);
  if (made.what) {
    made.what->json = made.json;
    made.what->width = made.width;
  }
  return made;
}

authority authority_of(const command& of) {
  if ((of.what->id == verb::pause || of.what->id == verb::resume)
      && (of.word(0) == "relay" || of.word(0) == "consumer"))
    return {domain::role::admin, scope::process};
  return {of.what->needed, of.what->about};
}

} // namespace parcelflow::ops
