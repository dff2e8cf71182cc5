#include "tests/process/isolation.hpp"

#include "storage/keys.hpp"
#include "tests/process/killed_at.hpp"
#include "tests/support/closed_store.hpp"
#include "tests/support/poll.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace parcelflow::test {

using nlohmann::json;
using std::chrono::seconds;
using storage::kind;
using storage::owner;

namespace {

constexpr std::size_t ulid_length = 26;

/// The ULID within an id; empty if there is none.
std::string ulid_of(const std::string& id) {
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  for (std::size_t at = 0; at + ulid_length <= id.size(); ++at) {
    const auto part = id.substr(at, ulid_length);
    if (part.find_first_not_of(digits) == std::string::npos)
      return part;
  }
  return {};
}

void replace_all(std::string& in, const std::string& from,
                 const std::string& to) {
  if (from.empty())
    return;
  for (auto at = in.find(from); at != std::string::npos;
       at = in.find(from, at + to.size()))
    in.replace(at, from.size(), to);
}

std::string twin_of(const std::string& id) {
  auto twin = id;
  const auto ulid = ulid_of(id);
  const auto at =
    ulid.empty() ? id.size() - 1 : id.find(ulid) + ulid_length - 1;
  twin[at] = twin[at] == '7' ? '3' : '7';
  return twin;
}

arguments flags_of_a_bad_release() {
  return and_flags({"--order.accepted_version=tn-a:2",
                    "--consumer.supported=notification-v1:OrderAccepted:2,"
                    "inventory-v1:OrderAccepted:2",
                    "--console.login_delay_ms=0",
                    "--console.connections_max=64"});
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4U];
    text += digits[static_cast<unsigned char>(byte) & 15U];
  }
  return text;
}

bool may_change(kind what, std::string_view key) {
  static const std::set<kind> moving = {kind::operator_log, kind::relay_cursor,
                                        kind::topic_cursor, kind::clean_stop};
  static const std::set<kind> ones_own = {kind::stock, kind::pause};
  if (moving.contains(what))
    return true;
  return ones_own.contains(what)
         && key.starts_with(storage::key_writer(what).text("tn-b").take());
}

} // namespace

isolation_world::isolation_world() {
  owner = daemon.token("tn-a");
  foreign = daemon.token("tn-b");
  both = daemon.token("tn-a,tn-b");
  small = daemon.token("tn-a", "operator");
  admin = daemon.token("*", "admin");
  const auto [token, id] = issue();
  revoked = token;
  revoke(id);
  const auto [old, old_id] = issue();
  expired = old;
  expire(old_id);
  make_orders();
  make_letter();
}

std::pair<std::string, std::string> isolation_world::issue() const {
  arguments with{"token", "issue", "--tenant", "tn-a", "--role", "responder"};
  const auto who = daemon.identity();
  with.insert(with.end(), who.begin(), who.end());
  const auto made = parcelflow(with);
  REQUIRE_MESSAGE(made.end == exited(0), made.err);
  const auto at = made.err.find("tok-");
  REQUIRE(at != std::string::npos);
  return {made.out.substr(0, made.out.find('\n')),
          made.err.substr(at, made.err.find(' ', at) - at)};
}

void isolation_world::revoke(const std::string& token_id) const {
  arguments with{"token", "revoke", token_id};
  const auto who = daemon.identity();
  with.insert(with.end(), who.begin(), who.end());
  const auto done = parcelflow(with);
  REQUIRE_MESSAGE(done.end == exited(0), done.err);
}

// The shortest life of a token is a minute, which no test waits for.
void isolation_world::expire(const std::string& token_id) const {
  const auto file = daemon.directory() + "/access.json";
  auto access = json::parse(whole_text(file));
  for (auto& one : access.at("tokens"))
    if (one.at("id") == token_id)
      one.at("expires_at_ms") = one.at("issued_at_ms");
  std::ofstream(file) << access.dump();
}

void isolation_world::make_orders() {
  daemon.start(quick_flags());
  ask("PUT", "/v1/inventory/sku-secret", R"({"onHand":99})", 200);
  add("sku", "sku-secret");
  const auto order = place("cart-secret");
  add("key", "cart-secret");
  add("order", order);
  add("event", "evt-" + ulid_of(order) + "-1");
  json evidence;
  REQUIRE(poll_until(
    [&] {
      evidence =
        json::parse(ask("GET", "/v1/orders/" + order + "/evidence", "", 200));
      return evidence.at("notificationId").is_string()
             && evidence.at("fulfillmentId").is_string();
    },
    seconds(20)));
  add("notification", evidence.at("notificationId"));
  add("fulfillment", evidence.at("fulfillmentId"));
  add("trace", evidence.at("traceId"));
  CHECK(daemon.stop() == exited(0));
}

void isolation_world::make_letter() {
  daemon.start(flags_of_a_bad_release());
  add("stuck order", place("cart-stuck"));
  REQUIRE(poll_until(
    [&] {
      return json::parse(ask("GET", "/v1/dead-letters?state=open", "", 200))
               .at("total")
             == 1;
    },
    seconds(20)));
  add("dead letter", json::parse(ask("GET", "/v1/dead-letters", "", 200))
                       .at("items")
                       .at(0)
                       .at("deadLetterId"));
  const auto target = "/v1/replay-plans/" + ready_plan() + "/execute";
  const std::string replay =
    json::parse(ask("POST", target, "{}", 202)).at("replayId");
  add("replay", replay);
  REQUIRE(poll_until(
    [&] {
      return json::parse(ask("GET", "/v1/replays/" + replay, "", 200))
               .at("state")
             == "finished";
    },
    seconds(20)));
  CHECK(daemon.stop() == exited(0));
}

void isolation_world::start() {
  daemon.start(flags_of_a_bad_release());
  objects_ = lasting_;
  const auto plan = ready_plan();
  objects_.push_back({"plan", plan, twin_of(plan)});
}

void isolation_world::stop() {
  CHECK(daemon.stop() == exited(0));
}

std::string isolation_world::ask(const std::string& method,
                                 const std::string& target,
                                 const std::string& body, int must,
                                 const arguments& headers) {
  const auto answer = daemon.ask(method, target, owner, body, headers);
  REQUIRE_MESSAGE(answer.status == must, answer.body);
  return answer.body;
}

std::string isolation_world::place(const std::string& key) {
  const auto made =
    ask("POST", "/v1/orders",
        R"({"currency":"EUR","paymentToken":"tok_ok","lines":[)"
        R"({"sku":"sku-secret","quantity":1,"unitPriceMinor":100}]})",
        201, {"Idempotency-Key: \"" + key + "\""});
  return json::parse(made).at("orderId");
}

void isolation_world::add(const std::string& kind, const std::string& id) {
  lasting_.push_back({kind, id, twin_of(id)});
}

std::string isolation_world::ready_plan() {
  const std::string id =
    json::parse(ask("POST", "/v1/replay-plans", "{}", 202)).at("planId");
  REQUIRE(poll_until(
    [&] {
      return json::parse(ask("GET", "/v1/replay-plans/" + id, "", 200))
               .at("state")
             == "ready";
    },
    seconds(20)));
  return id;
}

std::string isolation_world::without(std::string text,
                                     const std::string& asked) {
  replace_all(text, asked, "<id>");
  replace_all(text, ulid_of(asked), "<ulid>");
  return text;
}

bool isolation_world::tells_of_an_object(const std::string& text) const {
  return std::any_of(objects_.begin(), objects_.end(), [&](const auto& one) {
    const auto ulid = ulid_of(one.id);
    return text.find(ulid.empty() ? one.id : ulid) != std::string::npos;
  });
}

std::map<std::string, std::string> isolation_world::rows() const {
  const closed_store closed(daemon.directory());
  const auto at = closed.read();
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < storage::owner_count; ++i) {
    const auto of = static_cast<storage::owner>(i);
    at.scan(of, "", std::string(64, '\xFF'), [&](auto key, auto value) {
      if (!key.empty() && !may_change(static_cast<kind>(key.front()), key))
        all.emplace(std::string(storage::to_string(of)) + " " + hex(key),
                    value);
      return true;
    });
  }
  return all;
}

void isolation_world::has_still(
  const std::map<std::string, std::string>& before) const {
  const auto after = rows();
  for (const auto& [key, value] : after) {
    const auto was = before.find(key);
    if (was == before.end())
      FAIL_CHECK("a row was written: " << key);
    else
      CHECK_MESSAGE(was->second == value, "a row was changed: " << key);
  }
  CHECK(after.size() == before.size());
}

} // namespace parcelflow::test
