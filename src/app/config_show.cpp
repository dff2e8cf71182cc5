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

// In a Markdown table a bar would end the cell.
std::string code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

} // namespace

std::string show_config(const loaded_config& loaded) {
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  constexpr std::size_t value_width_max = 40;
  const auto shown = [](const config_row& row) {
    return row.value.empty() ? std::string("\"\"") : row.value;
  };
  for (const auto& row : loaded.rows) {
    key_width = std::max(key_width, row.key.size());
    value_width =
      std::max(value_width, std::min(shown(row).size(), value_width_max));
  }
  std::string text;
  for (const auto& row : loaded.rows)
    text += padded(row.key, key_width) + "  " + padded(shown(row), value_width)
            + "  " + row.origin + "\n";
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
