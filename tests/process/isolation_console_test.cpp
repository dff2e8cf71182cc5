// The isolation grid at the console: every verb × every kind of object × every
// stranger, as isolation_http_test.cpp has it for the routes. The verbs come
// from the console's own table: one without a recipe fails by name.
#include "ops/console_command.hpp"
#include "tests/process/console_user.hpp"
#include "tests/process/isolation.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <regex>

using namespace parcelflow;
using test::console_user;
using test::isolation_world;

namespace {

/// Lines that ask about an object, for which ID stands.
using recipe = std::vector<std::string>;

const std::map<std::string, recipe>& recipes() {
  static const std::map<std::string, recipe> all = {
    {"help", {"help", "help show"}},
    {"auth", {"auth ID"}},
    {"whoami", {"whoami"}},
    {"tenant", {"tenant ID"}},
    {"quit", {}}, // asks nothing, and ends the session
    {"health", {"health"}},
    {"stats", {"stats"}},
    {"tenants", {"tenants"}},
    {"streams", {"streams", "streams consumer=fulfillment-v1"}},
    {"outbox", {"outbox"}},
    {"dead-letters",
     {"dead-letters", "dead-letters order=ID", "dead-letters text=ID"}},
    {"export", {"export", "export order=ID", "export text=ID"}},
    {"show", {"show ID", "show ID payload=yes"}},
    {"find", {"find ID"}},
    {"evidence", {"evidence ID"}},
    {"explain", {"explain ID"}},
    {"plan", {"plan order=ID state=waived"}},
    {"execute", {"execute ID reason=x"}},
    {"cancel", {"cancel ID reason=x"}},
    {"replays", {"replays"}},
    {"progress", {"progress ID"}},
    {"waive", {"waive ID reason=x"}},
    {"skip", {"skip fulfillment-v1 ID 1 reason=x"}},
    {"redirect", {"redirect fulfillment-v1 ID fulfillment-v2 reason=x"}},
    {"resend", {"resend fulfillment-v1 ID", "resend fulfillment-v1 ID 1..1"}},
    {"pause", {"pause stream ID reason=x"}},
    {"resume", {"resume stream ID"}},
    {"pauses", {"pauses"}},
    {"tail", {"tail order=ID"}},
    {"audit", {"audit"}},
    {"log", {"log"}},
    {"verify", {"verify"}},
    {"drain", {"drain reason=x"}},
  };
  return all;
}

/// They answer nobody what is there: a tail waits for what comes, a plan is
/// made later, a pause is of a name, and a tenant is no object.
bool tells_nobody(std::string_view verb) {
  return verb == "tail" || verb == "plan" || verb == "pause" || verb == "resume"
         || verb == "auth" || verb == "tenant";
}

bool names_an_object(const std::string& line) {
  return line.find("ID") != std::string::npos;
}

/// Without what differs from answer to answer to the same line.
std::string steady(const std::string& text) {
  static const std::regex time(R"(\d{4}-\d\d-\d\d[T ][\d:.]+Z?)");
  static const std::regex new_plan(R"(pln-\w+)");
  return std::regex_replace(std::regex_replace(text, time, "<time>"), new_plan,
                            "<plan>");
}

/// The whole answer, without what it echoes.
std::string answer(console_user& who, const std::string& line,
                   const std::string& id) {
  auto asked = line;
  if (const auto at = asked.find("ID"); at != std::string::npos)
    asked.replace(at, 2, id);
  // Any line ends a tail, and is answered then.
  const bool tails = asked.starts_with("tail");
  auto text = who.ask(tails ? asked + "\nhelp quit" : asked);
  CHECK_MESSAGE(!text.empty(), asked);
  if (tails)
    text += who.next_answer();
  if (asked.starts_with("pause ")) // or the next answer lists it too
    (void)who.ask("resume stream " + id);
  return steady(isolation_world::without(text, id));
}

struct stranger {
  std::string name;
  std::unique_ptr<console_user> at;
  bool reaches_both = false; ///< and looks at tn-b
};

/// Logs in, and then the token is revoked.
std::unique_ptr<console_user> stale(isolation_world& at) {
  const auto [token, id] = at.issue();
  at.daemon.send_signal(SIGHUP); // it reads the new token
  auto user = std::make_unique<console_user>(at.daemon, token);
  REQUIRE(test::poll_until(
    [&] { return !user->ask("auth " + token).starts_with("error "); },
    std::chrono::seconds(10)));
  at.revoke(id);
  at.daemon.send_signal(SIGHUP);
  REQUIRE(
    test::poll_until([&] { return user->ask("whoami").starts_with("error "); },
                     std::chrono::seconds(10)));
  return user;
}

std::vector<stranger> strangers(isolation_world& at) {
  std::vector<stranger> all;
  const auto add = [&](const std::string& name, const std::string& token) {
    all.push_back(
      {name, std::make_unique<console_user>(at.daemon, token), false});
  };
  add("foreign", at.foreign);
  add("of both, in tn-b", at.both);
  all.back().reaches_both = true;
  CHECK_FALSE(all.back().at->ask("tenant tn-b").starts_with("error "));
  add("too small", at.small);
  add("revoked", at.revoked);
  add("expired", at.expired);
  all.push_back({"stale", stale(at), false});
  return all;
}

void ask_for_lists(const isolation_world& at, stranger& who) {
  CAPTURE(who.name);
  for (const auto& verb : ops::verbs()) {
    // What is asked by the token, and of no tenant, may name both.
    if (who.reaches_both && verb.about != ops::scope::tenant)
      continue;
    for (const auto& line : recipes().at(std::string(verb.name)))
      if (!names_an_object(line))
        CHECK_FALSE_MESSAGE(
          at.tells_of_an_object(answer(*who.at, line, "nothing")), line);
  }
}

void ask_for_objects(const isolation_world& at, stranger& who) {
  CAPTURE(who.name);
  for (const auto& verb : ops::verbs())
    for (const auto& line : recipes().at(std::string(verb.name))) {
      // A wrong token ends the login, and a few of them the session.
      if (!names_an_object(line) || verb.name == "auth")
        continue;
      CAPTURE(line);
      for (const auto& object : at.objects()) {
        CAPTURE(object.kind);
        const auto hidden = answer(*who.at, line, object.id);
        CHECK(hidden == answer(*who.at, line, object.missing));
        CHECK_FALSE_MESSAGE(at.tells_of_an_object(hidden), hidden);
      }
    }
}

bool owner_can_tell(const isolation_world& at, console_user& owner,
                    const recipe& lines) {
  for (const auto& line : lines)
    for (const auto& object : at.objects())
      if (names_an_object(line)
          && answer(owner, line, object.id)
               != answer(owner, line, object.missing))
        return true;
  return false;
}

} // namespace

TEST_CASE("every verb has a recipe, and every recipe its verb") {
  std::size_t found = 0;
  for (const auto& verb : ops::verbs()) {
    const std::string name(verb.name);
    CHECK_MESSAGE(recipes().contains(name),
                  name << " is not in the isolation grid");
    found += recipes().count(name);
  }
  CHECK(found == recipes().size());
}

TEST_CASE("to a stranger an object is as one that does not exist, by verbs") {
  isolation_world at;
  const auto before = at.rows();
  at.start();
  {
    auto all = strangers(at);
    for (auto& who : all)
      ask_for_lists(at, who);
    for (auto& who : all)
      ask_for_objects(at, who);
  }
  at.stop();
  at.has_still(before);
  at.start();
  console_user owner(at.daemon, at.owner);
  for (const auto& verb : ops::verbs()) {
    const auto& lines = recipes().at(std::string(verb.name));
    if (std::any_of(lines.begin(), lines.end(), names_an_object)
        && verb.name != "auth")
      CHECK_MESSAGE(owner_can_tell(at, owner, lines) != tells_nobody(verb.name),
                    verb.name << ": can its owner tell?");
  }
  at.stop();
}
