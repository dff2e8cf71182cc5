// An order as it is shown: what was accepted, how far it came (R5), and the
// whole evidence of it (R22). Put together from the owners' durable rows as of
// one instant by storage/status_view; what happened after that instant is not
// in it.
// Thread rule: plain values, no logic. Times are unix milliseconds, 0 = none.
#pragma once

#include "domain/dead_letter.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/order.hpp"
#include "domain/sequence_rule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parcelflow::domain {

enum class stage_state : std::uint8_t {
  pending = 1,
  done,
  delayed,   ///< goes on by itself: a retry, or an event on its way
  held,      ///< a responder has to act and has been told
  recovered, ///< done, after a replay
};

struct stage {
  stage_state state = stage_state::pending;
  unix_ms at = 0;              ///< done, recovered
  unix_ms since = 0;           ///< delayed, held
  unix_ms next_attempt_at = 0; ///< delayed, if a time is known
  std::string id;              ///< of what came of it, e.g. the fulfillment id
  std::string dead_letter_id;  ///< held
  std::string replay_id;       ///< recovered

  [[nodiscard]] bool finished() const noexcept {
    return state == stage_state::done || state == stage_state::recovered;
  }
  friend bool operator==(const stage&, const stage&) = default;
};

struct order_progress {
  stage accepted;
  stage published;
  stage fulfillment_started;
  stage notified;

  friend bool operator==(const order_progress&,
                         const order_progress&) = default;
};

struct order_view {
  domain::order order;
  order_progress progress;
  std::optional<fulfillment_job> job;
  std::vector<notification_send> sends;
};

/// That the bus accepted an event once.
struct publication {
  unix_ms published_at = 0;
  std::string broker_message_id;
  std::uint32_t attempts = 1;

  friend bool operator==(const publication&, const publication&) = default;
};

/// One event of an order and its way onto the bus.
struct event_evidence {
  std::string event_id;
  std::string event_type;
  std::uint64_t aggregate_sequence = 0;
  std::uint64_t outbox_position = 0;
  unix_ms committed_at = 0;
  stage published;
  std::optional<publication> receipt;     ///< of its first publication
  std::vector<publication> offered_again; ///< resends, in order
  std::uint64_t publish_attempts = 0;
  std::string last_publish_cause; ///< why it was refused last
  unix_ms unpublished_age_ms = 0; ///< 0 once published
};

/// One consumer's stream of an order: position, inbox, and what waits.
struct consumer_evidence {
  std::string consumer;
  std::uint64_t position = 0; ///< last applied sequence
  std::vector<inbox_entry> inbox;
  std::optional<wait_mark> waiting;
  std::uint64_t waiting_sequence = 0; ///< the lowest in the waiting room
  std::vector<attempt> rolled_back;   ///< of the event that waits, durable
  unix_ms next_attempt_at = 0;
  std::string dead_letter_id;
  std::string redirected_to; ///< the stream was handed to that consumer
  std::string came_from;     ///< it was handed over by that one
};

struct order_evidence {
  order_view view;
  std::vector<event_evidence> events;       ///< ascending sequence
  std::vector<consumer_evidence> consumers; ///< fulfillment, notification, …
  std::optional<reservation_state> reservation;
  std::vector<std::string> dead_letter_ids; ///< ever opened for the order
};

/// A stream that moved: the positive control beside a dead letter.
struct control_stream {
  std::string tenant_id;
  std::string consumer;
  std::string aggregate_id;
  std::uint64_t position = 0;
  unix_ms last_applied_at = 0;
};

/// A dead letter without its payload, and what became of its event.
struct dead_letter_evidence {
  dead_letter letter;
  std::uint64_t position = 0;        ///< of its stream where it is now
  std::string redirected_to;         ///< the consumer that the stream is at
  std::optional<inbox_entry> result; ///< its event, used at last
  std::string effect_id;             ///< of what applying it made, if anything
  std::optional<control_stream> control;
  std::optional<std::uint64_t> payload_bytes; ///< nothing: it expired
};

/// What only the running process counts, since it started.
struct consumer_counts {
  std::string consumer;
  std::uint64_t rolled_back = 0;
  std::uint64_t duplicates_acknowledged = 0;
};

/// A sku with its stock.
struct stock_entry {
  std::string sku;
  domain::stock stock;
};

/// A page of a list. `next` names the last row looked at; empty at the end.
template <class Item>
struct page {
  std::vector<Item> items;
  std::string next;
};

} // namespace parcelflow::domain
