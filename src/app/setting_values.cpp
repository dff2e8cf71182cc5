// The functions of settings_table.hpp: one row of the table against a text.
#include "app/settings_table.hpp"
#include "app/units.hpp"

#include <algorithm>
#include <numeric>

namespace parcelflow::app {

namespace {

constexpr std::size_t text_bytes_max = 1024;
constexpr std::size_t list_items_max = 256;

// The unit of a duration is the last word of its name.
std::chrono::milliseconds unit_of(const setting& of) {
  return of.key.ends_with("_hours") ? std::chrono::hours(1)
                                    : std::chrono::milliseconds(1);
}

std::string_view unit_name(const setting& of) {
  return of.key.ends_with("_hours") ? "hours" : "ms";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<setting_value> within(const setting& of,
                                    std::optional<std::int64_t> number) {
  if (!number || *number < of.min || *number > of.max)
    return std::nullopt;
  return *number;
}

std::optional<setting_value> read_duration(const setting& of,
                                           std::string_view text) {
  const auto unit = unit_of(of);
  const auto whole = parse_duration(text, unit);
  if (!whole || *whole % unit != std::chrono::milliseconds::zero())
    return std::nullopt;
  return within(of, *whole / unit);
}

std::optional<setting_value> read_choice(const setting& of,
                                         std::string_view text) {
  const auto names = split(of.choices, '|');
  const auto found = std::ranges::find(names, text);
  if (found == names.end())
    return std::nullopt;
  return static_cast<std::int64_t>(found - names.begin());
}

std::optional<setting_value> read_text(const setting& of,
                                       std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
  });
  if (!plain || text.size() > text_bytes_max
      || (of.rule != nullptr && !of.rule->holds(text)))
    return std::nullopt;
  return std::string(text);
}

std::optional<setting_value> read_list(const setting& of,
                                       std::string_view text) {
  std::vector<std::string> items;
  if (trimmed(text).empty())
    return items;
  if (text.ends_with(','))
    return std::nullopt;
  for (const auto part : split(text, ',')) {
    const auto item = trimmed(part);
    if (!of.rule->holds(item) || std::ranges::count(items, item) != 0
        || items.size() == list_items_max)
      return std::nullopt;
    items.emplace_back(item);
  }
  return items;
}

// Levenshtein's distance.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const auto replaced = diagonal + (from[i] == to[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

const setting* find_setting(std::string_view key) {
  const auto all = settings();
  const auto found = std::ranges::find(all, key, &setting::key);
  return found == all.end() ? nullptr : &*found;
}

std::string_view nearest_setting(std::string_view key) {
  if (key.size() > 100)
    return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(3, key.size() / 3) + 1;
  for (const auto& known : settings())
    if (const auto d = distance(key, known.key); d < best_distance) {
      best = known.key;
      best_distance = d;
    }
  return best;
}

std::string variable_of(const setting& of) {
  std::string name = "PARCELFLOW_";
  for (const char c : of.key)
    name += c == '.' ? '_' : (c >= 'a' && c <= 'z') ? char(c - 'a' + 'A') : c;
  return name;
}

std::optional<setting_value> read_value(const setting& of,
                                        std::string_view text) {
  switch (of.type) {
  case setting_type::boolean:
    if (text == "true" || text == "false")
      return text == "true";
    return std::nullopt;
  case setting_type::integer: return within(of, parse_integer(text));
  case setting_type::duration: return read_duration(of, text);
  case setting_type::bytes: return within(of, parse_bytes(text));
  case setting_type::text: return read_text(of, text);
  case setting_type::choice: return read_choice(of, text);
  case setting_type::list: return read_list(of, text);
  }
  return std::nullopt;
}

std::string print_value(const setting& of, const setting_value& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value))
    return *text;
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    std::string joined;
    for (const auto& item : *items)
      joined += (joined.empty() ? "" : ", ") + item;
    return joined;
  }
  const auto number = std::get<std::int64_t>(value);
  if (of.type == setting_type::bytes)
    return bytes_text(number);
  if (of.type == setting_type::choice)
    return std::string(
      split(of.choices, '|')[static_cast<std::size_t>(number)]);
  return std::to_string(number);
}

std::string_view type_name(setting_type type) {
  switch (type) {
  case setting_type::boolean: return "boolean";
  case setting_type::integer: return "integer";
  case setting_type::duration: return "duration";
  case setting_type::bytes: return "bytes";
  case setting_type::text: return "text";
  case setting_type::choice: return "choice";
  case setting_type::list: return "list";
  }
  return "unknown";
}

std::string allowed_values(const setting& of) {
  const auto range = [&](std::string (*print)(std::int64_t)) {
    return print(of.min) + " to " + print(of.max);
  };
  const auto plain = [](std::int64_t n) { return std::to_string(n); };
  switch (of.type) {
  case setting_type::boolean: return "true or false";
  case setting_type::integer: return "a whole number, " + range(plain);
  case setting_type::duration:
    return range(plain) + " " + std::string(unit_name(of))
           + " (ms, s, m, h, d may follow the number)";
  case setting_type::bytes:
    return range(bytes_text) + " (KiB, MiB, GiB may follow the number)";
  case setting_type::text:
    return of.rule != nullptr ? std::string(of.rule->form)
                              : "text of at most 1024 bytes";
  case setting_type::choice: {
    std::string names;
    for (const auto name : split(of.choices, '|'))
      names += (names.empty() ? "" : ", ") + std::string(name);
    return "one of " + names;
  }
  case setting_type::list:
    return "empty, or different items separated by commas, each "
           + std::string(of.rule->form);
  }
  return {};
}

} // namespace parcelflow::app
