// Deaths by the dozen, and what is left of the promises: scripts/crash-loop.
#include "tests/process/crash_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace parcelflow;

namespace {

std::string given(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// The verdict is not blind: wrong books do not fit the same directory.
void sees_what_is_wrong(const test::crash_loop& loop) {
  const std::pair nobody(std::string("tn-a"), std::string("nobody"));
  auto books = loop.books();
  REQUIRE_FALSE(books.orders.empty());
  books.orders[nobody] = {"ord-nobody", 1, {}};
  CHECK(test::judge(loop.directory(), books).lost == 1);
  books.orders.erase(nobody);
  books.orders.erase(books.orders.begin());
  CHECK(test::judge(loop.directory(), books).unexpected == 1);
  books = loop.books();
  const auto open =
    std::find_if(books.orders.begin(), books.orders.end(),
                 [](const auto& one) { return one.second.closed_by.empty(); });
  REQUIRE(open != books.orders.end());
  ++open->second.quantity;
  CHECK(test::judge(loop.directory(), books).wrong.size() == 1);
}

} // namespace

TEST_CASE("whatever kills it, no order is lost, made up or served twice") {
  test::crash_settings settings;
  settings.kills = std::stoull(given("CRASH_LOOP_KILLS", "25"));
  settings.committer = given("CRASH_LOOP_COMMITTER", "");
  // It names what is done when; what that hits is up to the machine.
  settings.seed = static_cast<std::uint32_t>(std::stoul(
    given("CRASH_LOOP_SEED", std::to_string(std::random_device{}()))));
  CAPTURE(settings.seed);
  test::crash_loop loop(settings);
  CAPTURE(loop.kept_at());
  const auto wrong = loop.run();
  std::cout << loop.report() << std::endl;
  for (const auto& one : wrong)
    FAIL_CHECK(one);
  REQUIRE(wrong.empty());
  CHECK(loop.figures().at_a_point > 0);
  sees_what_is_wrong(loop);
}

TEST_CASE("the books see an answer that must not be") {
  const test::temp_directory files;
  const auto file = files / "ledger";
  test::crash_ledger ledger(file);
  const auto ask = [&](test::crash_verb verb, int status,
                       const std::string& id) {
    const auto number = ledger.next_number();
    ledger.intend({number, verb, "tn-a", "k", 1});
    ledger.learn(number, status, id);
  };
  ask(test::crash_verb::place, 201, "ord-1");
  ask(test::crash_verb::place, 201, "ord-1");
  ask(test::crash_verb::cancel, 200, "ord-1");
  ask(test::crash_verb::complete, 409, "ord-1");
  CHECK(test::read_books(file).wrong.empty());
  ask(test::crash_verb::place, 201, "ord-2"); // one key, two orders
  CHECK(test::read_books(file).wrong.size() == 1);
  ask(test::crash_verb::complete, 200, "ord-1"); // cancelled before
  CHECK(test::read_books(file).wrong.size() == 2);
  ask(test::crash_verb::cancel, 0, ""); // and never asked again
  CHECK(test::read_books(file).wrong.size() == 3);
}
