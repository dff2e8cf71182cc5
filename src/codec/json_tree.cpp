#include "codec/json_tree.hpp"

#include "codec/json_text.hpp"
#include "codec/strict_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace parcelflow::codec {
namespace {

using kind = json_tree::kind;
using ordered = nlohmann::ordered_json;

/// Depth was bounded by `parse_strict`.
json_tree tree_of(const ordered& from) {
  json_tree made;
  if (from.is_null())
    return made;
  if (from.is_string())
    return {kind::text, from.get<std::string>(), {}};
  if (!from.is_structured())
    return {kind::scalar, from.dump(), {}};
  made.is = from.is_object() ? kind::object : kind::array;
  for (const auto& [name, value] : from.items())
    made.members.push_back(
      {from.is_object() ? name : std::string(), tree_of(value)});
  return made;
}

} // namespace

const json_tree& json_tree::at(std::string_view path) const {
  static const json_tree none;
  const auto dot = std::min(path.find('.'), path.size());
  for (const auto& [name, member] : members)
    if (is == kind::object && name == path.substr(0, dot))
      return dot == path.size() ? member : member.at(path.substr(dot + 1));
  return none;
}

std::uint64_t json_tree::number() const {
  std::uint64_t made = 0;
  if (is == kind::scalar)
    std::from_chars(value.data(), value.data() + value.size(), made);
  return made;
}

void append_json(std::string& to, const json_tree& of) {
  switch (of.is) {
  case kind::null: to += "null"; return;
  case kind::scalar: to += of.value; return;
  case kind::text: return append_quoted(to, of.value);
  case kind::object:
  case kind::array: break;
  }
  const bool named = of.is == kind::object;
  to += named ? '{' : '[';
  for (std::size_t i = 0; i < of.members.size(); ++i) {
    to += i == 0 ? "" : ",";
    if (named) {
      append_quoted(to, of.members[i].name);
      to += ':';
    }
    append_json(to, of.members[i].value);
  }
  to += named ? '}' : ']';
}

domain::outcome<json_tree> parse_tree(std::string_view text) {
  constexpr json_limits limits{std::size_t{64} << 20};
  if (const auto strict = parse_strict(text, limits); !strict)
    return strict.why();
  return tree_of(ordered::parse(text));
}

} // namespace parcelflow::codec
