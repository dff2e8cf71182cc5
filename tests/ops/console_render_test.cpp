// How answers look: for a person with nc, and for a program.
#include "ops/console_render.hpp"
#include "ops/text_table.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace parcelflow;
using ops::present;
using ops::verb;

namespace {

codec::json_tree tree(std::string_view text) {
  auto parsed = codec::parse_tree(text);
  REQUIRE(parsed.ok());
  return *parsed;
}

} // namespace

TEST_CASE("with --json an answer is exactly its one line") {
  CHECK(present({true, 0}, verb::show, R"({"a":1})") == "{\"a\":1}\n");
}

TEST_CASE("an object is one line a member, nested ones indented") {
  CHECK(present({}, verb::show,
                R"({"id":"dl-1","seen":2,"of":{"x":true},"none":null,)"
                R"("list":["a","b"],"steps":[{"at":"q","to":"open"},)"
                R"({"at":"rr"}]})")
        == "id    dl-1\n"
           "seen  2\n"
           "of:\n"
           "  x  true\n"
           "none  -\n"
           "list  a, b\n"
           "steps:\n"
           "  at  to\n"
           "  q   open\n"
           "  rr  -\n"
           ".\n");
}

TEST_CASE("items with objects inside are blocks instead of a table") {
  CHECK(present({}, verb::evidence,
                R"({"events":[{"id":"e1","receipt":{"at":"t"}},{"id":"e2"}]})")
        == "events:\n"
           "  - id  e1\n"
           "    receipt:\n"
           "      at  t\n"
           "  - id  e2\n"
           ".\n");
}

TEST_CASE("a list is a table, its total before, its cursor after") {
  CHECK(present({}, verb::find,
                R"({"items":[{"a":"1","b":"long"},{"a":"22"}],"total":2,)"
                R"("nextCursor":"xyz"})")
        == "total  2\n"
           "a   b\n"
           "1   long\n"
           "22  -\n"
           "more: cursor=xyz\n"
           ".\n");
  CHECK(present({}, verb::find, R"({"items":[]})") == "none\n.\n");
}

TEST_CASE("a table fits the width that was asked for") {
  const auto items = tree(
    R"([{"id":"short","reason":"a very long sentence that nobody needs"}])");
  constexpr ops::column both[] = {{"ID", "id"}, {"REASON", "reason"}};
  const auto text = ops::table_of(items, both, 30);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    CHECK(line.size() <= 30 + 2); // "…" has three bytes
  CHECK(text.find("short") != std::string::npos);
  CHECK(text.find("…") != std::string::npos);
  CHECK(ops::table_of(items, both, 0).find("needs") != std::string::npos);
}

TEST_CASE("a line that begins with a dot does not end an answer") {
  CHECK(ops::present_text({}, ".\n..x\ny") == "..\n...x\ny\n.\n");
}

TEST_CASE("what strangers wrote moves no cursor") {
  const auto shown =
    ops::cell_of(tree("[\"a\\u001b[31mb\\nc\\u0085d\"]").members.front().value);
  CHECK(shown == "a [31mb c  d");
}

TEST_CASE("times are shown without their T and Z") {
  const auto value = tree(R"(["2026-11-30T19:00:00.000Z"])");
  CHECK(ops::cell_of(value.members.front().value) == "2026-11-30 19:00:00.000");
}

TEST_CASE("a verdict of the tail is one line, and lost ones are counted") {
  CHECK(
    ops::present_row({}, verb::tail,
                     R"({"at":"t","verdict":"gap","consumer":"c",)"
                     R"("aggregateId":"o","aggregateSequence":3,"eventId":"e",)"
                     R"("via":"delivery"})")
    == "t  gap  c  o  3  e  delivery\n");
  CHECK(ops::present_row({}, verb::tail, R"({"notShown":7})")
          .starts_with("7 more, not shown"));
}
