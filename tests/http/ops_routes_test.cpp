// What responders read, asked through a real port: every route with what it
// shows, who may not, and that a foreign id is a missing one.
#include "actors/gateway_links.hpp"
#include "codec/log_chain.hpp"
#include "http/routes.hpp"
#include "http/server.hpp"
#include "raw_client.hpp"
#include "tests/storage/status_fixture.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace parcelflow;
using storage::owner;
using test::noon;

namespace {

/// Tokens are names, as in routes_test.
class role_tokens final : public http::authenticator {
public:
  domain::outcome<domain::identity>
  authenticate(std::string_view token, support::unix_ms) const override {
    using domain::role;
    static const std::map<std::string, domain::identity, std::less<>> all{
      {"op", {"tok-op", role::tenant_operator, {false, {"acme"}}}},
      {"resp", {"tok-resp", role::responder, {false, {"acme"}}}},
      {"other", {"tok-other", role::responder, {false, {"globex"}}}},
      {"both",
       {"tok-both", role::responder, {false, {"globex", "asleep", "acme"}}}},
      {"all", {"tok-all", role::responder, {true, {}}}},
      {"small", {"tok-small", role::admin, {false, {"acme"}}}},
      {"root", {"tok-root", role::admin, {true, {}}}},
    };
    const auto found = all.find(token);
    if (found == all.end())
      return {domain::failure::unauthenticated, "no"};
    return found->second;
  }
  domain::status check_tenant(std::string_view tenant) const override {
    if (tenant == "acme" || tenant == "globex")
      return domain::done();
    if (tenant == "asleep")
      return {domain::failure::tenant_suspended, "the tenant is suspended"};
    return {domain::failure::unknown_tenant, "the tenant is not registered"};
  }
  std::vector<std::string> tenants() const override {
    return {"acme", "asleep", "globex"};
  }
};

const std::string order_id = "ord-" + test::first_ulid;
const std::string event_id = "evt-" + test::first_ulid + "-1";

class ops_door {
public:
  ops_door() {
    fill();
    http::api_dependencies with{
      .gateway = &gateway_,
      .view = storage::status_view(*rows.store),
      .ops = storage::ops_view(*rows.store),
      .access = &tokens_,
      .order_limits = {},
      .cursors = codec::cursor_sealer(std::string(32, 'k')),
      .clock = &clock_,
      .ids = std::make_shared<support::seeded_id_source>(clock_, 1),
      .metrics = &metrics_,
      .environment = "test",
      .ready =
        [] {
          return http::readiness{true, {}, {}};
        },
      .counts = {},
      .denied = [this](const auto&) { denials += 1; }};
    auto started = http::server::start({}, http::api(std::move(with)));
    REQUIRE(started.ok());
    server_ = *std::move(started);
  }
  ~ops_door() { server_.reset(); }

  test::raw_answer get(const std::string& token, const std::string& target,
                       const std::string& headers = {}) const {
    test::raw_client client(server_->port());
    REQUIRE(client.connected());
    auto got = client.ask("GET " + target + " HTTP/1.1\r\nHost: x\r\n"
                          + "Authorization: Bearer " + token + "\r\n" + headers
                          + "\r\n");
    // The one line that differs with the time of day.
    if (const auto date = got.head.find("Date: "); date != std::string::npos)
      got.head.erase(date, got.head.find('\n', date) - date);
    return got;
  }
  std::string body(const std::string& token, const std::string& target,
                   const std::string& headers = {}) const {
    const auto got = get(token, target, headers);
    CHECK_MESSAGE(got.status == 200, target << " " << got.body);
    return got.body;
  }

  test::status_fixture rows;
  std::atomic<int> denials{0};

private:
  void fill() {
    const auto order = test::status_fixture::an_order("acme", order_id);
    rows.put(order);
    rows.publish(1, 1);
    rows.finish(order, domain::via::replay, "rpl-2");
    rows.letter("acme", "dl-1", domain::dead_letter_cause::stale,
                std::string(domain::fulfillment_consumer), order_id);
    rows.put(owner::dead_letter,
             storage::dead_letter_order_key("acme", order_id, "dl-1"),
             std::string("\x01\0", 2));
    wait("ord-a");
    wait("ord-b");
    for (const auto* id : {"rpl-1", "rpl-2"}) {
      domain::replay replay;
      replay.started_at = noon;
      rows.put(owner::dead_letter, storage::replay_key("acme", id),
               domain::encode(replay));
      domain::replay_item item;
      item.dead_letter_id = "dl-1";
      rows.put(owner::dead_letter, storage::replay_item_key("acme", id, 0),
               domain::encode(item));
    }
    log(1, "acme", "dl-of-acme");
    log(2, "globex", "dl-of-globex");
    log(3, "", "the-relay");
    rows.put(owner::dead_letter, storage::pause_key(1, {}, {}, {}),
             domain::encode(domain::pause{"ann", "lab", noon}));
  }
  void wait(const std::string& aggregate) {
    domain::stream_row row;
    row.waiting = {domain::wait_cause::gap, noon, 0};
    const std::string consumer(domain::inventory_consumer);
    rows.put(owner::inventory, storage::stream_key("acme", consumer, aggregate),
             domain::encode(row));
    rows.put(owner::inventory,
             storage::waiting_stream_key("acme", consumer, aggregate),
             std::string("\x01\0", 2));
  }
  void log(std::uint64_t position, const std::string& tenant,
           const std::string& target) {
    domain::log_entry entry;
    entry.position = position;
    entry.actor = "ann";
    entry.tenant_id = tenant;
    entry.verb = "waive";
    entry.target = target;
    entry.previous = head_;
    entry.digest = head_ = codec::chain_digest(entry);
    rows.put(owner::dead_letter, storage::operator_log_key(position),
             domain::encode(entry));
  }

  actors::gateway gateway_{std::make_unique<actors::gateway::links>()};
  role_tokens tokens_;
  support::manual_clock clock_{noon + 100};
  support::metrics metrics_;
  domain::sha256_digest head_{};
  std::unique_ptr<http::server> server_;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string next_of(const std::string& body) {
  constexpr std::string_view name = "\"nextCursor\":\"";
  const auto at = body.find(name);
  if (at == std::string::npos)
    return {};
  const auto begin = at + name.size();
  return body.substr(begin, body.find('"', begin) - begin);
}

} // namespace

TEST_CASE("a foreign id is a missing one on every route of responders") {
  const ops_door at;
  const struct {
    std::string before;
    std::string id;
    std::string after;
  } routes[] = {
    {"/v1/replays/", "rpl-1", ""},
    {"/v1/replays/", "rpl-1", "/items"},
    {"/v1/find?id=", order_id, ""},
    {"/v1/find?id=", event_id, ""},
    {"/v1/find?id=", "key-" + order_id, ""},
    {"/v1/find?id=", "4bf92f3577b34da6a3ce929d0e0e4736", ""},
    {"/v1/find?id=", "ful-" + order_id, ""},
    {"/v1/find?id=", "dl-1", ""},
    {"/v1/find?id=", "rpl-1", ""},
    {"/v1/orders/", order_id, "/explain"},
    {"/v1/orders/", event_id, "/explain"},
    {"/v1/dead-letters/", "dl-1", ""},
    {"/v1/dead-letters?order=", order_id, ""},
    {"/v1/dead-letters?text=", "dl-1", ""},
    {"/v1/streams?consumer=", "inventory-v1", ""},
  };
  for (const auto& one : routes) {
    CAPTURE(one.before);
    CAPTURE(one.id);
    const auto foreign = at.get("other", one.before + one.id + one.after);
    const auto missing = at.get("other", one.before + "none" + one.after);
    CHECK(foreign.head == missing.head);
    CHECK(foreign.body == missing.body);
    const auto own = at.get("resp", one.before + one.id + one.after);
    CHECK(own.status == 200);
    CHECK(own.body != foreign.body);
  }
}

TEST_CASE("who may not is refused, and told to the operator log") {
  ops_door at;
  int expected = 0;
  for (const auto* path :
       {"/v1/streams", "/v1/replays", "/v1/replays/rpl-1",
        "/v1/replays/rpl-1/items", "/v1/find?id=x", "/v1/operator-log",
        "/v1/tenants", "/v1/operator-log/verify", "/v1/outbox", "/v1/pauses"}) {
    CAPTURE(path);
    CHECK(at.get("op", path).status == 403);
    CHECK(at.denials == ++expected);
    CHECK(at.get("nobody", path).status == 401);
    CHECK(at.denials == expected);
  }
  // Only an admin over all tenants sees what is of all tenants.
  for (const auto* path :
       {"/v1/operator-log/verify", "/v1/outbox", "/v1/pauses"})
    for (const auto* token : {"resp", "both", "all", "small"}) {
      CHECK_MESSAGE(at.get(token, path).status == 403, path << token);
      CHECK(at.get(token, path, "Parcelflow-Tenant: acme\r\n").status == 403);
    }
  CHECK(at.get("resp", "/v1/tenants", "Parcelflow-Tenant: globex\r\n").status
        == 403);
  CHECK(
    at.get("resp", "/v1/operator-log", "Parcelflow-Tenant: globex\r\n").status
    == 403);
}

TEST_CASE("waiting streams by page") {
  const ops_door at;
  const auto first = at.body("resp", "/v1/streams?limit=1");
  CHECK(contains(first, "ord-a"));
  CHECK_FALSE(contains(first, "ord-b"));
  const auto cursor = next_of(first);
  REQUIRE_FALSE(cursor.empty());
  const auto second = at.body("resp", "/v1/streams?limit=1&cursor=" + cursor);
  CHECK(contains(second, "ord-b"));
  CHECK(next_of(second).empty());
  CHECK(at.get("resp", "/v1/streams?consumer=c&cursor=" + cursor).status
        == 400);
  CHECK(at.get("other", "/v1/streams?cursor=" + cursor).status == 400);
}

TEST_CASE("replays newest first, one with a tag, and its items") {
  const ops_door at;
  const auto list = at.body("resp", "/v1/replays");
  CHECK(list.find("rpl-2") < list.find("rpl-1"));
  const auto one = at.get("resp", "/v1/replays/rpl-1");
  const auto tag_at = one.head.find("ETag: ") + 6;
  const auto tag =
    one.head.substr(tag_at, one.head.find('\r', tag_at) - tag_at);
  const auto same =
    at.get("resp", "/v1/replays/rpl-1", "If-None-Match: " + tag + "\r\n");
  CHECK(same.status == 304);
  CHECK(same.body.empty());
  CHECK(contains(at.body("resp", "/v1/replays/rpl-1/items"),
                 "\"deadLetterId\":\"dl-1\""));
  CHECK(at.get("resp", "/v1/replays/rpl-1?x=1").status == 400);
}

TEST_CASE("what bears an id, and how it came to be") {
  const ops_door at;
  CHECK(at.body("resp", "/v1/find?id=ful-" + order_id)
        == R"({"items":[{"kind":"fulfillment","id":"ful-)" + order_id
             + R"(","orderId":")" + order_id
             + R"(","matchedBy":"fulfillment_id"}]})");
  CHECK(at.get("resp", "/v1/find").status == 400);
  const auto path = "/v1/orders/" + order_id + "/explain";
  const auto ours = at.body("resp", path);
  CHECK(contains(ours, "dead_letter_opened"));
  const auto mine = at.body("op", path);
  CHECK(contains(mine, "\"what\":\"committed\""));
  CHECK_FALSE(contains(mine, "dl-1"));
}

TEST_CASE("the operator log shows to each what is theirs") {
  const ops_door at;
  const auto acme = at.body("resp", "/v1/operator-log");
  CHECK(contains(acme, "dl-of-acme"));
  CHECK_FALSE(contains(acme, "globex"));
  CHECK_FALSE(contains(acme, "the-relay"));
  const auto both = at.body("both", "/v1/operator-log");
  CHECK(contains(both, "dl-of-acme"));
  CHECK(contains(both, "dl-of-globex"));
  CHECK_FALSE(contains(both, "the-relay"));
  CHECK_FALSE(
    contains(at.body("all", "/v1/operator-log"), "the-relay")); // no admin
  CHECK_FALSE(
    contains(at.body("both", "/v1/operator-log", "Parcelflow-Tenant: acme\r\n"),
             "globex"));
  const auto root = at.body("root", "/v1/operator-log");
  CHECK(root.find("the-relay") < root.find("dl-of-globex"));
  CHECK(root.find("dl-of-globex") < root.find("dl-of-acme"));
  const auto verified = at.body("root", "/v1/operator-log/verify");
  CHECK(contains(verified, R"({"intact":true,"entries":3,)"));
}

TEST_CASE("a log that was changed says so and names the entry") {
  ops_door at;
  at.rows.put(owner::dead_letter, storage::operator_log_key(2),
              domain::encode(domain::log_entry{}));
  const auto verified = at.body("root", "/v1/operator-log/verify");
  CHECK(contains(verified, "\"intact\":false"));
  CHECK(contains(verified, "2"));
}

TEST_CASE("tenants side by side, as far as the token reaches") {
  const ops_door at;
  const std::string globex =
    R"({"tenant":"globex","deadLettersOpen":0,"streamsWaiting":0,)"
    R"("replaysRunning":0})";
  CHECK(at.body("other", "/v1/tenants") == R"({"items":[)" + globex + "]}");
  const auto acme = at.body("resp", "/v1/tenants");
  CHECK(contains(acme, R"("deadLettersOpen":1,"streamsWaiting":2,)"));
  CHECK(contains(acme, R"("replaysRunning":2)"));
  for (const auto* token : {"both", "root"}) {
    const auto first = at.body(token, "/v1/tenants?limit=1");
    CHECK(contains(first, "\"acme\""));
    CHECK(
      contains(at.body(token, "/v1/tenants?cursor=" + next_of(first)), globex));
  }
}

TEST_CASE("the outbox and what is paused, to an admin over all") {
  const ops_door at;
  CHECK(at.body("root", "/v1/outbox")
        == R"({"lastPosition":0,"publishedUpTo":0,"depth":0,)"
           R"("heldStreams":0,"oldestUnpublishedAgeMs":0})");
  CHECK(at.body("root", "/v1/pauses")
        == R"({"items":[{"scope":"relay","actor":"ann","reason":"lab",)"
           R"("since":"2027-01-15T08:00:00.000Z"}]})");
}
