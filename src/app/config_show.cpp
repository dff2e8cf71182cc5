// What `config show` and the reference page print.
#include "app/config.hpp"
#include "app/settings_table.hpp"

#include <algorithm>

namespace parcelflow::app {

namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// Somebody set it: it is neither the default nor derived from another key.
bool is_set(const config_row& row) {
  return row.origin != default_origin
         && !row.origin.starts_with(std::string(default_origin) + ", ");
}

// In a Markdown table a bar would end the cell.
std::string code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

} // namespace

std::string show_config(const loaded_config& loaded) {
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  std::size_t origin_width = 0;
  constexpr std::size_t value_width_max = 40;
  const auto shown = [](std::string_view value) {
    return value.empty() ? std::string("\"\"") : std::string(value);
  };
  for (const auto& row : loaded.rows) {
    key_width = std::max(key_width, row.key.size());
    value_width =
      std::max(value_width, std::min(shown(row.value).size(), value_width_max));
    if (is_set(row))
      origin_width = std::max(origin_width, row.origin.size());
  }
  std::string text;
  for (const auto& row : loaded.rows) {
    text += padded(row.key, key_width) + "  "
            + padded(shown(row.value), value_width) + "  ";
    if (!is_set(row))
      text += row.origin + "\n";
    else
      text += padded(row.origin, origin_width) + "  default "
              + shown(find_setting(row.key)->initial) + "\n";
  }
  return text;
}

std::string config_reference() {
  std::string text = "| key | type | default | allowed | variable | meaning |\n"
                     "| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& row : settings())
    text += "| " + code(row.key) + " | " + std::string(type_name(row.type))
            + " | " + code(row.initial) + " | " + allowed_values(row) + " | "
            + code(variable_of(row)) + " | " + std::string(row.explanation)
            + " |\n";
  return text;
}

} // namespace parcelflow::app
