#include "app/config.hpp"

#include "app/config_rules.hpp"
#include "app/settings_table.hpp"
#include "support/ini_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

extern char** environ;

namespace parcelflow::app {

namespace {

constexpr std::string_view variable_prefix = "PARCELFLOW_";

// Variables that are ours and no setting: the command lines' own (a shell that
// was set up for parcelctl may start the daemon too), and what our scripts and
// tests hand to the programs they start.
constexpr std::array<std::string_view, 7> other_variables{
  "PARCELFLOW_CONFIG",    "PARCELFLOW_TOKEN", "PARCELFLOW_TOKEN_FILE",
  "PARCELFLOW_TENANT",    "PARCELFLOW_URL",   "PARCELFLOW_BIN",
  "PARCELFLOW_SOURCE_DIR"};

domain::fault invalid(std::string detail) {
  return {domain::failure::config_invalid, std::move(detail)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t shown_max = 80;
  std::string out = "\"";
  for (const char c : text.substr(0, shown_max))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out + (text.size() > shown_max ? "…\"" : "\"");
}

// One value a key; later sources overwrite earlier ones.
class loader {
public:
  domain::outcome<loaded_config> load(const config_sources& sources) {
    for (const auto& known : settings())
      take(known, known.initial, std::string(default_origin));
    if (!sources.file.empty())
      take_file(sources.file);
    for (const auto& [name, value] : sources.environment)
      take_variable(name, value);
    take_flags(sources.flags);
    if (fault_)
      return *fault_;
    derive();
    check_rules();
    if (fault_)
      return *fault_;
    return finish();
  }

private:
  struct chosen {
    setting_value value;
    std::string origin;
  };

  void refuse(std::string detail) {
    if (!fault_)
      fault_ = invalid(std::move(detail));
  }

  void take(const setting& of, std::string_view text, std::string origin) {
    auto value = read_value(of, text);
    if (!value)
      return refuse(origin + ": " + std::string(of.key) + " = " + quoted(text)
                    + " must be " + allowed_values(of));
    chosen_.insert_or_assign(of.key,
                             chosen{std::move(*value), std::move(origin)});
  }

  void refuse_unknown(const std::string& origin, const std::string& what,
                      const std::string& nearest) {
    refuse(origin + ": " + what
           + (nearest.empty() ? "; `config show` lists the settings"
                              : "; did you mean " + nearest + "?"));
  }

  void take_file(const std::string& path) {
    const auto read = support::load_ini(path);
    if (read.fault)
      return refuse(read.fault->text());
    for (const auto& entry : read.entries) {
      const auto key = entry.section + "." + entry.key;
      const auto origin = path + ":" + std::to_string(entry.line);
      if (const auto* known = find_setting(key))
        take(*known, entry.value, origin);
      else
        refuse_unknown(origin, "unknown setting " + quoted(key),
                       std::string(nearest_setting(key)));
    }
  }

  void take_variable(const std::string& name, const std::string& value) {
    if (!name.starts_with(variable_prefix)
        || std::ranges::count(other_variables, name) != 0)
      return;
    for (const auto& known : settings())
      if (variable_of(known) == name)
        return take(known, value, name);
    auto key = name.substr(variable_prefix.size());
    std::ranges::transform(key, key.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (const auto first = key.find('_'); first != std::string::npos)
      key[first] = '.';
    const auto* near = find_setting(nearest_setting(key));
    refuse_unknown(name, "unknown variable",
                   near != nullptr ? variable_of(*near) : "");
  }

  void take_flags(const std::vector<std::string>& flags) {
    std::vector<std::string> seen;
    for (const auto& flag : flags) {
      const auto equals = flag.find('=');
      if (!flag.starts_with("--") || equals == std::string::npos)
        return refuse(quoted(flag)
                      + ": a setting is given as "
                        "--section.key=value");
      const auto key = flag.substr(2, equals - 2);
      const auto origin = "--" + key;
      if (std::ranges::count(seen, key) != 0)
        return refuse(origin + ": given twice");
      seen.push_back(key);
      const auto nearest = nearest_setting(key);
      if (const auto* known = find_setting(key))
        take(*known, flag.substr(equals + 1), origin);
      else
        refuse_unknown(quoted(origin), "unknown setting",
                       nearest.empty() ? "" : "--" + std::string(nearest));
    }
  }

  // A default that depends on another setting.
  void derive() {
    auto& tokens = chosen_.at("auth.tokens_file");
    if (!std::get<std::string>(tokens.value).empty())
      return;
    const auto& data = chosen_.at("data.directory");
    tokens = {std::get<std::string>(data.value) + "/access.json",
              "default, from data.directory"};
  }

  config values() const {
    config result;
    for (const auto& known : settings())
      known.store(result, chosen_.at(known.key).value);
    return result;
  }

  void check_rules() {
    const auto found = find_contradiction(values());
    if (!found)
      return;
    std::string detail;
    for (const auto key : found->keys) {
      const auto& [value, origin] = chosen_.at(key);
      detail += (detail.empty() ? "" : " and ") + std::string(key) + " = "
                + quoted(print_value(*find_setting(key), value)) + " (" + origin
                + ")";
    }
    refuse(detail + ": " + std::string(found->rule));
  }

  loaded_config finish() const {
    loaded_config loaded{values(), {}};
    for (const auto& known : settings()) {
      const auto& [value, origin] = chosen_.at(known.key);
      loaded.rows.push_back(
        {std::string(known.key), print_value(known, value), origin});
    }
    return loaded;
  }

  std::map<std::string_view, chosen> chosen_;
  std::optional<domain::fault> fault_;
};

} // namespace

domain::outcome<loaded_config> load_config(const config_sources& sources) {
  return loader().load(sources);
}

std::vector<std::pair<std::string, std::string>> parcelflow_environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with(variable_prefix) && equals != std::string_view::npos)
      found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::ranges::sort(found);
  return found;
}

} // namespace parcelflow::app
