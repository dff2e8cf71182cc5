#include "codec/cursor.hpp"
#include "support/digest.hpp"

#include <doctest/doctest.h>

#include <string>

using parcelflow::codec::cursor_scope;
using parcelflow::codec::cursor_sealer;

namespace {

const cursor_sealer sealer(std::string(32, 'k'));
constexpr cursor_scope scope{"orders", "acme", "state-"};

} // namespace

TEST_CASE("a cursor opens where it was sealed") {
  for (const auto& position :
       {std::string("ord-1"), std::string(), std::string("a\0b", 3)})
    CHECK(sealer.open(scope, sealer.seal(scope, position)) == position);
}

TEST_CASE("a cursor does not open for another tenant, list or filter") {
  const auto text = sealer.seal(scope, "ord-1");
  CHECK_FALSE(sealer.open({"orders", "globex", "state-"}, text).has_value());
  CHECK_FALSE(sealer.open({"stock", "acme", "state-"}, text).has_value());
  CHECK_FALSE(sealer.open({"orders", "acme", "state=1:x"}, text).has_value());
  // The parts are framed: moving a letter between them is another scope.
  CHECK_FALSE(sealer.open({"ordersa", "cme", "state-"}, text).has_value());
}

TEST_CASE("a cursor that was changed in any character does not open") {
  const auto text = sealer.seal(scope, "ord-1");
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto changed = text;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    CHECK_FALSE(sealer.open(scope, changed).has_value());
    CHECK_FALSE(sealer.open(scope, text.substr(0, at)).has_value());
  }
}

TEST_CASE("another key opens nothing") {
  const cursor_sealer other(std::string(32, 'x'));
  CHECK_FALSE(other.open(scope, sealer.seal(scope, "ord-1")).has_value());
  CHECK(other.veil("7") != sealer.veil("7"));
}

TEST_CASE("a veiled value can be compared and not read") {
  CHECK(sealer.veil("7") == sealer.veil("7"));
  CHECK(sealer.veil("7") != sealer.veil("8"));
  CHECK(sealer.veil("7").size() == 16);
}

TEST_CASE("a cursor does not show its position") {
  const std::string position = "4711-and-a-position-longer-than-one-block-4711";
  const auto cursor = sealer.seal(scope, position);
  const auto bytes = parcelflow::support::bytes_of_base64url(cursor);
  REQUIRE(bytes.has_value());
  CHECK(bytes->find("4711") == std::string::npos);
  CHECK(sealer.open(scope, cursor) == position);
  CHECK(sealer.seal(scope, position) == cursor);
}
