// Something of everything that a store can hold, for two tenants alike, and the
// damage that is done to a copy of it.
#pragma once

#include "storage/audit.hpp"
#include "tests/storage/store_fixture.hpp"
#include "tests/support/scenario.hpp"
#include "tests/support/scripted_bus.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parcelflow::test {

/// What became of one tenant's orders.
struct lab_tenant {
  std::string plain;     ///< accepted, both effects
  std::string cancelled; ///< and settled
  std::string completed;
  std::string refused; ///< the bus refuses it; a dead letter of `publish`
};

/// Effects of aggregates that begin with "sick" fail, the bus refuses orders of
/// "sku-refused"; two tenants have been through everything.
class audit_lab {
public:
  audit_lab() : world_(adjust, [this](app::seams& with) { inject(with); }) {
    for (const auto& tenant : tenants())
      live(tenant);
    world_.pass(60'000, 500);
    for (const auto& tenant : tenants())
      end_in_the_middle(tenant);
  }

  static std::vector<std::string> tenants() { return {"tn-a", "tn-b"}; }
  [[nodiscard]] const lab_tenant& of(const std::string& tenant) const {
    return tenants_.at(tenant);
  }
  [[nodiscard]] world& engine() noexcept { return world_; }

  /// Audits the running engine as the daemon does.
  [[nodiscard]] storage::audit_report
  audit(storage::audit_mode mode = storage::audit_mode::running) {
    return storage::audit(world_.it->store(), options_at(world_.clock, mode));
  }
  static storage::audit_options options_at(const support::clock& clock,
                                           storage::audit_mode mode) {
    storage::audit_options options;
    options.now = clock.now();
    options.mode = mode;
    return options;
  }

private:
  static void adjust(app::config& with) {
    with.consumer.attempts_max = 3;
    with.consumer.inbox_inline_max = 2;
    with.relay.publish_attempts_max = 2;
  }
  void inject(app::seams& with) {
    script_.judge = [](const bus::offered& one) {
      return one.event->envelope.data.find("sku-refused") == std::string::npos
               ? std::nullopt
               : std::optional(
                 domain::fault{domain::failure::bus_refused, "not this one"});
    };
    script_.inject()(with);
    with.adjust_spec = [](domain::consumer_spec& spec) {
      if (spec.name != domain::fulfillment_consumer)
        return;
      spec.effect = [well = spec.effect](const auto& of, const auto& context,
                                         auto& rows) {
        if (of.envelope.aggregate_id.starts_with("sick"))
          return domain::effect_answer::fail("sick");
        return well(of, context, rows);
      };
    };
  }

  void live(const std::string& tenant) {
    auto& w = world_;
    w.stock(tenant, "sku-1", 100);
    w.stock(tenant, "sku-refused", 100);
    auto& mine = tenants_[tenant];
    mine.plain = w.accepted(tenant, "plain");
    mine.cancelled = w.accepted(tenant, "cancelled");
    mine.completed = w.accepted(tenant, "completed");
    using domain::order_command;
    REQUIRE(w.command(tenant, mine.cancelled, order_command::cancel).ok());
    REQUIRE(w.command(tenant, mine.completed, order_command::complete).ok());
    const auto refused =
      w.place(world::request(tenant, "refused", 1, "tok_ok", "sku-refused"));
    mine.refused = refused.order_id;
    w.publish({cancelled_event("e-gap", tenant, "gap", 2)});
    w.publish({cancelled_event("e-gap-3", tenant, "gap", 3)});
    w.publish({accepted_event("e-fork", tenant, "forked")});
    w.publish({accepted_event("e-rival", tenant, "forked")});
    w.publish({accepted_event("e-sick", tenant, "sick")});
    w.publish(
      {world::foreign("e-new", tenant, "too-new", 1, "OrderAccepted", 9)});
    w.publish({accepted_event("e-long-1", tenant, "long")});
    for (std::uint64_t n = 2; n <= 5; ++n)
      w.publish(
        {cancelled_event("e-long-" + std::to_string(n), tenant, "long", n)});
    w.deliver_text(w.it->fulfillment_owner(), domain::fulfillment_consumer,
                   R"({"tenantId":")" + tenant + R"(","eventId":7})");
    // A gap that was filled late: its record is resolved.
    w.publish({cancelled_event("e-late-2", tenant, "late", 2)});
    w.publish({accepted_event("e-late-1", tenant, "late")});
  }

  /// What a running daemon is never without.
  void end_in_the_middle(const std::string& tenant) {
    world_.publish({accepted_event("e-retry", tenant, "sick-now")});
    world_.send(world::request(tenant, "silent", 1, "tok_silent"));
    world_.run();
  }

  bus_script script_;
  std::map<std::string, lab_tenant> tenants_;
  world world_;
};

/// A copy of the lab's directory, opened to do damage to it.
class damaged_store {
public:
  explicit damaged_store(const std::string& directory) {
    const auto copy = files_ / "data";
    std::filesystem::copy(directory, copy,
                          std::filesystem::copy_options::recursive);
    store_ = open_or_throw(options_for(copy));
  }
  [[nodiscard]] std::string get(storage::owner of, const std::string& key) {
    auto row = store_->read().get(of, key);
    REQUIRE_MESSAGE(row.has_value(), storage::name_of(of, key).kind);
    return *std::move(row);
  }
  void put(storage::owner of, const std::string& key, std::string value) {
    family_of(of).put(key, std::move(value));
    commit(*store_, family_of(of));
  }
  void erase(storage::owner of, const std::string& key) {
    REQUIRE_FALSE(get(of, key).empty()); // or the damage would be none
    family_of(of).erase(key);
    commit(*store_, family_of(of));
  }
  /// Changes a row through its own codec.
  template <class Decode, class Change>
  void edit(storage::owner of, const std::string& key, Decode decode,
            Change change) {
    auto row = decode(std::string_view(get(of, key)));
    REQUIRE(row.ok());
    change(*row);
    put(of, key, encode(*row));
  }

  [[nodiscard]] storage::audit_report audit(support::unix_ms now,
                                            storage::audit_mode mode) const {
    storage::audit_options options;
    options.now = now;
    options.mode = mode;
    return storage::audit(*store_, options);
  }

  [[nodiscard]] storage::snapshot read() const { return store_->read(); }

private:
  storage::family& family_of(storage::owner of) {
    auto& one = families_.at(static_cast<std::size_t>(of));
    if (!one)
      one.emplace(store_->take(of));
    return *one;
  }

  temp_directory files_;
  std::unique_ptr<storage::store> store_;
  std::array<std::optional<storage::family>, storage::owner_count> families_;
};

} // namespace parcelflow::test
