// Writing JSON by appending: for the few documents whose bytes must be the same
// for ever (event data, envelopes) and that are made for every order.
// Thread rule: plain values. Errors: none; texts must be UTF-8, which all that
// came in through `parse_strict` is.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace parcelflow::codec {

/// Appends `text` as a JSON string: quotes, backslash and control characters
/// escaped, everything else as it is.
void append_quoted(std::string& out, std::string_view text);

/// A name from outside as an error may show it: quoted, printable ASCII only,
/// shortened.
[[nodiscard]] std::string shown_name(std::string_view name);

/// Appends one object, member by member in the order of the calls, compact.
/// The closing brace comes with `close`.
class object_writer {
public:
  explicit object_writer(std::string& out) : out_(out) { out_ += '{'; }

  object_writer& text(std::string_view name, std::string_view value) {
    append_quoted(member(name), value);
    return *this;
  }
  object_writer& number(std::string_view name, std::integral auto value) {
    member(name) += std::to_string(value);
    return *this;
  }
  /// `value` is JSON already.
  object_writer& raw(std::string_view name, std::string_view value) {
    member(name) += value;
    return *this;
  }
  /// Appends the name; the caller appends the value to the same string.
  std::string& member(std::string_view name);
  void close() { out_ += '}'; }

private:
  std::string& out_;
  bool first_ = true;
};

} // namespace parcelflow::codec
