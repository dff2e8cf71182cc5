#include "tests/process/crash_client.hpp"

#include "tests/support/poll.hpp"
#include "tests/support/process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace parcelflow::test {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds thinks_at_most{8};
constexpr milliseconds gives_up_after{30'000};

std::string body_of(const crash_intent& what) {
  return json{{"currency", "EUR"},
              {"paymentToken",
               what.verb == crash_verb::decline ? "tok_decline" : "tok_ok"},
              {"lines",
               {{{"sku", "sku-1"},
                 {"quantity", what.quantity},
                 {"unitPriceMinor", 1250}}}}}
    .dump();
}

} // namespace

bool crash_client::run(const std::stop_token& stop) {
  std::optional<crash_intent> open;
  auto last_answer = steady_clock::now();
  while (open || !stop.stop_requested()) {
    if (!open)
      open = next();
    if (door_ != 0 && ask(*open)) {
      open.reset();
      last_answer = steady_clock::now();
      pause(thinks_at_most);
    } else {
      pause(milliseconds(2));
    }
    if (stop.stop_requested()
        && (door_ == 0 || steady_clock::now() - last_answer > gives_up_after))
      return false;
  }
  return true;
}

crash_intent crash_client::about(crash_verb verb, std::string key) {
  const auto known = orders_.find(key);
  const auto quantity =
    known == orders_.end() ? 1 + chance_() % 3 : known->second.quantity;
  return {ledger_.next_number(), verb, who_.tenant, std::move(key), quantity};
}

// Mostly about a young order: its events are on their way.
crash_intent crash_client::next() {
  const auto dice = chance_() % 100;
  if (keys_.empty() || dice < 55)
    return about(crash_verb::place,
                 who_.name + "-" + std::to_string(++placed_));
  if (dice < 62)
    return about(crash_verb::decline,
                 who_.name + "-declined-" + std::to_string(++placed_));
  const auto youth = std::min<std::size_t>(keys_.size(), dice % 2 ? 3 : 200);
  const auto& key = keys_.at(keys_.size() - 1 - chance_() % youth);
  if (dice < 72)
    return about(crash_verb::place, key);
  return about(dice < 86 ? crash_verb::cancel : crash_verb::complete, key);
}

bool crash_client::ask(const crash_intent& what) {
  ledger_.intend(what);
  http_answer answer;
  std::string order_id;
  if (what.verb == crash_verb::place || what.verb == crash_verb::decline) {
    answer = ask_at(door_, "POST", "/v1/orders", who_.token, body_of(what),
                    {"Idempotency-Key: \"" + what.key + "\""});
    if (answer.status == 201)
      order_id = json::parse(answer.body).at("orderId");
  } else {
    const auto* path =
      what.verb == crash_verb::cancel ? "/cancel" : "/complete";
    order_id = orders_.at(what.key).order_id;
    answer = ask_at(door_, "POST", "/v1/orders/" + order_id + path, who_.token);
  }
  ledger_.learn(what.number, answer.status, order_id);
  if (answer.status == 201
      && orders_.emplace(what.key, known_order{order_id, what.quantity, {}})
           .second)
    keys_.push_back(what.key);
  return !leaves_open(answer.status);
}

void crash_client::pause(milliseconds at_most) {
  const milliseconds span(chance_() % (at_most.count() + 1));
  (void)holds_for([] { return true; }, span, milliseconds(1));
}

} // namespace parcelflow::test
