#include "tests/support/canaries.hpp"

using parcelflow::test::canaries;

TEST_CASE("a canary is found whole, half, and in the middle of a text") {
  canaries planted;
  const auto token = planted.plant("token", "pft_");
  const auto other = planted.plant("other");
  CHECK(token != other);
  using names = std::vector<std::string>;
  CHECK(planted.leaks_in("nothing of it") == names{});
  CHECK(planted.leaks_in("pft_") == names{});
  CHECK(planted.leaks_in("{\"msg\":\"" + token + "\"}") == names{"token"});
  CHECK(planted.leaks_in(other.substr(0, 16)) == names{"other"});
  CHECK(planted.leaks_in(other.substr(16) + token) == names{"token", "other"});
  CHECK(planted.leaks_in(other.substr(0, 15)) == names{});
}
