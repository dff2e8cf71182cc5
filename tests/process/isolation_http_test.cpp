// The isolation grid over HTTP: every route × every kind of object × every
// stranger. Whoever may not see an object gets for it what they get for one
// that does not exist: status, headers and bytes; and no row is written. The
// routes come from the door's own table: one without a recipe fails by name.
#include "http/routes.hpp"
#include "tests/process/isolation.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <sstream>

using namespace parcelflow;
using test::hidden_object;
using test::isolation_world;

namespace {

/// How a route is asked about an object; ID stands for it, also in the path's
/// braces. An empty question is one without query and body.
struct question {
  std::string query = {};
  std::string body = {};
  std::vector<std::string> headers = {};
};
using recipe = std::vector<question>;

const recipe plain = {{}};
/// Asked about no object: what strangers get must name none of tn-a's.
const recipe a_list = {{}, {"?limit=200"}};
const recipe tagged = {{}, {{}, {}, {"If-None-Match: \"x\""}}};

recipe letters() {
  return {{}, {"?order=ID"}, {"?text=ID"}, {"?consumer=fulfillment-v1"}};
}
recipe changed_if(const std::string& body) {
  return {{{}, body, {"If-Match: \"x\""}}, {{}, body, {}}};
}
recipe stream(const std::string& more) {
  return {
    {{}, R"({"consumer":"fulfillment-v1","aggregateId":"ID")" + more + "}"}};
}
recipe pause() {
  return {{{}, R"({"scope":"stream","aggregateId":"ID","reason":"x"})"}};
}
recipe order() {
  return {{{},
           R"({"currency":"EUR","paymentToken":"tok_ok","lines":[{"sku":"ID",)"
           R"("quantity":1000,"unitPriceMinor":100}]})",
           {"Idempotency-Key: \"ID\""}}};
}

const std::map<std::string, recipe>& recipes() {
  static const std::map<std::string, recipe> all = {
    {"POST /v1/orders", order()},
    {"GET /v1/orders", a_list},
    {"GET /v1/orders/{id}", tagged},
    {"POST /v1/orders/{id}/cancel", plain},
    {"POST /v1/orders/{id}/complete", plain},
    {"GET /v1/orders/{id}/evidence", tagged},
    {"GET /v1/orders/{id}/explain", plain},
    {"GET /v1/inventory", a_list},
    {"GET /v1/inventory/{sku}", tagged},
    {"PUT /v1/inventory/{sku}", changed_if(R"({"onHand":5})")},
    {"GET /v1/dead-letters", letters()},
    {"GET /v1/dead-letters/export", letters()},
    {"GET /v1/dead-letters/{id}", tagged},
    {"GET /v1/dead-letters/{id}/payload", plain},
    {"POST /v1/dead-letters/{id}/waive", changed_if(R"({"reason":"x"})")},
    {"GET /v1/streams", a_list},
    {"GET /v1/replays", a_list},
    {"GET /v1/replays/{id}", tagged},
    {"GET /v1/replays/{id}/items", plain},
    {"POST /v1/replays/{id}/cancel", changed_if(R"({"reason":"x"})")},
    {"POST /v1/replay-plans", {{{}, R"({"order":"ID","state":"waived"})"}}},
    {"GET /v1/replay-plans/{id}", tagged},
    {"GET /v1/replay-plans/{id}/items", plain},
    {"POST /v1/replay-plans/{id}/execute", changed_if("{}")},
    {"POST /v1/streams/skip", stream(R"(,"sequence":1,"reason":"x")")},
    {"POST /v1/streams/redirect",
     stream(R"(,"toConsumer":"fulfillment-v2","reason":"x")")},
    {"POST /v1/streams/resend", stream("")},
    {"POST /v1/pauses", pause()},
    {"POST /v1/pauses/resume", pause()},
    {"GET /v1/find", {{"?id=ID"}}},
    {"GET /v1/operator-log", a_list},
    {"GET /v1/operator-log/verify", plain},
    {"GET /v1/outbox", plain},
    {"GET /v1/pauses", plain},
    {"GET /v1/tenants", plain},
    {"GET /livez", plain},
    {"GET /readyz", {{}, {"?verbose"}}},
    {"GET /metrics", plain},
  };
  return all;
}

/// They answer nobody what is there: a plan is made later, a pause is of a
/// name.
bool tells_nobody(const std::string& route) {
  return route == "POST /v1/replay-plans" || route == "POST /v1/pauses"
         || route == "POST /v1/pauses/resume";
}

std::string with_id(std::string text, const std::string& id) {
  for (auto at = text.find("ID"); at != std::string::npos;
       at = text.find("ID", at + id.size()))
    text.replace(at, 2, id);
  return text;
}

std::string path_of(std::string path, const std::string& id) {
  const auto from = path.find('{');
  if (from != std::string::npos)
    path.replace(from, path.find('}') - from + 1, id);
  return path;
}

/// Without what differs from answer to answer to the same question: the time,
/// the trace of the request, and the id of a plan that was made just now.
std::string steady(const test::http_answer& of) {
  static const std::regex time(R"(\d{4}-\d\d-\d\dT[\d:.]+Z)");
  static const std::regex new_plan(R"(("planId":"|replay-plans/)pln-\w+)");
  std::istringstream lines(of.head);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("Date:") && !line.starts_with("traceparent:"))
      kept += line + "\n";
  kept = std::regex_replace(kept + of.body, time, "<time>");
  return of.status == 202 ? std::regex_replace(kept, new_plan, "$1<new>")
                          : kept;
}

struct stranger {
  std::string name = {};
  std::string token = {};
  std::vector<std::string> headers = {};
  bool may_ask_operators_routes = true;
};

/// The whole answer, status line first, without what it echoes.
std::string answer(isolation_world& at, const http::route_entry& route,
                   const question& how, const stranger& who,
                   const std::string& id) {
  test::arguments headers = who.headers;
  for (const auto& one : how.headers)
    headers.push_back(with_id(one, id));
  const auto got = at.daemon.ask(
    route.method, path_of(std::string(route.path), id) + with_id(how.query, id),
    who.token, with_id(how.body, id), headers);
  CHECK(got.status != 0);
  CHECK(got.status < 500);
  return at.without(steady(got), id);
}

std::vector<stranger> strangers(const isolation_world& at) {
  return {{"foreign", at.foreign},
          {"foreign, naming tn-a", at.foreign, {"Parcelflow-Tenant: tn-a"}},
          {"of both, in tn-b", at.both, {"Parcelflow-Tenant: tn-b"}},
          {"too small", at.small, {}, false},
          {"revoked", at.revoked},
          {"expired", at.expired},
          {"nobody", ""}};
}

std::string name_of(const http::route_entry& route) {
  return std::string(route.method) + " " + std::string(route.path);
}

bool names_an_object(const http::route_entry& route) {
  if (route.path.find('{') != std::string_view::npos)
    return true;
  for (const auto& how : recipes().at(name_of(route)))
    if ((how.query + how.body).find("ID") != std::string::npos)
      return true;
  return false;
}

bool may_ask(const stranger& who, const http::route_entry& route) {
  return !route.open
         && (who.may_ask_operators_routes
             || route.needed != domain::role::tenant_operator);
}

/// Before a stranger has written anything: a log of their own would name what
/// they asked for.
void ask_for_lists(isolation_world& at, const stranger& who) {
  CAPTURE(who.name);
  for (const auto& route : http::route_table()) {
    if (names_an_object(route) || !may_ask(who, route))
      continue;
    for (const auto& how : recipes().at(name_of(route))) {
      const auto list = answer(at, route, how, who, "nothing");
      CHECK_FALSE_MESSAGE(at.tells_of_an_object(list), list);
    }
  }
}

void ask_for_objects(isolation_world& at, const stranger& who) {
  CAPTURE(who.name);
  for (const auto& route : http::route_table()) {
    const auto name = name_of(route);
    if (!names_an_object(route) || !may_ask(who, route))
      continue;
    CAPTURE(name);
    for (const auto& how : recipes().at(name))
      for (const auto& object : at.objects()) {
        CAPTURE(object.kind);
        CAPTURE(how.query);
        const auto hidden = answer(at, route, how, who, object.id);
        CHECK(hidden == answer(at, route, how, who, object.missing));
        CHECK_FALSE_MESSAGE(at.tells_of_an_object(hidden), hidden);
      }
  }
}

/// True if who may see the object can tell it from a missing one.
bool owner_can_tell(isolation_world& at, const http::route_entry& route) {
  const stranger owner{"owner", at.owner};
  for (const auto& how : recipes().at(name_of(route)))
    for (const auto& object : at.objects())
      if (answer(at, route, how, owner, object.id)
          != answer(at, route, how, owner, object.missing))
        return true;
  return false;
}

} // namespace

TEST_CASE("every route has a recipe, and every recipe its route") {
  std::size_t found = 0;
  for (const auto& route : http::route_table()) {
    CHECK_MESSAGE(recipes().contains(name_of(route)),
                  name_of(route) << " is not in the isolation grid");
    found += recipes().count(name_of(route));
  }
  CHECK(found == recipes().size());
}

TEST_CASE("to a stranger an object is as one that does not exist, over HTTP") {
  isolation_world at;
  const auto before = at.rows();
  at.start();
  for (const auto& who : strangers(at))
    ask_for_lists(at, who);
  for (const auto& who : strangers(at))
    ask_for_objects(at, who);
  at.stop();
  at.has_still(before);
  at.start();
  for (const auto& route : http::route_table())
    if (names_an_object(route))
      CHECK_MESSAGE(owner_can_tell(at, route) != tells_nobody(name_of(route)),
                    name_of(route) << ": can its owner tell?");
  at.stop();
}
