// How actors look from outside: one typed interface each. No actor header
// includes another actor's header; they meet here.
#pragma once

#include "actors/messages.hpp"

#include <caf/typed_actor.hpp>

namespace parcelflow::actors {

/// Whoever stages rounds hears when one is durable.
using round_listener = caf::typed_actor<caf::reacts_to<durable_atom>>;

/// Joins what owners staged into one synced write a round.
using committer_actor = caf::typed_actor<
  caf::reacts_to<stage_atom, storage::sealed_batch_ptr, round_listener>,
  caf::reacts_to<round_atom>>;

/// Owns the outbox and the orders.
using order_actor =
  caf::typed_actor<caf::reacts_to<durable_atom>, caf::reacts_to<flush_atom>,
                   caf::reacts_to<tick_atom>,
                   caf::reacts_to<place_atom, place_ptr>,
                   caf::reacts_to<command_atom, command_ptr>,
                   caf::reacts_to<reserved_atom, reserved_batch>,
                   caf::reacts_to<granted_atom, granted_batch>,
                   caf::reacts_to<resolve_atom, reservation_refs>,
                   caf::reacts_to<resend_atom, resend_request>,
                   caf::replies_to<drain_atom>::with<bool>>;

/// Owns stock and reservations; also consumes order events.
using inventory_actor =
  caf::typed_actor<caf::reacts_to<meet_atom, order_actor>,
                   caf::reacts_to<durable_atom>, caf::reacts_to<flush_atom>,
                   caf::reacts_to<tick_atom>,
                   caf::reacts_to<stock_atom, set_stock_ptr>,
                   caf::reacts_to<reserve_atom, reserve_batch>,
                   caf::reacts_to<release_atom, reservation_refs>,
                   caf::reacts_to<resolved_atom, resolved_batch>,
                   caf::reacts_to<deliver_atom, std::string, delivery_ptr>,
                   caf::reacts_to<told_atom, dead_letter_ref>,
                   caf::reacts_to<operate_atom, stream_op_ptr>,
                   caf::reacts_to<obey_atom, domain::pause_set_ptr>,
                   caf::replies_to<drain_atom>::with<bool>>;

/// The payment authorizer as a port: any actor of this type will do.
using payment_actor =
  caf::typed_actor<caf::reacts_to<authorize_atom, authorize_batch>,
                   caf::reacts_to<granted_atom, granted_batch>,
                   caf::reacts_to<void_atom, reservation_refs>>;

/// Moves committed outbox rows to the bus.
using relay_actor = caf::typed_actor<
  caf::reacts_to<durable_atom>, caf::reacts_to<flush_atom>,
  caf::reacts_to<tick_atom>, caf::reacts_to<fresh_atom, fresh_batch>,
  caf::reacts_to<published_atom, std::uint64_t, publish_results>,
  caf::reacts_to<offer_atom, offer_batch>,
  caf::reacts_to<told_atom, dead_letter_ref>,
  caf::reacts_to<operate_atom, stream_op_ptr>,
  caf::reacts_to<obey_atom, domain::pause_set_ptr>,
  caf::replies_to<drain_atom>::with<bool>>;

/// Hosts the embedded bus adapter, which owns the topic log.
using bus_actor =
  caf::typed_actor<caf::reacts_to<durable_atom>, caf::reacts_to<flush_atom>,
                   caf::reacts_to<tick_atom>,
                   caf::replies_to<drain_atom>::with<bool>>;

/// An owner whose rows change by consuming alone.
using consumer_actor =
  caf::typed_actor<caf::reacts_to<durable_atom>, caf::reacts_to<flush_atom>,
                   caf::reacts_to<tick_atom>,
                   caf::reacts_to<deliver_atom, std::string, delivery_ptr>,
                   caf::reacts_to<told_atom, dead_letter_ref>,
                   caf::reacts_to<operate_atom, stream_op_ptr>,
                   caf::reacts_to<obey_atom, domain::pause_set_ptr>,
                   caf::replies_to<drain_atom>::with<bool>>;

/// Whoever tells the dead-letter owner hears when its record is durable.
using told_listener =
  caf::typed_actor<caf::reacts_to<told_atom, dead_letter_ref>>;

/// Owns the dead-letter registry, replays, pauses and the operator log.
using dead_letter_actor = caf::typed_actor<
  caf::reacts_to<meet_atom, neighbours_ptr>, caf::reacts_to<durable_atom>,
  caf::reacts_to<flush_atom>, caf::reacts_to<tick_atom>,
  caf::reacts_to<errand_atom, errand>,
  caf::reacts_to<tell_atom, tell_ptr, told_listener>,
  caf::reacts_to<again_atom, dead_letter_ref>,
  caf::reacts_to<execute_atom, execute_ptr>,
  caf::reacts_to<cancel_atom, cancel_ptr>,
  caf::reacts_to<replayed_atom, item_result>,
  caf::reacts_to<correct_atom, correction_ptr>,
  caf::reacts_to<pause_atom, pause_request_ptr>,
  caf::reacts_to<note_atom, note_ptr>, caf::replies_to<drain_atom>::with<bool>>;

/// Makes replay plans over snapshots; writes nothing.
using planner_actor =
  caf::typed_actor<caf::reacts_to<tick_atom>,
                   caf::reacts_to<errand_atom, errand>,
                   caf::reacts_to<plan_atom, plan_request_ptr>,
                   caf::reacts_to<show_atom, show_plan_ptr>,
                   caf::reacts_to<execute_atom, execute_ptr>>;

/// Audits the store; reads only.
using auditor_actor =
  caf::typed_actor<caf::reacts_to<tick_atom>, caf::reacts_to<slice_atom>,
                   caf::reacts_to<audit_atom, audit_request_ptr>>;

} // namespace parcelflow::actors
