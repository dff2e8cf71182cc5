// I12 over the whole daemon, through its real ports: canaries stand for every
// token and every payload, are put wherever somebody might put one, right or
// wrong, and nothing that comes out holds them but the one answer that is
// there to show a payload.
#include "tests/process/console_user.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/canaries.hpp"
#include "tests/support/poll.hpp"
#include "tests/support/temp_directory.hpp"

#include <filesystem>

using namespace parcelflow;
using nlohmann::json;
using std::chrono::seconds;
using test::arguments;
using test::console_user;
using test::exited;
using test::http_answer;
using test::poll_until;
using names = std::vector<std::string>;

namespace {

/// tn-a's orders are announced in a version that nobody knows, so each consumer
/// sets the event aside; tn-b's arrive.
struct watched_daemon {
  watched_daemon() {
    low = issued("operator", "tn-a");
    token = issued("responder", "tn-a");
    foreign = issued("responder", "tn-b");
    admin = issued("admin", "*");
    daemon.start(test::and_flags(
      {"--order.accepted_version=tn-a:2", "--log.level=trace"}));
    for (const auto& who : {token, foreign})
      REQUIRE(ask("PUT", "/v1/inventory/sku-1", who, R"({"onHand":99})").status
              == 200);
  }

  std::string issued(const std::string& role, const std::string& tenant) {
    auto made = daemon.token(tenant, role);
    secrets.keep(role + " of " + tenant, made.substr(4)); // behind "pft_"
    return made;
  }

  /// Whoever asks: nothing of a secret or of a payload comes back.
  http_answer ask(const std::string& method, const std::string& target,
                  const std::string& who = {}, const std::string& body = {},
                  const arguments& headers = {}) {
    auto answer = daemon.ask(method, target, who, body, headers);
    CHECK_MESSAGE(answer.status != 0, method << " " << target);
    clean(method + " " + target.substr(0, 40), answer.head + answer.body);
    return answer;
  }
  void clean(const std::string& where, const std::string& text) const {
    for (const auto* const of : {&secrets, &echoed, &payloads})
      for (const auto& name : of->leaks_in(text))
        FAIL_CHECK(where << " tells " << name << ": " << text.substr(0, 2000));
  }
  /// What parcelctl prints.
  void run(const std::string& who, const arguments& words, int code) {
    arguments all{"--port", std::to_string(daemon.console_port())};
    all.insert(all.end(), words.begin(), words.end());
    const auto done = test::parcelctl(all, {"PARCELFLOW_TOKEN=" + who});
    CHECK_MESSAGE(done.end == exited(code), words.front() << " " << done.err);
    CHECK_FALSE((done.out + done.err).empty());
    clean("parcelctl " + words.front(), done.out + done.err);
  }

  std::string place(const std::string& who, const std::string& name) {
    const auto made =
      ask("POST", "/v1/orders", who,
          R"({"currency":"EUR","lines":[{"sku":"sku-1","quantity":1,)"
          R"("unitPriceMinor":100}],"paymentToken":")"
            + secrets.plant("payment of " + name, "tok_")
            + R"(","customerReference":")"
            + payloads.plant("reference of " + name, "Ann, 1 Elm St, ") + "\"}",
          {"Idempotency-Key: key-" + name});
    REQUIRE(made.status == 201);
    return json::parse(made.body).at("orderId");
  }

  test::temp_directory files;
  test::daemon_process daemon{files / "data", "crash-lab"};
  test::canaries secrets;  ///< to nobody
  test::canaries echoed;   ///< to nobody but whoever sent it
  test::canaries payloads; ///< to nobody but whoever may look at a payload
  std::string low, token, foreign, admin;
};

/// Requests that are refused, with a canary in every part of them.
void send_what_is_refused(watched_daemon& at) {
  auto& secrets = at.secrets;
  for (const std::string scheme : {"Bearer ", "Bearer pft_", "Basic ", ""})
    CHECK(at.ask("GET", "/v1/orders", {}, {},
                 {"Authorization: " + scheme + secrets.plant(scheme)})
            .status
          == 401);
  const auto stray = secrets.plant("token in a target");
  for (const std::string target :
       {"/v1/orders?token=", "/v1/dead-letters?text=x&token=",
        "/v1/dead-letters?cause=", "/v1/dead-letters?cursor=",
        "/v1/dead-letters/export?limit=", "/v1/nothing/"})
    CHECK(at.ask("GET", target + stray, at.token).status >= 400);
  CHECK(at.ask(secrets.plant("method", "X"), "/v1/orders", at.token).status
        >= 400);
  const auto body = [&](const std::string& text) {
    const auto answer = at.ask("POST", "/v1/orders", at.token, text,
                               {"Idempotency-Key: refused"});
    CHECK_MESSAGE((answer.status == 400 || answer.status == 422),
                  answer.status << " " << answer.body);
  };
  const auto name = [&](const std::string& of) { return secrets.plant(of); };
  body("{\"paymentToken\":\"" + name("cut short"));

  body("{\"currency\":\"" + name("currency") + "\"}");
  body(R"({"currency":"EUR","lines":[],"paymentToken":{"card":")" + name("card")
       + "\"}}");

  body(R"({"currency":"EUR","paymentToken":"tok bad )" + name("bad token")
       + R"(","lines":[{"sku":"sku-1","quantity":1,"unitPriceMinor":1}]})");
  body(name("no JSON"));
  CHECK(at.ask("POST", "/v1/orders", at.token, "{}",
               {"Idempotency-Key: a\tb" + name("bad key")})
          .status
        >= 400);
  CHECK(at.ask("POST", "/v1/orders", at.token, "{}",
               {"Parcelflow-Tenant: " + name("tenant")})
          .status
        >= 400);
}

/// A refusal names the member or the sku that it means, to whoever sent it; it
/// goes no further.
void send_what_is_named(watched_daemon& at) {
  const auto refused = [&](const std::string& text) {
    const auto answer = at.daemon.ask("POST", "/v1/orders", at.token, text,
                                      {"Idempotency-Key: named"});
    CHECK(answer.status >= 400);
    CHECK_FALSE(at.echoed.leaks_in(answer.body).empty());
  };
  refused("{\"" + at.echoed.plant("unknown member") + "\":1}");
  refused(R"({"currency":"EUR","paymentToken":"tok_ok","lines":[{"sku":")"
          + at.echoed.plant("unknown sku")
          + R"(","quantity":1,"unitPriceMinor":100}]})");
}

/// Logins and lines of a console that are wrong, and what a responder reads.
void talk_to_the_console(watched_daemon& at, const std::string& letter) {
  const auto says = [&](console_user& user, const std::string& line) {
    const auto text = user.ask(line);
    CHECK_FALSE(text.empty());
    at.clean("console " + line.substr(0, 20), text);
  };
  {
    console_user stranger(at.daemon.console_port());
    says(stranger, "auth " + at.secrets.plant("login", "pft_"));
    says(stranger, "auht " + at.secrets.plant("verb with a slip", "pft_"));
    says(stranger, at.secrets.plant("bare token", "pft_"));
    says(stranger, "auth a b " + at.secrets.plant("words too many"));
  }
  console_user operators(at.daemon, at.low);
  says(operators, "show " + letter + " payload=yes");
  console_user others(at.daemon, at.foreign);
  says(others, "show " + letter + " payload=yes");
  console_user user(at.daemon, at.token);
  at.clean("login", user.greeting() + user.login());
  for (const auto& line : arguments{
         "whoami", "dead-letters", "streams", "show " + letter,
         "evidence " + letter, "find " + letter, "log", "stats", "health",
         "help", "dead-letters cause=" + at.secrets.plant("wrong term"),
         "show " + at.secrets.plant("wrong id"),
         "waive " + letter + " reason=no"})
    says(user, line);
  for (const auto& line : arguments{"dead-letters", "export", "log",
                                    "show " + letter, "evidence " + letter}) {
    const auto tree = user.json(line);
    CHECK_MESSAGE(tree.is_object(), line);
    at.clean("console, for a program: " + line, tree.dump());
  }
  console_user admins(at.daemon, at.admin);
  for (const std::string line : {"outbox", "verify", "audit", "log"})
    says(admins, line);
}

/// The positive control: the canary is there, and whoever may look sees it.
void look_at_a_payload(watched_daemon& at, const std::string& order,
                       const std::string& letter) {
  const names reference{"reference of tn-a"};
  const auto target = "/v1/dead-letters/" + letter + "/payload";
  const auto payload = at.daemon.ask("GET", target, at.token);
  CHECK(payload.status == 200);
  CHECK(at.payloads.leaks_in(payload.body) == reference);
  CHECK(at.secrets.leaks_in(payload.head + payload.body) == names{});
  console_user user(at.daemon, at.token);
  CHECK(at.payloads.leaks_in(user.ask("show " + letter + " payload=yes"))
        == reference);
  // A customer's own order says what the customer called it.
  const auto own = at.daemon.ask("GET", "/v1/orders/" + order, at.low);
  CHECK(at.payloads.leaks_in(own.body) == reference);
  CHECK(at.secrets.leaks_in(own.head + own.body) == names{});

  CHECK(at.ask("GET", target, at.low).status == 403);
  CHECK(at.ask("GET", target, at.foreign).status == 404);
  CHECK(at.ask("GET", "/v1/orders/" + order, at.foreign).status == 404);
}

/// Everything else that is there to be read.
void read_the_rest(watched_daemon& at, const std::string& order,
                   const std::string& letter) {
  const std::string letters = "/v1/dead-letters";
  for (const auto& target :
       arguments{letters, letters + "/" + letter, letters + "/export",
                 "/v1/orders/" + order + "/evidence",
                 "/v1/orders/" + order + "/explain", "/v1/find?id=" + letter,
                 "/v1/streams", "/v1/replays", "/v1/operator-log", "/livez",
                 "/readyz?verbose", "/metrics"})
    CHECK_MESSAGE(at.ask("GET", target, at.token).status == 200, target);
  at.run(at.token, {"dead-letters"}, 0);
  at.run(at.token, {"--json", "show", letter}, 0);
  at.run(at.token, {"export"}, 0);
  at.run(at.secrets.plant("parcelctl's", "pft_"), {"dead-letters"}, 77);
  at.run(at.token, {"show", at.secrets.plant("parcelctl's id")}, 65);
}

/// In files, payloads are, and no token and nothing that pays.
void look_at_what_is_stored(const watched_daemon& at) {
  bool stored = false;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(at.daemon.directory())) {
    if (!file.is_regular_file())
      continue;
    const auto bytes = test::whole_text(file.path());
    CHECK_MESSAGE(at.secrets.leaks_in(bytes) == names{}, file.path());
    stored = stored || !at.payloads.leaks_in(bytes).empty();
  }
  CHECK(stored);
}

} // namespace

TEST_CASE("no token and no payload comes out, but the payload asked for") {
  watched_daemon at;
  const auto order = at.place(at.token, "tn-a");
  at.place(at.foreign, "tn-b");
  json list;
  REQUIRE(poll_until(
    [&] {
      list = json::parse(at.ask("GET", "/v1/dead-letters", at.token).body);
      return list.at("total") == 3; // one a consumer
    },
    seconds(20)));
  const std::string letter = list.at("items").at(0).at("deadLetterId");
  look_at_a_payload(at, order, letter);
  send_what_is_refused(at);
  send_what_is_named(at);
  talk_to_the_console(at, letter);
  read_the_rest(at, order, letter);
  CHECK(at.daemon.stop() == exited(0));
  CHECK(at.daemon.log().size() > 1000); // at trace there is something
  at.clean("log", at.daemon.log() + at.daemon.said());
  look_at_what_is_stored(at);
}
