// A JSON document as a plain tree, members in their order: for showing answers
// of our own as text, and for clients that read them. No nlohmann type here.
// Thread rule: plain values. Errors: invalid_request, naming the byte.
#pragma once

#include "domain/failure.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::codec {

struct json_member;

struct json_tree {
  enum class kind : std::uint8_t { null, scalar, text, object, array };

  kind is = kind::null;
  std::string value; ///< a text, or a number or boolean as JSON writes it
  /// An object's members; an array's items, without names.
  std::vector<json_member> members;

  /// The member at a path such as "counts.createdNow"; a null if there is none.
  [[nodiscard]] const json_tree& at(std::string_view path) const;
  /// A number, or 0.
  [[nodiscard]] std::uint64_t number() const;
  [[nodiscard]] bool is_container() const noexcept {
    return is == kind::object || is == kind::array;
  }
};

struct json_member {
  std::string name;
  json_tree value;
};

[[nodiscard]] domain::outcome<json_tree> parse_tree(std::string_view text);
/// The other way, compact, appended: what was read is what is written.
void append_json(std::string& to, const json_tree& of);

} // namespace parcelflow::codec
