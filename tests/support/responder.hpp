// A responder at the desk of a test world: plans, runs, looks. What is read is
// durable; each call runs the world until nothing is left to do.
#pragma once

#include "codec/filter_text.hpp"
#include "tests/support/scenario.hpp"
#include "tests/support/scripted_bus.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace parcelflow::test {

/// Makes fulfillment's effect fail while `fails` holds.
inline std::function<void(domain::consumer_spec&)>
failing_effect(const bool& fails) {
  return [&fails](domain::consumer_spec& spec) {
    if (spec.name != domain::fulfillment_consumer)
      return;
    spec.effect = [&fails, real = spec.effect](
                    const auto& of, const auto& context, auto& rows) {
      return fails ? domain::effect_answer::fail("broken for now")
                   : real(of, context, rows);
    };
  };
}

inline std::string only_letter(world& w, std::string_view consumer) {
  const auto found = letters_of(w, consumer);
  REQUIRE(found.size() == 1);
  return found.front().dead_letter_id;
}

class responder {
public:
  template <class Value>
  using slot = std::shared_ptr<std::optional<domain::outcome<Value>>>;

  responder(world& w, std::string tenant)
    : world_(w), tenant_(std::move(tenant)) {}

  template <class Value>
  static actors::ops_answer<Value> into(const slot<Value>& of) {
    return [of](domain::outcome<Value> given) {
      CHECK_FALSE_MESSAGE(of->has_value(), "answered twice");
      *of = std::move(given);
    };
  }
  template <class Value>
  static slot<Value> empty() {
    return std::make_shared<std::optional<domain::outcome<Value>>>();
  }
  [[nodiscard]] actors::ops_caller who(std::string reason = "because") const {
    return {"tok-test", tenant_, std::move(reason)};
  }
  actors::ops_desk& desk() { return world_.it->desk(); }

  domain::replay_plan plan(std::string_view filter) {
    const auto terms = codec::split_terms(filter);
    REQUIRE(terms.ok());
    const auto parsed = codec::parse_filter(*terms, world_.clock.now());
    REQUIRE_MESSAGE(parsed.ok(), filter);
    const auto begun = empty<actors::plan_ptr>();
    desk().plan(who(), *parsed, into(begun));
    world_.run();
    REQUIRE(begun->has_value());
    REQUIRE((**begun).ok());
    const auto made = empty<actors::plan_ptr>();
    desk().show_plan(tenant_, (***begun)->plan_id, into(made));
    world_.run();
    REQUIRE((**made).ok());
    CHECK((***made)->state == domain::plan_state::ready);
    return ****made;
  }
  slot<actors::replay_ticket> execute(const domain::replay_plan& plan,
                                      std::uint32_t rate) {
    auto given = empty<actors::replay_ticket>();
    desk().execute(who(), plan.plan_id, rate, into(given));
    return given;
  }
  domain::replay run(const domain::replay_plan& plan) {
    const auto given = execute(plan, 0);
    world_.run();
    REQUIRE(given->has_value());
    REQUIRE_MESSAGE((**given).ok(), ((**given) ? "" : (**given).why().detail));
    CHECK_FALSE((**given)->repeated);
    auto ended = replay((**given)->replay_id);
    CHECK(ended.state == domain::replay_state::finished);
    CHECK(ended.counts.sum() == ended.total);
    CHECK(ended.plan_digest == plan.digest);
    return ended;
  }
  std::string run_again(const domain::replay_plan& plan) {
    const auto given = execute(plan, 0);
    world_.run();
    REQUIRE((**given).ok());
    CHECK((**given)->repeated);
    return (**given)->replay_id;
  }
  domain::fault why_not(const std::string& plan_id) {
    const auto given = empty<actors::replay_ticket>();
    desk().execute(who(), plan_id, 0, into(given));
    world_.run();
    REQUIRE(given->has_value());
    REQUIRE_FALSE((**given).ok());
    return (**given).why();
  }
  domain::fault why_not(const domain::replay_plan& plan) {
    return why_not(plan.plan_id);
  }
  domain::outcome<domain::replay> cancel(const std::string& id) {
    const auto given = empty<domain::replay>();
    desk().cancel(who(), id, into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<domain::dead_letter>
  waive(const std::string& id, const std::string& reason = "agreed") {
    const auto given = empty<domain::dead_letter>();
    desk().waive(who(reason), id, into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<std::uint64_t> skip(const std::string& aggregate,
                                      std::uint64_t sequence,
                                      const std::string& reason = "agreed") {
    const auto given = empty<std::uint64_t>();
    desk().skip(who(reason),
                {std::string(domain::fulfillment_consumer), aggregate},
                sequence, into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<std::uint64_t> redirect(const std::string& aggregate,
                                          std::string_view to) {
    const auto given = empty<std::uint64_t>();
    desk().redirect(who(),
                    {std::string(domain::fulfillment_consumer), aggregate},
                    std::string(to), into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<std::uint64_t> resend(const std::string& aggregate,
                                        std::uint64_t from, std::uint64_t to) {
    const auto given = empty<std::uint64_t>();
    desk().resend(who(), {std::string(domain::fulfillment_consumer), aggregate},
                  from, to, into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<domain::pause_set_ptr> pause(domain::pause_target target) {
    const auto given = empty<domain::pause_set_ptr>();
    desk().pause(who(), std::move(target), into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }
  domain::outcome<domain::pause_set_ptr> resume(domain::pause_target target) {
    const auto given = empty<domain::pause_set_ptr>();
    desk().resume(who(), std::move(target), into(given));
    world_.run();
    REQUIRE(given->has_value());
    return **given;
  }

  // --- what is durable ------------------------------------------------------
  domain::replay replay(const std::string& id) {
    const auto row = world_.it->store().read().get(
      storage::owner::dead_letter, storage::replay_key(tenant_, id));
    REQUIRE(row.has_value());
    auto of = domain::decode_replay(tenant_, id, *row);
    REQUIRE(of.ok());
    return *of;
  }
  domain::replay_item item(const domain::replay& of, std::uint64_t number) {
    const auto row = world_.it->store().read().get(
      storage::owner::dead_letter,
      storage::replay_item_key(tenant_, of.replay_id, number));
    REQUIRE(row.has_value());
    auto found = domain::decode_replay_item(*row);
    REQUIRE(found.ok());
    return *found;
  }
  domain::dead_letter letter(const std::string& id) {
    for (const auto& one : world_.dead_letters())
      if (one.dead_letter_id == id && one.tenant_id == tenant_)
        return one;
    FAIL("no such dead letter: " << id);
    return {};
  }
  std::vector<domain::log_entry> log() {
    std::vector<domain::log_entry> found;
    const auto from = storage::key_writer(storage::kind::operator_log).take();
    world_.it->store().read().scan(
      storage::owner::dead_letter, from, storage::prefix_end(from),
      [&](auto key, auto value) {
        storage::key_reader in(key);
        auto entry = domain::decode_log_entry(in.number(), value);
        REQUIRE(entry.ok());
        found.push_back(*entry);
        return true;
      });
    return found;
  }
  /// The last entry's verb and target.
  std::string last_logged() {
    const auto all = log();
    REQUIRE_FALSE(all.empty());
    return all.back().verb + " " + all.back().target;
  }

private:
  world& world_;
  std::string tenant_;
};

} // namespace parcelflow::test
