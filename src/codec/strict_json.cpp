#include "codec/strict_json.hpp"

#include "codec/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace parcelflow::codec {
namespace {

using domain::failure;
using domain::fault;
using nlohmann::json;

/// Lets the parser's handler see how far the parser has read: nlohmann tells
/// the position of syntax errors, but not of what a handler refuses.
class tracked_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  tracked_iterator(const char* at, const char*& read_up_to)
    : at_(at), read_up_to_(&read_up_to) {}
  reference operator*() const { return *at_; }
  tracked_iterator& operator++() {
    *read_up_to_ = ++at_;
    return *this;
  }
  tracked_iterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const tracked_iterator& a, const tracked_iterator& b) {
    return a.at_ == b.at_;
  }

private:
  const char* at_;
  const char** read_up_to_;
};

/// What nlohmann says, without its "last read": that would quote the payload.
std::string syntax_of(std::string_view what) {
  if (const auto cut = what.find("; last read: "); cut != what.npos)
    what = what.substr(0, cut);
  if (const auto cut = what.find(" - "); cut != what.npos)
    what.remove_prefix(cut + 3);
  return std::string(what);
}

/// Builds the value from nlohmann's events and refuses what its own builder
/// lets pass. The member names are nlohmann's SAX interface.
class strict_builder {
public:
  strict_builder(const char* begin, const char* const& read_up_to,
                 const json_limits& limits)
    : begin_(begin), read_up_to_(read_up_to), limits_(limits) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string& token) {
    if (token.find_first_of(".eE") == token.npos)
      return refuse("an integer does not fit into 64 bits", number_end());
    return put(value);
  }
  bool string(std::string& value) {
    return no_nul(value) && put(std::move(value));
  }
  bool binary(std::vector<std::uint8_t>&) {
    return refuse("binary is not JSON", position());
  }

  bool start_object(std::size_t) { return open(json::object()); }
  bool key(std::string& name) {
    if (!no_nul(name))
      return false;
    const auto [member, fresh] = open_.back()->emplace(name, nullptr);
    if (!fresh)
      return refuse("the member " + shown_name(name) + " appears twice",
                    position());
    slot_ = &*member;
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& why) {
    constexpr int number_overflow = 406;
    if (why.id == number_overflow)
      return refuse("a number is too large", number_end());
    return refuse(syntax_of(why.what()), position);
  }

  json take() { return std::move(root_); }
  fault take_fault() { return std::move(fault_); }

private:
  [[nodiscard]] std::size_t position() const {
    return static_cast<std::size_t>(read_up_to_ - begin_);
  }
  /// A number is known to have ended only by the byte after it, if any.
  [[nodiscard]] std::size_t number_end() const {
    auto end = position();
    while (end > 1
           && std::isdigit(static_cast<unsigned char>(begin_[end - 1])) == 0)
      --end;
    return end;
  }
  bool refuse(const std::string& what, std::size_t at) {
    fault_ = {failure::invalid_request, "not acceptable JSON: " + what
                                          + " at byte " + std::to_string(at)};
    return false;
  }
  bool no_nul(const std::string& text) {
    return text.find('\0') == text.npos
           || refuse("U+0000 in a string", position());
  }
  json& place(json value) {
    if (open_.empty())
      return root_ = std::move(value);
    if (open_.back()->is_array())
      return open_.back()->emplace_back(std::move(value));
    return *slot_ = std::move(value);
  }
  bool put(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json container) {
    if (open_.size() >= limits_.depth_max)
      return refuse("nested deeper than " + std::to_string(limits_.depth_max),
                    position());
    open_.push_back(&place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const char* begin_;
  const char* const& read_up_to_;
  const json_limits& limits_;
  json root_;
  json* slot_ = nullptr; ///< the value of the member that was named last
  std::vector<json*> open_;
  fault fault_;
};

/// What nlohmann would not see: it skips a byte order mark and takes a NUL
/// byte for the end of the text.
std::optional<fault> unseen_by_parser(std::string_view text,
                                      const json_limits& limits) {
  if (text.size() > limits.bytes_max)
    return fault{failure::payload_too_large,
                 std::to_string(text.size()) + " bytes of JSON; at most "
                   + std::to_string(limits.bytes_max) + " are allowed"};
  if (text.starts_with("\xEF\xBB\xBF"))
    return fault{failure::invalid_request,
                 "not acceptable JSON: a byte order mark at byte 1"};
  if (const auto nul = text.find('\0'); nul != text.npos)
    return fault{failure::invalid_request,
                 "not acceptable JSON: a NUL byte at byte "
                   + std::to_string(nul + 1)};
  return std::nullopt;
}

} // namespace

domain::outcome<json> parse_strict(std::string_view text,
                                   const json_limits& limits) {
  if (auto why = unseen_by_parser(text, limits))
    return std::move(*why);
  try {
    const char* read_up_to = text.data();
    const char* end = text.data() + text.size();
    strict_builder builder(text.data(), read_up_to, limits);
    if (json::sax_parse(tracked_iterator(text.data(), read_up_to),
                        tracked_iterator(end, read_up_to), &builder))
      return builder.take();
    return builder.take_fault();
  } catch (const std::exception&) {
    return {failure::internal, "the JSON could not be read: out of memory"};
  }
}

namespace {

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\n\r", at), text.size());
}

/// One past the closing quote of the string that opens at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] != '"' && text[at] != '{' && text[at] != '[')
    return std::min(text.find_first_of(",]} \t\n\r", at), text.size());
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
    case '"': at = skip_string(text, at); break;
    case '{':
    case '[': ++depth, ++at; break;
    case '}':
    case ']': --depth, ++at; break;
    default: ++at; break;
    }
    if (depth == 0)
      break;
  }
  return at;
}

bool names(std::string_view quoted, std::string_view name) {
  if (quoted.find('\\') == quoted.npos)
    return quoted.substr(1, quoted.size() - 2) == name;
  const auto plain = parse_strict(quoted);
  return plain.ok() && plain->is_string()
         && plain->get_ref<const std::string&>() == name;
}

} // namespace

std::optional<std::string_view> find_member(std::string_view object,
                                            std::string_view name) {
  auto at = skip_space(object, 0);
  if (at == object.size() || object[at] != '{')
    return std::nullopt;
  at = skip_space(object, at + 1);
  while (at < object.size() && object[at] == '"') {
    const auto name_end = skip_string(object, at);
    const auto quoted = object.substr(at, name_end - at);
    at = skip_space(object, skip_space(object, name_end) + 1); // the colon
    const auto value_end = skip_value(object, at);
    if (names(quoted, name))
      return object.substr(at, value_end - at);
    at = skip_space(object, value_end);
    if (at < object.size() && object[at] == ',')
      at = skip_space(object, at + 1);
  }
  return std::nullopt;
}

} // namespace parcelflow::codec
