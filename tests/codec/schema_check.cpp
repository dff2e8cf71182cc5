#include "tests/codec/schema_check.hpp"

#include <regex>

namespace parcelflow::test {
namespace {

using nlohmann::json;
using findings = std::vector<std::string>;

bool has_type(const json& value, const std::string& type) {
  if (type == "object")
    return value.is_object();
  if (type == "array")
    return value.is_array();
  if (type == "string")
    return value.is_string();
  return type == "integer" && value.is_number_integer();
}

std::size_t code_points(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text)
    count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

/// The keywords that look at nothing inside the value.
bool holds(const std::string& keyword, const json& rule, const json& value) {
  if (keyword == "type")
    return has_type(value, rule);
  if (keyword == "pattern")
    return !value.is_string()
           || std::regex_search(value.get<std::string>(),
                                std::regex(rule.get<std::string>()));
  if (keyword == "maxLength")
    return !value.is_string() || code_points(value) <= rule;
  if (keyword == "minimum")
    return !value.is_number() || value >= rule;
  if (keyword == "maximum")
    return !value.is_number() || value <= rule;
  if (keyword == "minItems")
    return !value.is_array() || value.size() >= rule;
  if (keyword == "maxItems")
    return !value.is_array() || value.size() <= rule;
  return keyword.starts_with('$') || keyword == "title"
         || keyword == "description";
}

void add(findings& to, findings from) {
  to.insert(to.end(), from.begin(), from.end());
}

findings inside(const std::string& keyword, const json& rule, const json& value,
                const std::string& path) {
  findings found;
  if (keyword == "required") {
    for (const auto& name : rule)
      if (!value.contains(name.get<std::string>()))
        found.push_back(path + ": " + name.get<std::string>() + " is required");
  } else if (keyword == "properties") {
    for (const auto& [name, schema] : rule.items())
      if (value.contains(name))
        add(found, violations(schema, value[name], path + "." + name));
  } else {
    for (std::size_t at = 0; at < value.size(); ++at)
      add(found,
          violations(rule, value[at], path + "[" + std::to_string(at) + "]"));
  }
  return found;
}

} // namespace

std::vector<std::string> violations(const json& schema, const json& value,
                                    const std::string& path) {
  findings found;
  for (const auto& [keyword, rule] : schema.items()) {
    const bool of_object = keyword == "required" || keyword == "properties";
    if (of_object || keyword == "items") {
      if (of_object ? value.is_object() : value.is_array())
        add(found, inside(keyword, rule, value, path));
    } else if (!holds(keyword, rule, value)) {
      found.push_back(path + ": " + keyword + " " + rule.dump());
    }
  }
  return found;
}

} // namespace parcelflow::test
