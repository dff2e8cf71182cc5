// One conversation with the console, byte by byte, without a socket.
#include "ops/console_session.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>

using namespace parcelflow;
using domain::failure;
using domain::role;

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A session with three tokens, whose peer reads at once.
struct talk {
  explicit talk(ops::session_limits limits = {}) {
    tokens["op"] = {"op", role::tenant_operator, {false, {"tn-a"}}};
    tokens["resp"] = {"resp", role::responder, {false, {"tn-a"}}};
    tokens["two"] = {"two", role::responder, {false, {"tn-a", "tn-b"}}};
    tokens["adm-a"] = {"adm-a", role::admin, {false, {"tn-a"}}};
    tokens["adm"] = {"adm", role::admin, {true, {}}};
    ops::session_access access;
    access.authenticate = [this](std::string_view token) {
      return by_id(token);
    };
    access.still_valid = access.authenticate;
    access.check_tenant = [](std::string_view name) {
      if (name == "tn-gone")
        return domain::status{failure::tenant_suspended, "suspended"};
      if (name != "tn-a" && name != "tn-b")
        return domain::status{failure::unknown_tenant, "unknown"};
      return domain::done();
    };
    access.denied = [this](const auto& one) { denials.push_back(one); };
    access.unauthenticated = [this] { ++failed; };
    session = std::make_unique<ops::console_session>(limits, access);
    session->open(now);
    greeting = output();
  }

  domain::outcome<domain::identity> by_id(std::string_view token) {
    const auto found = tokens.find(std::string(token));
    if (found == tokens.end())
      return {failure::unauthenticated, "no"};
    return found->second;
  }

  std::string output() {
    auto bytes = session->take_output(now);
    if (!bytes.empty())
      session->sent(now);
    return bytes;
  }

  std::string say(std::string_view bytes) {
    session->receive(bytes, now);
    std::string all;
    for (auto some = output(); !some.empty(); some = output())
      all += some;
    return all;
  }

  /// A line whose command its caller may give.
  ops::admitted_command admitted(const std::string& line) {
    const auto said = say(line + "\n");
    auto command = session->take_command();
    REQUIRE_MESSAGE(command.has_value(), said);
    return *command;
  }

  std::string log_in(const std::string& token) {
    return say("auth " + token + "\n");
  }

  ops::unix_ms now = 1000;
  std::map<std::string, domain::identity> tokens;
  std::vector<domain::denial> denials;
  int failed = 0;
  std::string greeting;
  std::unique_ptr<ops::console_session> session;
};

} // namespace

TEST_CASE("it greets with its protocol's version, as one whole answer") {
  talk at;
  CHECK(at.greeting.starts_with("parcelflow console, protocol 1"));
  CHECK(at.greeting.ends_with("\n.\n"));
}

TEST_CASE("without a login there is help, and nothing else") {
  talk at;
  CHECK(holds(at.say("help\n"), "dead-letters"));
  CHECK(holds(at.say("help skip\n"), "SEQUENCE"));
  for (const auto& one : ops::verbs()) {
    if (one.about == ops::scope::anyone)
      continue;
    std::string line(one.name);
    for (const auto& word : one.words)
      line += word.form == ops::shape::number   ? " 1"
              : word.form == ops::shape::range  ? " 1"
              : word.form == ops::shape::choice ? " relay"
              : line.starts_with("pause") || line.starts_with("resume") ? ""
                                                                        : " x";
    for (const auto& term : one.terms)
      if (term.required)
        line += " " + std::string(term.name) + "=x";
    CAPTURE(line);
    CHECK(at.say(line + "\n").starts_with("error unauthenticated: "));
    CHECK_FALSE(at.session->take_command().has_value());
  }
}

TEST_CASE("a login shows who one is, and a single tenant is chosen") {
  talk at;
  const auto shown = at.log_in("resp");
  CHECK(holds(shown, "responder"));
  CHECK(holds(shown, "tn-a"));
  CHECK(shown.ends_with("\n.\n"));
  CHECK(at.admitted("streams").tenant == "tn-a");
}

TEST_CASE("a token of two tenants names one, and never a third") {
  talk at;
  at.log_in("two");
  CHECK(holds(at.say("streams\n"), "tenant NAME"));
  CHECK(at.say("tenant tn-c\n").starts_with("error forbidden: "));
  CHECK(at.say("tenant tn-secret\n").starts_with("error forbidden: "));
  at.say("tenant tn-b\n");
  CHECK(at.admitted("streams").tenant == "tn-b");
}

TEST_CASE("authority is checked for each command") {
  const std::map<std::string, std::set<std::string>> may = {
    {"whoami --json", {"op", "resp", "adm-a", "adm"}},
    {"health", {"op", "resp", "adm-a", "adm"}},
    {"stats", {"resp", "adm-a", "adm"}},
    {"log", {"resp", "adm-a", "adm"}},
    {"show dl-1", {"resp", "adm-a", "adm"}},
    {"waive dl-1 reason=x", {"resp", "adm-a", "adm"}},
    {"pause tenant reason=x", {"resp", "adm-a", "adm"}},
    {"pause relay reason=x", {"adm"}},
    {"outbox", {"adm"}},
    {"verify", {"adm"}},
    {"audit", {"adm"}},
    {"drain reason=x", {"adm"}},
  };
  for (const auto& row : may)
    for (const std::string token : {"op", "resp", "adm-a", "adm"}) {
      CAPTURE(row.first);
      CAPTURE(token);
      talk at;
      at.log_in(token);
      if (token == "adm")
        at.say("tenant tn-a\n");
      const auto said = at.say(row.first + "\n");
      const bool denied = said.starts_with("error forbidden: ");
      CHECK(denied != row.second.contains(token));
      CHECK(at.denials.size() == (denied ? 1U : 0U));
      CHECK_FALSE((denied && at.session->take_command().has_value()));
    }
}

TEST_CASE("built-in tenants are an admin's over all, to close records only") {
  talk at;
  at.log_in("adm");
  CHECK_FALSE(at.say("tenant ~unattributed\n").starts_with("error"));
  CHECK(at.admitted("dead-letters").tenant == "~unattributed");
  at.session->answer(1, std::string("{}"), at.now);
  at.output();
  for (const auto* line :
       {"skip fulfillment-v1 ord-1 1 reason=x", "pause tenant reason=x",
        "resend fulfillment-v1 ord-1",
        "redirect fulfillment-v1 ord-1 fulfillment-v2 reason=x"})
    CHECK(at.say(std::string(line) + "\n").starts_with("error forbidden: "));
  CHECK(at.admitted("waive dl-1 reason=x").tenant == "~unattributed");
  at.session->answer(2, std::string("{}"), at.now);
  at.output();
  at.say("tenant _control\n");
  CHECK(at.say("waive dl-1 reason=x\n").starts_with("error forbidden: "));
  talk other;
  other.log_in("adm-a");
  CHECK(other.say("tenant _control\n").starts_with("error forbidden: "));
}

TEST_CASE("a suspended tenant is not served") {
  talk at;
  at.tokens["two"].tenants.names.emplace_back("tn-gone");
  at.log_in("two");
  CHECK(at.say("tenant tn-gone\n").starts_with("error tenant_suspended: "));
}

TEST_CASE("a denial names nothing that the client wrote") {
  talk at;
  at.log_in("resp");
  at.say("tenant pft-secret\n");
  REQUIRE(at.denials.size() == 1);
  CHECK(at.denials[0].actor == "resp");
  CHECK(at.denials[0].verb == "tenant");
  CHECK(at.denials[0].tenant.empty());
}

TEST_CASE("a token that was revoked meanwhile is worth nothing") {
  talk at;
  at.log_in("resp");
  at.tokens.erase("resp");
  CHECK(at.say("streams\n").starts_with("error unauthenticated: "));
  at.tokens["resp"] = {"resp", role::responder, {false, {"tn-a"}}};
  CHECK(at.say("streams\n").starts_with("error unauthenticated: log in"));
}

TEST_CASE("a role that was lowered meanwhile counts at once") {
  talk at;
  at.log_in("resp");
  at.tokens["resp"].granted = role::tenant_operator;
  CHECK(at.say("streams\n").starts_with("error forbidden: "));
}

TEST_CASE("failed logins wait longer each time, then the session ends") {
  ops::session_limits limits;
  limits.login_attempts_max = 3;
  limits.login_delay_ms = 100;
  talk at(limits);
  for (const ops::unix_ms delay : {100, 200, 400}) {
    CHECK(at.log_in("wrong").empty());
    CHECK_FALSE(at.session->wants_input());
    CHECK_FALSE(at.session->over());
    CHECK(at.session->next_tick() == at.now + delay);
    at.now += delay - 1;
    at.session->tick(at.now);
    CHECK(at.output().empty());
    at.now += 1;
    at.session->tick(at.now);
    CHECK(at.output().starts_with("error unauthenticated: "));
  }
  CHECK(at.session->over());
  CHECK(at.failed == 3);
  CHECK(at.log_in("resp").empty());
}

TEST_CASE("a failed login ends the login before") {
  ops::session_limits limits;
  limits.login_delay_ms = 0;
  talk at(limits);
  at.log_in("resp");
  at.log_in("wrong");
  at.session->tick(at.now);
  at.output();
  CHECK(at.say("whoami\n").starts_with("error unauthenticated: "));
}

TEST_CASE("half lines wait for their end, with CR or without") {
  talk at;
  CHECK(at.say("he").empty());
  CHECK(at.say("lp ski").empty());
  CHECK(holds(at.say("p\r\nwho"), "SEQUENCE"));
  CHECK(at.say("ami\r\n").starts_with("error unauthenticated: "));
  CHECK(at.say("\n\r\n  \n").empty());
}

TEST_CASE("a line that is too long is refused once, and kept nowhere") {
  ops::session_limits limits;
  limits.line_bytes_max = 300;
  talk at(limits);
  const std::string piece(250, 'x');
  for (int i = 0; i < 100; ++i)
    CHECK(at.say(piece).empty());
  CHECK(at.say("help\n").starts_with("error payload_too_large: "));
  CHECK(holds(at.say("help\n"), "Verbs"));
  CHECK(at.say(std::string(301, 'x') + "\nhelp\n")
          .starts_with("error payload_too_large: "));
}

TEST_CASE("binary junk is answered with refusals and does no harm") {
  talk at;
  std::string junk;
  std::uint32_t seed = 1;
  for (int i = 0; i < 10'000; ++i) {
    seed = seed * 1664525 + 1013904223;
    junk += static_cast<char>(seed >> 24);
  }
  const auto said = at.say(junk + "\n");
  for (std::size_t from = 0; from < said.size();) {
    const auto end = said.find(".\n", from);
    REQUIRE(end != std::string::npos);
    CHECK(said.substr(from, end - from).starts_with("error "));
    from = end + 2;
  }
  CHECK(holds(at.log_in("resp"), "responder"));
}

TEST_CASE("one command at a time: the next line waits for the answer") {
  talk at;
  at.log_in("resp");
  at.session->receive("streams\nwhoami\n", at.now);
  const auto first = at.session->take_command();
  REQUIRE(first.has_value());
  CHECK_FALSE(at.session->wants_input());
  CHECK(at.output().empty());
  at.session->answer(first->ticket, std::string(R"({"items":[]})"), at.now);
  CHECK(at.session->take_output(at.now) == "none\n.\n");
  CHECK(at.session->take_output(at.now).empty()); // the peer reads slowly
  at.session->sent(at.now);
  CHECK(holds(at.output(), "responder"));
}

TEST_CASE("an answer that never comes is told in time, and ignored later") {
  talk at;
  at.log_in("resp");
  const auto asked = at.admitted("streams");
  at.now += 30'000;
  at.session->tick(at.now);
  CHECK(at.output().starts_with("error deadline_exceeded: "));
  at.session->answer(asked.ticket, std::string("{}"), at.now);
  CHECK(at.output().empty());
  CHECK(holds(at.say("whoami\n"), "responder"));
}

TEST_CASE("an error of a command has its name and sentence, also as JSON") {
  talk at;
  at.log_in("resp");
  const domain::fault missing{failure::not_found, "there is no such thing"};
  at.session->answer(at.admitted("show dl-1").ticket, missing, at.now);
  CHECK(at.output() == "error not_found: there is no such thing\n.\n");
  at.session->answer(at.admitted("show dl-1 --json").ticket, missing, at.now);
  CHECK(at.output()
        == R"({"error":{"failure":"not_found","detail":"there is no such )"
           "thing\"}}\n");
  CHECK(at.say("nonsense --json\n").starts_with(R"({"error":)"));
}

TEST_CASE("a tail goes on until the next line, which is obeyed") {
  talk at;
  at.log_in("resp");
  const auto tail = at.admitted("tail --json");
  CHECK(at.session->tailing() == tail.ticket);
  CHECK(at.session->wants_input());
  at.session->stream(tail.ticket, R"({"verdict":"gap"})");
  CHECK(at.output() == "{\"verdict\":\"gap\"}\n");
  at.now += 10'000'000; // no idle time while one listens
  at.session->tick(at.now);
  CHECK_FALSE(at.session->over());
  const auto said = at.say("whoami\n");
  CHECK(at.session->tailing() == 0);
  CHECK(said.starts_with(R"({"text":"the tail has ended"})"));
  CHECK(holds(said, "responder"));
  at.session->stream(tail.ticket, R"({"verdict":"gap"})");
  CHECK(at.output().empty());
}

TEST_CASE("idle time ends a session, and the time to log in does too") {
  talk at;
  CHECK(at.session->next_tick() == at.now + 600'000);
  at.now += 599'999;
  at.say("help\n"); // no login: that buys no time
  at.now += 1;
  at.session->tick(at.now);
  CHECK(holds(at.output(), "no login in time"));
  CHECK(at.session->over());

  talk other;
  other.log_in("resp");
  other.now += 599'999;
  other.say("whoami\n");
  other.now += 599'999;
  other.session->tick(other.now);
  CHECK_FALSE(other.session->over());
  other.now += 1;
  other.session->tick(other.now);
  CHECK(other.session->over());
}

TEST_CASE("a peer that does not read is given up") {
  talk at;
  at.session->receive("help\n", at.now);
  CHECK_FALSE(at.session->take_output(at.now).empty());
  at.now += 600'000;
  CHECK(at.session->next_tick() == at.now);
  at.session->tick(at.now);
  CHECK(at.session->over());
  CHECK(at.session->given_up());
}

TEST_CASE("quit says good-bye and takes nothing more") {
  talk at;
  CHECK(at.say("quit\nhelp\n") == "bye\n.\n");
  CHECK(at.session->over());
  CHECK(at.say("help\n").empty());
}
