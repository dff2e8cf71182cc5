// What a row of settings_table.cpp is made of: how a checked value is stored in
// a member (the member's type says how), what a list's items look like, and one
// function a type of setting. Included by that one file.
// Thread rule: constant data and pure functions. Errors: none; a row whose type
// does not fit its member throws when the defaults are loaded, in any test.
#pragma once

#include "app/settings_table.hpp"
#include "app/units.hpp"
#include "domain/event.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace parcelflow::app::rows {

// --- storing: the member's type says how ------------------------------------

inline void assign(bool& member, const setting_value& value) {
  member = std::get<bool>(value);
}

inline void assign(std::string& member, const setting_value& value) {
  member = std::get<std::string>(value);
}

template <std::integral Int>
void assign(Int& member, const setting_value& value) {
  member = static_cast<Int>(std::get<std::int64_t>(value));
}

template <class Enum>
requires std::is_enum_v<Enum>
void assign(Enum& member, const setting_value& value) {
  member = static_cast<Enum>(std::get<std::int64_t>(value));
}

template <class Rep, class Period>
void assign(std::chrono::duration<Rep, Period>& member,
            const setting_value& value) {
  member = std::chrono::duration<Rep, Period>(std::get<std::int64_t>(value));
}

template <class Item>
void assign(std::vector<Item>& member, const setting_value& value);

// --- list items --------------------------------------------------------------

inline std::vector<std::string_view> parts_of(std::string_view item) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = std::min(item.find(':'), item.size());
    parts.push_back(item.substr(0, colon));
    if (colon == item.size())
      return parts;
    item.remove_prefix(colon + 1);
  }
}

inline bool is_version(std::string_view text) {
  const auto number = parse_integer(text);
  return number && *number >= 1 && *number <= 1000;
}

inline std::uint32_t version_of(std::string_view text) {
  return static_cast<std::uint32_t>(parse_integer(text).value_or(0));
}

inline bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 64
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '-' || c == '_'
                     || c == '.';
            });
}

inline constexpr item_rule tenant_version_rule{
  [](std::string_view item) {
    const auto parts = parts_of(item);
    return parts.size() == 2 && domain::is_tenant_name(parts[0])
           && is_version(parts[1]);
  },
  "tenant:version"};

inline constexpr item_rule supported_rule{[](std::string_view item) {
                                            const auto parts = parts_of(item);
                                            return parts.size() == 3
                                                   && is_word(parts[0])
                                                   && is_word(parts[1])
                                                   && is_version(parts[2]);
                                          },
                                          "consumer:EventType:version"};

inline constexpr item_rule effect_fault_rule{
  [](std::string_view item) {
    const auto parts = parts_of(item);
    return parts.size() == 2 && domain::is_tenant_name(parts[0])
           && is_word(parts[1]);
  },
  "tenant:consumer"};

inline constexpr item_rule level_rule{
  [](std::string_view item) {
    const auto parts = parts_of(item);
    return parts.size() == 2 && is_word(parts[0])
           && support::log::level_named(parts[1]).has_value();
  },
  "component:level (trace, debug, info, warning, error, off)"};

inline constexpr item_rule host_rule{
  [](std::string_view item) {
    return !item.empty() && item.size() <= 255
           && std::ranges::all_of(item, [](char c) {
                return is_word(std::string_view(&c, 1)) || c == ':' || c == '['
                       || c == ']';
              });
  },
  "host name"};

inline constexpr item_rule point_rule{
  [](std::string_view text) { return text.empty() || is_word(text); },
  "empty, or the name of a crash point such as order.after_commit"};

inline constexpr item_rule not_empty_rule{
  [](std::string_view text) { return !text.empty(); }, "not empty"};

template <class Item>
Item item_from(const std::string& text) {
  const auto parts = parts_of(text);
  if constexpr (std::same_as<Item, std::string>)
    return text;
  else if constexpr (std::same_as<Item, tenant_version>)
    return {std::string(parts[0]), version_of(parts[1])};
  else if constexpr (std::same_as<Item, supported_event>)
    return {std::string(parts[0]), std::string(parts[1]), version_of(parts[2])};
  else if constexpr (std::same_as<Item, effect_fault>)
    return {std::string(parts[0]), std::string(parts[1])};
  else
    return Item{std::string(parts[0]), *support::log::level_named(parts[1])};
}

template <class Item>
void assign(std::vector<Item>& member, const setting_value& value) {
  member.clear();
  for (const auto& text : std::get<std::vector<std::string>>(value))
    member.push_back(item_from<Item>(text));
}

// --- rows --------------------------------------------------------------------

using store_function = void (*)(config&, const setting_value&);

constexpr setting boolean(std::string_view key, store_function store,
                          std::string_view initial,
                          std::string_view explanation) {
  return {key, store, setting_type::boolean, initial, explanation};
}

constexpr setting integer(std::string_view key, store_function store,
                          std::string_view initial, std::int64_t min,
                          std::int64_t max, std::string_view explanation) {
  return {key, store, setting_type::integer, initial, explanation, min, max};
}

constexpr setting duration(std::string_view key, store_function store,
                           std::string_view initial, std::int64_t min,
                           std::int64_t max, std::string_view explanation) {
  return {key, store, setting_type::duration, initial, explanation, min, max};
}

constexpr setting bytes(std::string_view key, store_function store,
                        std::string_view initial, std::int64_t min,
                        std::int64_t max, std::string_view explanation) {
  return {key, store, setting_type::bytes, initial, explanation, min, max};
}

constexpr setting text(std::string_view key, store_function store,
                       std::string_view initial, std::string_view explanation,
                       const item_rule* rule = nullptr) {
  return {key, store, setting_type::text, initial, explanation, 0, 0, {}, rule};
}

constexpr setting choice(std::string_view key, store_function store,
                         std::string_view initial, std::string_view choices,
                         std::string_view explanation) {
  return {key, store,  setting_type::choice, initial, explanation, 0,
          0,   choices};
}

constexpr setting list(std::string_view key, store_function store,
                       const item_rule& rule, std::string_view explanation) {
  return {key, store, setting_type::list, "", explanation, 0, 0, {}, &rule};
}

} // namespace parcelflow::app::rows
