// Neighbours of one actor in its test. They are typed, so that the compiler
// keeps them complete; each writes down what it is told and says nothing: the
// test answers in its place, early, late, twice, in another order or not at
// all. A message that the actor under test must not send fails the test.
// Thread rule: the test's thread.
#pragma once

#include "actors/interfaces.hpp"
#include "bus/event_bus.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

inline void unasked() {
  FAIL_CHECK("a neighbour was told what is not for it");
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// What stays of a vector that a test looked at: nothing.
template <class T>
std::vector<T> taken(std::vector<T>& from) {
  return std::exchange(from, {});
}

struct heard_by_inventory {
  std::vector<actors::reserve_request> reserve;
  std::vector<actors::reservation_ref> release;
  std::vector<actors::resolve_answer> resolved;
};

inline actors::inventory_actor::behavior_type
silent_inventory(actors::inventory_actor::pointer, heard_by_inventory* heard) {
  using namespace actors;
  return {
    [](meet_atom, const order_actor&) { unasked(); },
    [](durable_atom) { unasked(); },
    [](flush_atom) { unasked(); },
    [](tick_atom) { unasked(); },
    [](stock_atom, const set_stock_ptr&) { unasked(); },
    [heard](reserve_atom, const reserve_batch& batch) {
      append(heard->reserve, *batch);
    },
    [heard](release_atom, const reservation_refs& which) {
      append(heard->release, *which);
    },
    [heard](resolved_atom, const resolved_batch& batch) {
      append(heard->resolved, *batch);
    },
    [](deliver_atom, const std::string&, const delivery_ptr&) { unasked(); },
    [](told_atom, const dead_letter_ref&) { unasked(); },
    [](operate_atom, const stream_op_ptr&) { unasked(); },
    [](obey_atom, const domain::pause_set_ptr&) { unasked(); },
    [](drain_atom) { return false; },
  };
}

struct heard_by_payment {
  std::vector<actors::authorize_request> authorize;
  std::vector<actors::reservation_ref> voided;
};

inline actors::payment_actor::behavior_type
silent_payment(actors::payment_actor::pointer, heard_by_payment* heard) {
  using namespace actors;
  return {
    [heard](authorize_atom, const authorize_batch& batch) {
      append(heard->authorize, *batch);
    },
    [](granted_atom, const granted_batch&) { unasked(); },
    [heard](void_atom, const reservation_refs& which) {
      append(heard->voided, *which);
    },
  };
}

struct heard_by_relay {
  std::vector<actors::fresh_event> fresh;
  std::vector<actors::offer_again> again;
};

inline actors::relay_actor::behavior_type
silent_relay(actors::relay_actor::pointer, heard_by_relay* heard) {
  using namespace actors;
  return {
    [](durable_atom) { unasked(); },
    [](flush_atom) { unasked(); },
    [](tick_atom) { unasked(); },
    [heard](fresh_atom, const fresh_batch& batch) {
      append(heard->fresh, *batch);
    },
    [](published_atom, std::uint64_t, const publish_results&) { unasked(); },
    [heard](offer_atom, const offer_batch& batch) {
      append(heard->again, *batch);
    },
    [](told_atom, const dead_letter_ref&) { unasked(); },
    [](operate_atom, const stream_op_ptr&) { unasked(); },
    [](obey_atom, const domain::pause_set_ptr&) { unasked(); },
    [](drain_atom) { return false; },
  };
}

struct heard_by_order {
  std::vector<actors::reserve_answer> reserved;
  std::vector<actors::reservation_ref> resolve;
  std::vector<actors::resend_request> resend;
};

inline actors::order_actor::behavior_type
silent_order(actors::order_actor::pointer, heard_by_order* heard) {
  using namespace actors;
  return {
    [](durable_atom) { unasked(); },
    [](flush_atom) { unasked(); },
    [](tick_atom) { unasked(); },
    [](place_atom, const place_ptr&) { unasked(); },
    [](command_atom, const command_ptr&) { unasked(); },
    [heard](reserved_atom, const reserved_batch& batch) {
      append(heard->reserved, *batch);
    },
    [](granted_atom, const granted_batch&) { unasked(); },
    [heard](resolve_atom, const reservation_refs& which) {
      append(heard->resolve, *which);
    },
    [heard](resend_atom, const resend_request& what) {
      heard->resend.push_back(what);
    },
    [](drain_atom) { return false; },
  };
}

struct heard_by_dead_letter {
  std::vector<actors::tell_ptr> tells;
  std::vector<actors::dead_letter_ref> again;
};

inline actors::dead_letter_actor::behavior_type
silent_dead_letter(actors::dead_letter_actor::pointer,
                   heard_by_dead_letter* heard) {
  using namespace actors;
  return {
    [](durable_atom) { unasked(); },
    [](flush_atom) { unasked(); },
    [heard](tell_atom, const tell_ptr& what, const told_listener&) {
      heard->tells.push_back(what);
    },
    [heard](again_atom, const dead_letter_ref& which) {
      heard->again.push_back(which);
    },
    [](meet_atom, const neighbours_ptr&) { unasked(); },
    [](tick_atom) { unasked(); },
    [](errand_atom, const errand&) { unasked(); },
    [](execute_atom, const execute_ptr&) { unasked(); },
    [](cancel_atom, const cancel_ptr&) { unasked(); },
    [](replayed_atom, const item_result&) { unasked(); },
    [](correct_atom, const correction_ptr&) { unasked(); },
    [](pause_atom, const pause_request_ptr&) { unasked(); },
    [](note_atom, const note_ptr&) { unasked(); },
    [](drain_atom) { return false; },
  };
}

/// How the dead-letter owner answers a tell.
inline actors::dead_letter_ref answer_to(const actors::dead_letter_tell& of) {
  return {of.tenant_id, of.dead_letter_id, of.consumer, of.generation};
}

/// A bus that keeps what it is given; results and deliveries come when the
/// test says so.
class silent_bus final : public bus::event_bus {
public:
  struct offer {
    std::vector<bus::offered> events;
    bus::publish_done done;

    [[nodiscard]] std::vector<std::string> ids() const {
      std::vector<std::string> all;
      all.reserve(events.size());
      for (const auto& one : events)
        all.push_back(one.event->envelope.event_id);
      return all;
    }
    /// Every event is accepted, but for those that are named.
    void answer(const std::map<std::string, domain::fault>& but = {}) const {
      std::vector<bus::publish_result> results;
      for (const auto& id : ids()) {
        const auto refused = but.find(id);
        if (refused == but.end())
          results.emplace_back("log-" + id);
        else
          results.emplace_back(refused->second);
      }
      done(std::move(results));
    }
  };

  [[nodiscard]] bus::adapter_traits traits() const override { return is; }
  void publish(std::string_view, std::vector<bus::offered> batch,
               bus::publish_done done) override {
    offers.push_back({std::move(batch), std::move(done)});
  }
  domain::status subscribe(bus::subscription what,
                           bus::delivery_sink sink) override {
    CHECK_FALSE(sinks.contains(what.consumer));
    sinks[what.consumer] = std::move(sink);
    return domain::done();
  }
  void settle(std::string_view, std::string_view consumer,
              std::vector<bus::settled> what) override {
    for (const auto& one : what) {
      CHECK(one.how == bus::settlement::ack);
      settled[std::string(consumer)].push_back(one.token);
    }
  }
  void close(std::function<void()> closed) override { closed(); }

  /// What it holds of actors, which outlive nothing.
  void forget() {
    offers.clear();
    sinks.clear();
  }

  bus::adapter_traits is;
  std::vector<offer> offers;
  std::map<std::string, bus::delivery_sink> sinks;
  std::map<std::string, std::vector<std::uint64_t>> settled;
};

} // namespace parcelflow::test
