// Taking a parsed JSON object apart, member by member, with one rule each. The
// first rule that is broken is remembered with the member's path ("lines[2].sku
// must be …"); readers then yield zeros, and the caller looks at `failed` once.
// Included by .cpp files of this folder only: it brings all of nlohmann.
// Thread rule: plain values. Errors: the failure code given at the start.
#pragma once

#include "domain/failure.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::codec {

/// A test of a text and what to say when it fails, after "must be ".
struct text_rule {
  bool (*holds)(std::string_view);
  std::string_view wording;
};

class member_reader {
public:
  member_reader(const nlohmann::json& object, domain::failure code,
                std::string path = {});

  std::string text(std::string_view name, const text_rule& rule);
  /// Empty if the member is absent.
  std::string optional_text(std::string_view name, const text_rule& rule);
  std::int64_t integer(std::string_view name, std::int64_t min,
                       std::int64_t max);
  /// The member, if it is an object; nullptr after a failure.
  const nlohmann::json* object(std::string_view name);
  /// The member, if it is an array of 1 to `size_max`; nullptr after a failure.
  const nlohmann::json* array(std::string_view name, std::size_t size_max);
  /// Refuses every member that is not named here.
  void only(std::initializer_list<std::string_view> names);

  void fail(std::string detail);
  /// Takes over the failure of a reader of something inside.
  void fail_with(const member_reader& inner);
  [[nodiscard]] bool failed() const noexcept { return why_.has_value(); }
  [[nodiscard]] const domain::fault& why() const { return *why_; }
  [[nodiscard]] std::string path_of(std::string_view name) const;

private:
  const nlohmann::json* find(std::string_view name);

  const nlohmann::json& object_;
  domain::failure code_;
  std::string path_;
  std::optional<domain::fault> why_;
};

} // namespace parcelflow::codec
