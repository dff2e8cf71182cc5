// Every wait has an end: the authorizer's own deadline, a bus that never
// answers, and a disk that fills.
#include "tests/support/scenario.hpp"

#include <utility>

using namespace parcelflow;
using test::serves;
using test::world;

namespace {

/// Passes everything on, but keeps the answers to itself while silent.
class silent_bus final : public bus::event_bus {
public:
  silent_bus(std::unique_ptr<bus::event_bus> inner, const bool& silent)
    : inner_(std::move(inner)), silent_(silent) {}

  bus::adapter_traits traits() const override { return inner_->traits(); }
  void publish(std::string_view topic, std::vector<bus::offered> batch,
               bus::publish_done done) override {
    if (silent_)
      kept_.push_back(std::exchange(done, [](auto) {}));
    inner_->publish(topic, std::move(batch), std::move(done));
  }
  domain::status subscribe(bus::subscription what,
                           bus::delivery_sink sink) override {
    return inner_->subscribe(std::move(what), std::move(sink));
  }
  void settle(std::string_view topic, std::string_view consumer,
              std::vector<bus::settled> what) override {
    inner_->settle(topic, consumer, std::move(what));
  }
  void close(std::function<void()> closed) override {
    inner_->close(std::move(closed));
  }

private:
  std::unique_ptr<bus::event_bus> inner_;
  const bool& silent_;
  std::vector<bus::publish_done> kept_;
};

} // namespace

TEST_CASE("the authorizer has a deadline of its own, before the order's") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto slow = w.send(world::request("tn-a", "k", 1, "tok_silent"));
  w.pass(w.settings.payment.deadline_ms.count() - 100);
  CHECK_FALSE(slow->has_value());
  w.pass(300);
  REQUIRE(slow->has_value());
  CHECK((*slow)->why.code == domain::failure::deadline_exceeded);
  CHECK((*slow)->why.detail.starts_with("the payment"));
  CHECK(w.stock_of("tn-a", "sku-1")->reserved == 0);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a bus that never answers is asked again, and effects stay single") {
  bool silent = true;
  world w({}, [&](app::seams& with) {
    with.wrap_bus = [&](std::unique_ptr<bus::event_bus> inner) {
      return std::make_unique<silent_bus>(std::move(inner), silent);
    };
  });
  w.stock("tn-a", "sku-1", 10);
  const auto id = w.accepted("tn-a", "k");
  // It took the event and said nothing: delivered, and not booked.
  CHECK(w.job("tn-a", id).has_value());
  silent = false;
  w.pass(w.settings.relay.publish_deadline_ms.count() + 1000);
  CHECK(w.verdicts("fulfillment-v1", "duplicate") == 1);
  CHECK(w.sends("tn-a", id).size() == 1);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("below the free-space watermark new orders are refused") {
  world w([](app::config& settings) {
    settings.storage.free_space_min_bytes = 1ULL << 60U;
  });
  w.stock("tn-a", "sku-1", 10);
  const auto answer = w.place(world::request("tn-a", "k"));
  CHECK(answer.what == actors::place_answer::kind::refused);
  CHECK(answer.why.code == domain::failure::disk_full);
  CHECK(w.stock_of("tn-a", "sku-1")->reserved == 0);
}

TEST_CASE("a repeat while a slow disk stores the order is told to come back") {
  world* it = nullptr;
  int rounds_until_slow = 0;
  world::answer_slot repeat;
  world w({}, [&](app::seams& with) {
    with.on_round = [&](std::string_view) {
      if (rounds_until_slow == 0 || --rounds_until_slow > 0)
        return;
      // The order's round is being written, and it takes longer than allowed.
      it->clock.advance(it->settings.order.accept_deadline_ms.count() + 1000);
      repeat = it->send(world::request("tn-a", "k"));
    };
  });
  it = &w;
  w.stock("tn-a", "sku-1", 10);
  rounds_until_slow = 2; // the reservation's round, then the order's
  const auto first = w.place(world::request("tn-a", "k"));
  CHECK(first.what == actors::place_answer::kind::accepted);
  REQUIRE(repeat);
  REQUIRE(repeat->has_value());
  CHECK((*repeat)->why.code == domain::failure::request_in_progress);
  const auto later = w.place(world::request("tn-a", "k"));
  CHECK(later.repeated);
  CHECK(later.order_id == first.order_id);
  serves(w, "tn-b", "control");
  w.check_invariants();
}

TEST_CASE("a clock set back ends no wait late and reorders no id") {
  world w;
  w.stock("tn-a", "sku-1", 10);
  const auto before = w.accepted("tn-a", "k1");
  const auto silent = w.send(world::request("tn-a", "k2", 1, "tok_silent"));
  w.run();
  w.clock.set(w.clock.now() - 365LL * 24 * 3600 * 1000);
  w.pass(w.settings.order.accept_deadline_ms.count() + 100);
  REQUIRE(silent->has_value());
  CHECK((*silent)->why.code == domain::failure::deadline_exceeded);
  w.restart();
  CHECK(w.accepted("tn-a", "k3") > before);
  serves(w, "tn-b", "control");
  w.check_invariants();
}
