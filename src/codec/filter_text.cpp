#include "codec/filter_text.hpp"

#include "codec/json_text.hpp"
#include "codec/utc_time.hpp"
#include "support/json_text.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::codec {

using domain::dead_letter_cause;
using domain::dead_letter_filter;
using domain::dead_letter_state;
using domain::failure;
using support::unix_ms;

namespace {

constexpr std::size_t value_bytes_max = 200;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || text.front() == '-' || parsed.ec != std::errc()
      || parsed.ptr != end)
    return std::nullopt;
  return value;
}

template <class Value>
std::optional<Value> value_named(std::string_view name, Value last) {
  for (int i = 1; i <= static_cast<int>(last); ++i)
    if (domain::to_string(static_cast<Value>(i)) == name)
      return static_cast<Value>(i);
  return std::nullopt;
}

/// "open, replaying, resolved or waived".
template <class Value>
std::string names_up_to(Value last) {
  std::string names;
  for (int i = 1; i <= static_cast<int>(last); ++i) {
    if (i > 1)
      names += i == static_cast<int>(last) ? " or " : ", ";
    names += domain::to_string(static_cast<Value>(i));
  }
  return names;
}

bool is_plain_text(std::string_view text) {
  if (text.empty() || text.size() > value_bytes_max)
    return false;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = support::utf8_length_at(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20U || byte == 0x7FU)
      return false;
    at += length;
  }
  return true;
}

domain::fault refusal(std::string_view name, const std::string& allowed) {
  return {failure::invalid_request, std::string(name) + " must be " + allowed};
}

domain::outcome<unix_ms> time_of(std::string_view name, std::string_view text,
                                 unix_ms now) {
  auto at = parse_utc(text);
  if (!at)
    if (const auto age = parse_duration(text))
      at = now - *age;
  if (!at || *at <= 0)
    return refusal(name, "a time such as 2026-11-30T19:00:00Z, or an age such "
                         "as 15m, 2h or 7d, and after 1970");
  return *at;
}

/// One term into the filter. The name is one of the grammar's.
domain::status take_choice(dead_letter_filter& into, std::string_view name,
                           std::string_view value) {
  if (name == "state") {
    into.state = value_named(value, dead_letter_state::waived);
    if (!into.state)
      return refusal(name, names_up_to(dead_letter_state::waived));
  } else if (name == "cause") {
    into.cause = value_named(value, dead_letter_cause::publish_refused);
    if (!into.cause)
      return refusal(name, names_up_to(dead_letter_cause::publish_refused));
  } else if (name == "version") {
    into.event_version = number_of<std::uint32_t>(value);
    if (!into.event_version)
      return refusal(name, "a whole number from 0 to 4294967295");
  }
  return domain::done();
}

domain::status take_term(dead_letter_filter& into, std::string_view name,
                         const std::string& value, unix_ms now) {
  if (name == "state" || name == "cause" || name == "version")
    return take_choice(into, name, value);
  if (name == "since" || name == "until") {
    const auto at = time_of(name, value, now);
    if (!at)
      return at.why();
    (name == "since" ? into.since : into.until) = *at;
    return domain::done();
  }
  if (!is_plain_text(value))
    return refusal(name, "1 to " + std::to_string(value_bytes_max)
                           + " bytes of text without control characters");
  (name == "consumer" ? into.consumer
   : name == "type"   ? into.event_type
   : name == "order"  ? into.aggregate_id
                      : into.text) = value;
  return domain::done();
}

/// Takes a value from the front of `rest`: a word, or what stands in quotes.
domain::outcome<std::string> take_value(std::string_view& rest) {
  std::string value;
  if (!rest.starts_with('"')) {
    const auto end = std::min(rest.find(' '), rest.size());
    value = rest.substr(0, end);
    rest.remove_prefix(end);
    if (value.find('"') != std::string::npos)
      return {failure::invalid_request,
              "a double quote stands around a whole value only"};
    return value;
  }
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) {
      value += rest[++at];
    } else if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      if (!rest.empty() && rest.front() != ' ')
        return {failure::invalid_request,
                "after a closing quote comes a space or the end"};
      return value;
    } else {
      value += rest[at];
    }
  }
  return {failure::invalid_request, "a double quote is not closed"};
}

std::string as_word(std::string_view value) {
  if (value.find_first_of(" \"\\") == std::string_view::npos)
    return std::string(value);
  std::string word = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      word += '\\';
    word += c;
  }
  return word + '"';
}

} // namespace

const std::vector<std::string_view>& filter_names() {
  static const std::vector<std::string_view> names{
    "state", "cause", "consumer", "type", "version",
    "order", "since", "until",    "text"};
  return names;
}

domain::outcome<dead_letter_filter> parse_filter(const filter_terms& terms,
                                                 unix_ms now) {
  const auto& names = filter_names();
  dead_letter_filter filter;
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : terms) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string allowed;
      for (const auto one : names)
        allowed.append(allowed.empty() ? "" : ", ").append(one);
      return {failure::invalid_request, "there is no filter term "
                                          + shown_name(name)
                                          + "; there are: " + allowed};
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return {failure::invalid_request, name + " must stand once"};
    seen.emplace_back(name);
    if (auto taken = take_term(filter, name, value, now); !taken)
      return taken.why();
  }
  if (filter.until != 0 && filter.since >= filter.until)
    return {failure::invalid_request, "since must be before until"};
  return filter;
}

domain::outcome<filter_terms> split_terms(std::string_view text) {
  filter_terms terms;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty())
      return terms;
    const auto equals = text.find('=');
    const auto space = text.find(' ');
    if (equals == std::string_view::npos || equals == 0 || equals > space)
      return {failure::invalid_request,
              "a filter term is name=value, not "
                + shown_name(text.substr(0, std::min(space, text.size())))};
    std::string name(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    auto value = take_value(text);
    if (!value)
      return value.why();
    terms.emplace_back(std::move(name), *std::move(value));
  }
}

std::string filter_text(const dead_letter_filter& of) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      text.append(text.empty() ? "" : " ")
        .append(name)
        .append("=")
        .append(as_word(value));
  };
  const auto at = [](unix_ms when) {
    return when == 0 ? std::string() : support::to_rfc3339(when);
  };
  add("state", of.state ? domain::to_string(*of.state) : "");
  add("cause", of.cause ? domain::to_string(*of.cause) : "");
  add("consumer", of.consumer);
  add("type", of.event_type);
  add("version", of.event_version ? std::to_string(*of.event_version) : "");
  add("order", of.aggregate_id);
  add("since", at(of.since));
  add("until", at(of.until));
  add("text", of.text);
  return text;
}

std::optional<unix_ms> parse_duration(std::string_view text) {
  constexpr std::pair<std::string_view, unix_ms> units[] = {
    {"ms", 1},
    {"s", 1000},
    {"m", 60 * 1000},
    {"h", 3600'000},
    {"d", 24 * 3600'000}};
  constexpr std::uint64_t count_max = 1'000'000;
  const auto digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos || digits == 0)
    return std::nullopt;
  const auto count = number_of<std::uint64_t>(text.substr(0, digits));
  for (const auto& [unit, ms] : units)
    if (count && *count <= count_max && text.substr(digits) == unit)
      return static_cast<unix_ms>(*count) * ms;
  return std::nullopt;
}

} // namespace parcelflow::codec
