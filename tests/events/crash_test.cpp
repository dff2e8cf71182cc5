// A crash between commit and publication, by SIGKILL of a real process.
#include "support/fault_point.hpp"
#include "tests/events/event_world.hpp"
#include "tests/support/process.hpp"

#include <csignal>

using namespace parcelflow;

namespace {

constexpr auto directory_of_child = "PARCELFLOW_EVENTS_CHILD_DIR";

/// Names the first order ord-701.
class order_701 final : public support::id_source {
public:
  explicit order_701(std::shared_ptr<support::id_source> later)
    : later_(std::move(later)) {}
  std::string next_ulid() override {
    return std::exchange(named_, true) ? later_->next_ulid() : "701";
  }
  void not_before(support::unix_ms at) override { later_->not_before(at); }
  std::string next_trace_id() override { return later_->next_trace_id(); }
  std::uint64_t below(std::uint64_t bound) override {
    return later_->below(bound);
  }

private:
  std::shared_ptr<support::id_source> later_;
  bool named_ = false;
};

void name_order_701(app::seams& with) {
  with.name_orders = [](auto later) {
    return std::make_shared<order_701>(std::move(later));
  };
  with.name_event = [](const std::string& order_id, std::uint64_t sequence) {
    return std::string(order_id == "ord-701" && sequence == 1 ? "evt-701" : "");
  };
}

std::vector<std::string> ids_of(const std::vector<domain::event_ptr>& events) {
  std::vector<std::string> ids;
  ids.reserve(events.size());
  for (const auto& one : events)
    ids.push_back(one->envelope.event_id);
  return ids;
}

} // namespace

// Runs only in the child of the test below; its last line is never reached.
TEST_CASE("child: the process dies after the commit" * doctest::skip()) {
  const char* path = std::getenv(directory_of_child);
  REQUIRE(path != nullptr);
  test::world w(test::in(path), name_order_701);
  w.stock("tn-a", "sku-1", 10);
  w.stock("tn-b", "sku-1", 10);
  REQUIRE(support::arm_fault_point("order.after_commit", 1));
  w.place(test::world::request("tn-a", "k-701"));
  FAIL("it outlived its crash point");
}

TEST_CASE("crash after commit leaves relayable outbox intent") {
  const test::check_directory directory("crash");
  const test::temp_directory scratch; // of the child, which cannot clean up
  const auto child =
    test::spawn_child("/proc/self/exe", {"--test-case=child: *", "--no-skip"},
                      {scratch / "out", scratch / "err"},
                      {directory_of_child + ("=" + directory.path()),
                       "TMPDIR=" + scratch.path()});
  const auto end = test::wait_for_end(child, std::chrono::seconds(30));
  REQUIRE_MESSAGE(end == test::killed_by(SIGKILL),
                  test::whole_text(scratch / "out"));
  {
    const test::closed_store left(directory.path());
    const auto order = left.order("tn-a", "ord-701");
    REQUIRE(order.has_value());
    CHECK(order->state() == domain::order_state::accepted);
    CHECK(ids_of(left.unpublished()) == std::vector<std::string>{"evt-701"});
    CHECK(left.jobs().empty());
  }
  {
    test::world restarted(test::in(directory.path()));
    test::serves(restarted, "tn-b", "control");
    restarted.check_invariants();
  }
  const test::closed_store after(directory.path());
  CHECK(after.unpublished().empty());
  CHECK(after.position("tn-a", "ord-701") == 1);
  CHECK(after.job("tn-a", "ord-701").has_value());
  CHECK(after.sends("tn-a", "ord-701").size() == 1);
  CHECK(after.orders().size() == 2); // ord-701 and the control
  using who = std::pair<storage::owner, std::string_view>;
  for (const auto& of :
       {who(storage::owner::fulfillment, domain::fulfillment_consumer),
        who(storage::owner::notification, domain::notification_consumer),
        who(storage::owner::inventory, domain::inventory_consumer)}) {
    CAPTURE(of.second);
    CHECK(after.foreign_event(of.first, of.second, "tn-a", "evt-701")
          == domain::event_place{"ord-701", 1});
    CHECK_FALSE(after.foreign_event(of.first, of.second, "tn-b", "evt-701"));
  }
}
