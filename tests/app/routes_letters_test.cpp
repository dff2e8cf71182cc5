// The export of dead letters over HTTP: one filter grammar, so its lines are
// the list's items, as many as the list's total says, and never a payload.
#include "tests/app/api_world.hpp"
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

using namespace parcelflow;
using nlohmann::json;
using test::api_world;

namespace {

struct letters_world {
  bool fails = true;
  api_world w;
  std::string order;

  letters_world()
    : w([](app::config& c) { c.consumer.attempts_max = 1; },
        [this](app::seams& with) {
          with.adjust_spec = test::failing_effect(fails);
        }) {
    for (const std::string tenant : {"acme", "globex"})
      w.engine.stock(tenant, "sku-1", 100);
    for (int i = 0; i < 12; ++i)
      order = w.engine.accepted("acme", "k" + std::to_string(i));
    (void)w.engine.accepted("globex", "k1");
  }
  http::response export_of(const std::string& query) {
    return w.get("resp", "/v1/dead-letters/export" + query);
  }
};

/// Each line as JSON.
std::vector<json> lines_of(const std::string& body) {
  std::vector<json> lines;
  std::istringstream in(body);
  for (std::string line; std::getline(in, line);)
    lines.push_back(json::parse(line));
  return lines;
}

} // namespace

TEST_CASE("an export has a line for each that the list counts") {
  letters_world s;
  const std::vector<std::string> queries = {
    "",
    "?state=open",
    "?state=resolved",
    "?cause=ATTEMPTS_EXHAUSTED&consumer=fulfillment-v1",
    "?type=OrderAccepted&version=1",
    "?order=" + s.order,
    "?since=1h",
    "?until=1h",
    "?text=" + s.order,
  };
  std::set<std::size_t> sizes;
  for (const auto& query : queries) {
    INFO(query);
    const auto list =
      json::parse(s.w.get("resp", "/v1/dead-letters" + query).body);
    const auto all = s.export_of(query);
    REQUIRE_MESSAGE(all.status == 200, all.body);
    const auto lines = lines_of(all.body);
    CHECK(lines.size() == list.at("total"));
    REQUIRE(lines.size() == list.at("items").size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CHECK(lines[i].at("deadLetterId")
            == list.at("items").at(i).at("deadLetterId"));
      CHECK(lines[i].at("attempts").size() == 1);
      CHECK(lines[i].at("steps").size() == 1);
      CHECK(lines[i].at("scope") == "acme");
      CHECK_FALSE(lines[i].contains("payload"));
    }
    CHECK(all.body.find("unitPriceMinor") == std::string::npos);
    sizes.insert(lines.size());
  }
  CHECK(sizes == std::set<std::size_t>{0, 1, 12}); // the filters do filter
}

TEST_CASE("an export that would be too large is refused by name") {
  letters_world s;
  s.w.export_letters_max = 11;
  s.w.serve();
  const auto no = s.export_of("");
  CHECK(no.status == 422);
  const auto problem = json::parse(no.body);
  CHECK(problem.at("type") == "urn:parcelflow:problem:export_too_large");
  CHECK(problem.at("detail").get<std::string>().find("12 match")
        != std::string::npos);
  CHECK(lines_of(s.export_of("?order=" + s.order).body).size() == 1);
}

TEST_CASE("an export is a responder's, and takes the filter alone") {
  letters_world s;
  CHECK(s.w.get("op", "/v1/dead-letters/export").status == 403);
  CHECK(s.export_of("?limit=1").status == 400);
  CHECK(s.export_of("?cause=NOTHING").status == 400);
  CHECK(lines_of(s.w.get("other", "/v1/dead-letters/export").body).size() == 1);
  const auto wrong = s.w.send("resp", "POST", "/v1/dead-letters/export");
  CHECK(wrong.status == 405);
  for (const auto& [name, value] : wrong.headers)
    if (name == "Allow")
      CHECK(value == "GET");
}
