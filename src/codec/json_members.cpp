#include "codec/json_members.hpp"

#include "codec/json_text.hpp"

#include <algorithm>

namespace parcelflow::codec {

using nlohmann::json;

member_reader::member_reader(const json& object, domain::failure code,
                             std::string path)
  : object_(object), code_(code), path_(std::move(path)) {
  if (!object_.is_object())
    fail((path_.empty() ? "the text" : path_) + " must be a JSON object");
}

void member_reader::fail(std::string detail) {
  if (!why_)
    why_ = domain::fault{code_, std::move(detail)};
}

void member_reader::fail_with(const member_reader& inner) {
  if (!why_)
    why_ = inner.why_;
}

std::string member_reader::path_of(std::string_view name) const {
  std::string path = path_;
  if (!path.empty())
    path += '.';
  return path.append(name);
}

const json* member_reader::find(std::string_view name) {
  if (failed())
    return nullptr;
  const auto found = object_.find(name);
  if (found != object_.end())
    return &*found;
  fail(path_of(name) + " is missing");
  return nullptr;
}

std::string member_reader::text(std::string_view name, const text_rule& rule) {
  const auto* value = find(name);
  if (value == nullptr)
    return {};
  const auto* text = value->get_ptr<const std::string*>();
  if (text != nullptr && rule.holds(*text))
    return *text;
  fail(path_of(name).append(" must be ").append(rule.wording));
  return {};
}

std::string member_reader::optional_text(std::string_view name,
                                         const text_rule& rule) {
  if (!failed() && !object_.contains(name))
    return {};
  return text(name, rule);
}

std::int64_t member_reader::integer(std::string_view name, std::int64_t min,
                                    std::int64_t max) {
  const auto* value = find(name);
  if (value == nullptr)
    return 0;
  // What nlohmann holds as unsigned may lie above int64.
  const bool fits =
    value->is_number_integer()
    && (!value->is_number_unsigned()
        || value->get<std::uint64_t>() <= static_cast<std::uint64_t>(
             std::numeric_limits<std::int64_t>::max()));
  const auto number = fits ? value->get<std::int64_t>() : 0;
  if (fits && number >= min && number <= max)
    return number;
  fail(path_of(name) + " must be an integer from " + std::to_string(min)
       + " to " + std::to_string(max));
  return 0;
}

const json* member_reader::object(std::string_view name) {
  const auto* value = find(name);
  if (value == nullptr || value->is_object())
    return value;
  fail(path_of(name) + " must be a JSON object");
  return nullptr;
}

const json* member_reader::array(std::string_view name, std::size_t size_max) {
  const auto* value = find(name);
  if (value == nullptr)
    return nullptr;
  if (value->is_array() && !value->empty() && value->size() <= size_max)
    return value;
  fail(path_of(name) + " must be an array of 1 to " + std::to_string(size_max)
       + " elements");
  return nullptr;
}

void member_reader::only(std::initializer_list<std::string_view> names) {
  if (failed())
    return;
  for (const auto& [name, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      continue;
    const auto of = path_.empty() ? std::string() : " of " + path_;
    fail("unknown member " + shown_name(name) + of);
    return;
  }
}

} // namespace parcelflow::codec
