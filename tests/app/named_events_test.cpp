// Events with names that were agreed on: whatever shows, finds or offers an
// event again takes its id from the rows. Beside it, globex's order has events
// that are named after it, as ever.
#include "tests/app/api_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace parcelflow;
using test::api_world;
using names = std::vector<std::string>;

namespace {

/// acme's order has the events evt-701 and evt-702, and is cancelled.
struct agreed {
  agreed() {
    at.engine.stock("acme", "sku-1", 10);
    at.engine.stock("globex", "sku-1", 10);
    at.accepted("op", "k");
    other_id = at.accepted("other", "k");
    REQUIRE(order_id != other_id);
    at.engine.pass(1000);
  }
  api_world at{{}, [this](app::seams& with) {
                 with.name_event = [this](const std::string& id,
                                          std::uint64_t sequence) {
                   if (order_id.empty())
                     order_id = id;
                   return id == order_id ? "evt-70" + std::to_string(sequence)
                                         : std::string();
                 };
               }};
  std::string order_id; ///< acme's
  std::string other_id; ///< globex's

  names found(const std::string& token, const std::string& event_id) {
    const auto page =
      api_world::json(at.get(token, "/v1/orders?event_id=" + event_id));
    names ids;
    for (const auto& one : page["items"])
      ids.push_back(one["orderId"]);
    return ids;
  }
  nlohmann::json shown(const std::string& token, const std::string& order,
                       const std::string& what = {}) {
    return api_world::json(at.get(token, "/v1/orders/" + order + what));
  }
};

std::string own(const std::string& order_id, int sequence) {
  return "evt-" + order_id.substr(4) + "-" + std::to_string(sequence);
}

names ids_in(const nlohmann::json& list, const char* member) {
  names ids;
  for (const auto& one : list)
    ids.push_back(one[member]);
  return ids;
}

void shows_its_names(agreed& here) {
  CHECK(ids_in(here.shown("op", here.order_id)["history"], "eventId")
        == names{"evt-701", "evt-702"});
  const auto evidence = here.shown("resp", here.order_id, "/evidence");
  CHECK(ids_in(evidence["events"], "eventId") == names{"evt-701", "evt-702"});
  REQUIRE(evidence["consumers"].size() == 3);
  for (const auto& consumer : evidence["consumers"])
    CHECK(ids_in(consumer["inbox"], "inboxId") == names{"evt-701", "evt-702"});
  const auto other = here.shown("other", here.other_id, "/evidence");
  CHECK(ids_in(other["events"], "eventId") == names{own(here.other_id, 1)});
}

void is_found_by_its_names(agreed& here) {
  CHECK(here.found("op", "evt-701") == names{here.order_id});
  CHECK(here.found("op", "evt-702") == names{here.order_id});
  CHECK(here.found("op", "evt-703").empty());
  // No event was committed under these.
  CHECK(here.found("op", own(here.order_id, 1)).empty());
  CHECK(here.found("op", own(here.order_id, 2)).empty());
  CHECK(here.found("other", "evt-701").empty());
  CHECK(here.found("other", own(here.other_id, 1)) == names{here.other_id});
}

} // namespace

TEST_CASE("an event is shown and found by the name it was committed under") {
  agreed here;
  const auto cancelled =
    here.at.send("op", "POST", "/v1/orders/" + here.order_id + "/cancel");
  CHECK(api_world::json(cancelled)["eventId"] == "evt-702");
  here.at.engine.pass(1000);
  shows_its_names(here);
  is_found_by_its_names(here);
  here.at.engine.check_invariants();

  here.at.engine.inject_faults = {}; // nobody names anything any more
  here.at.engine.restart();
  here.at.serve();
  shows_its_names(here);
  is_found_by_its_names(here);
  CHECK(
    here.at.send("op", "POST", "/v1/orders/" + here.order_id + "/cancel").body
    == cancelled.body);
}

TEST_CASE("an event is offered again under the name it was committed under") {
  agreed here;
  auto& w = here.at.engine;
  w.inject_faults = {};
  w.restart();
  const auto duplicates = [&](const std::string& consumer) {
    return w.verdicts(consumer, "duplicate");
  };
  const auto fulfillment = duplicates("fulfillment-v1");
  const auto notification = duplicates("notification-v1");
  for (const auto& [tenant, order] :
       {std::pair<std::string, std::string>("acme", here.order_id),
        std::pair<std::string, std::string>("globex", here.other_id)})
    caf::anon_send(
      w.it->order_owner(), actors::resend_atom::value,
      actors::resend_request{
        std::string(domain::fulfillment_consumer), tenant, order, 1, 1, {}});
  w.run();
  CHECK(duplicates("fulfillment-v1") == fulfillment + 2);
  CHECK(duplicates("notification-v1") == notification + 2);
  CHECK(w.dead_letters().empty()); // under another name it would be a fork
  w.check_invariants();
}
