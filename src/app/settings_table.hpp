// The table of settings: the only place that knows a key's type, default,
// bounds and meaning. Reading, checking, printing and documenting all walk it.
// A new setting is a member of `config` and a row here.
// Thread rule: constant data and pure functions. Errors: the sentence that says
// what is allowed; the caller adds where the value came from.
#pragma once

#include "app/config.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parcelflow::app {

enum class setting_type : std::uint8_t {
  boolean,
  integer,
  duration,
  bytes,
  text,
  choice,
  list,
};

/// A value after its text was checked: a number in the setting's own unit, the
/// index of a choice, or the items of a list.
using setting_value =
  std::variant<bool, std::int64_t, std::string, std::vector<std::string>>;

/// What one item of a list (or a text) must look like.
struct item_rule {
  bool (*holds)(std::string_view item);
  std::string_view form;
};

struct setting {
  std::string_view key; ///< "section.name"
  void (*store)(config& into, const setting_value& value);
  setting_type type;
  std::string_view initial; ///< the default, as a person would write it
  std::string_view explanation;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view choices = {}; ///< "a|b|c"
  const item_rule* rule = nullptr;
};

[[nodiscard]] std::span<const setting> settings();

/// nullptr if there is no such key.
[[nodiscard]] const setting* find_setting(std::string_view key);

/// The known key that looks most like `key`; empty if none comes near.
[[nodiscard]] std::string_view nearest_setting(std::string_view key);

/// "PARCELFLOW_HTTP_PORT" for "http.port".
[[nodiscard]] std::string variable_of(const setting& of);

/// Nothing if the text is no value of that setting.
[[nodiscard]] std::optional<setting_value> read_value(const setting& of,
                                                      std::string_view text);

/// The value as `config show` prints it.
[[nodiscard]] std::string print_value(const setting& of,
                                      const setting_value& value);

[[nodiscard]] std::string_view type_name(setting_type type);

/// What is allowed, after "must be ".
[[nodiscard]] std::string allowed_values(const setting& of);

} // namespace parcelflow::app
