// What actors say to each other. Everything that is shared is immutable and
// passed by pointer; batches, not single things, wherever the way of an order
// goes. Nothing here depends on how an actor works inside.
#pragma once

#include "actors/answers.hpp"
#include "actors/ops_requests.hpp"
#include "actors/stream_ops.hpp"
#include "bus/event_bus.hpp"
#include "domain/audit_report.hpp"
#include "domain/dead_letter.hpp"
#include "domain/inventory.hpp"
#include "domain/order.hpp"
#include "domain/payment.hpp"
#include "storage/consumer_store.hpp"
#include "storage/family.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::actors {

using support::unix_ms;

// --- committing ------------------------------------------------------------
using flush_atom = caf::atom_constant<caf::atom("flush")>;
using stage_atom = caf::atom_constant<caf::atom("stage")>;
using round_atom = caf::atom_constant<caf::atom("round")>;
using durable_atom = caf::atom_constant<caf::atom("durable")>;
// --- life ------------------------------------------------------------------
using drain_atom = caf::atom_constant<caf::atom("drain")>;
using meet_atom = caf::atom_constant<caf::atom("meet")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
// --- the way of an order ---------------------------------------------------
using place_atom = caf::atom_constant<caf::atom("place")>;
using command_atom = caf::atom_constant<caf::atom("command")>;
using reserve_atom = caf::atom_constant<caf::atom("reserve")>;
using reserved_atom = caf::atom_constant<caf::atom("reserved")>;
using release_atom = caf::atom_constant<caf::atom("release")>;
using resolve_atom = caf::atom_constant<caf::atom("resolve")>;
using resolved_atom = caf::atom_constant<caf::atom("resolved")>;
using authorize_atom = caf::atom_constant<caf::atom("authorize")>;
using granted_atom = caf::atom_constant<caf::atom("granted")>;
using void_atom = caf::atom_constant<caf::atom("void")>;
using stock_atom = caf::atom_constant<caf::atom("stock")>;
using fresh_atom = caf::atom_constant<caf::atom("fresh")>;
using published_atom = caf::atom_constant<caf::atom("published")>;
using offer_atom = caf::atom_constant<caf::atom("offer")>;
using deliver_atom = caf::atom_constant<caf::atom("deliver")>;
using resend_atom = caf::atom_constant<caf::atom("resend")>;
using tell_atom = caf::atom_constant<caf::atom("tell")>;
using told_atom = caf::atom_constant<caf::atom("told")>;
using again_atom = caf::atom_constant<caf::atom("again")>;
// --- what responders do ------------------------------------------------------
using operate_atom = caf::atom_constant<caf::atom("operate")>;
using obey_atom = caf::atom_constant<caf::atom("obey")>;
using plan_atom = caf::atom_constant<caf::atom("plan")>;
using show_atom = caf::atom_constant<caf::atom("show")>;
using execute_atom = caf::atom_constant<caf::atom("execute")>;
using cancel_atom = caf::atom_constant<caf::atom("cancel")>;
using correct_atom = caf::atom_constant<caf::atom("correct")>;
using pause_atom = caf::atom_constant<caf::atom("pause")>;
using note_atom = caf::atom_constant<caf::atom("note")>;
using replayed_atom = caf::atom_constant<caf::atom("replayed")>;
using errand_atom = caf::atom_constant<caf::atom("errand")>;
// --- auditing --------------------------------------------------------------
using audit_atom = caf::atom_constant<caf::atom("audit")>;
using slice_atom = caf::atom_constant<caf::atom("slice")>;

/// A validated order on its way in. `answer` is called once, on the order
/// owner's thread, and must not block.
struct place_order {
  domain::order_request request;
  std::function<void(place_answer)> answer;
};
using place_ptr = std::shared_ptr<place_order>;

struct order_command {
  std::string tenant_id;
  std::string order_id;
  domain::order_command command = domain::order_command::cancel;
  std::string trace_id;
  std::string traceparent;
  std::function<void(domain::outcome<command_answer>)> answer;
};
using command_ptr = std::shared_ptr<order_command>;

struct set_stock {
  std::string tenant_id;
  std::string sku;
  std::int64_t on_hand = 0;
  std::function<void(domain::outcome<domain::stock>)> answer;
};
using set_stock_ptr = std::shared_ptr<set_stock>;

struct reserve_request {
  std::uint64_t attempt = 0; ///< comes back with the answer
  std::string tenant_id;
  std::string idempotency_key;
  domain::sha256_digest fingerprint{};
  std::vector<domain::reserved_line> lines;
};
using reserve_batch = std::shared_ptr<const std::vector<reserve_request>>;

/// A reservation by its full name, and the key it was made for.
struct reservation_ref {
  std::string tenant_id;
  std::string reservation_id;
  std::string idempotency_key;
};

struct reserve_answer {
  std::uint64_t attempt = 0;
  domain::outcome<reservation_ref> reserved;
};
using reserved_batch = std::shared_ptr<const std::vector<reserve_answer>>;

using reservation_refs = std::shared_ptr<const std::vector<reservation_ref>>;

struct resolve_answer {
  reservation_ref of;
  bool bound = false; ///< an accepted order holds it
};
using resolved_batch = std::shared_ptr<const std::vector<resolve_answer>>;

struct authorize_request {
  std::uint64_t attempt = 0;
  domain::payment_request payment;
};
using authorize_batch = std::shared_ptr<const std::vector<authorize_request>>;

struct authorize_answer {
  std::uint64_t attempt = 0;
  domain::outcome<domain::authorization> granted;
};
using granted_batch = std::shared_ptr<const std::vector<authorize_answer>>;

/// Committed outbox rows, handed to the relay as a hint.
struct fresh_event {
  std::uint64_t position = 0;
  domain::event_ptr event;
};
using fresh_batch = std::shared_ptr<const std::vector<fresh_event>>;

/// What the bus said of one open publish batch.
using publish_results = std::shared_ptr<const std::vector<bus::publish_result>>;

/// Outbox positions to be offered once more.
struct offer_again {
  std::uint64_t position = 0;
  std::uint64_t sequence = 0;
};
using offer_batch = std::shared_ptr<const std::vector<offer_again>>;

using delivery_ptr = std::shared_ptr<const bus::delivery_batch>;

struct resend_request {
  std::string consumer;
  std::string tenant_id;
  std::string aggregate_id;
  std::uint64_t from = 0;
  std::uint64_t to = 0; ///< inclusive
  /// How many are offered again, or the refusal; empty: nobody asks.
  std::function<void(domain::outcome<std::uint64_t>)> answer;
};

struct dead_letter_tell {
  std::string tenant_id;
  std::string dead_letter_id;
  std::string consumer;
  std::uint64_t generation = 0;
  storage::tell_row row;
};
using tell_ptr = std::shared_ptr<const dead_letter_tell>;

struct dead_letter_ref {
  std::string tenant_id;
  std::string dead_letter_id;
  std::string consumer;
  std::uint64_t generation = 0;
  /// In an answer: what was told to be open had been waived before.
  bool waived = false;
};

using audit_report_ptr = std::shared_ptr<const domain::audit_report>;

/// Somebody wants to know. Answered once, and must not block; whoever lets go
/// of it unanswered answers with nothing, also a mailbox that nobody reads.
class audit_request {
public:
  using answer_function = std::function<void(audit_report_ptr)>;
  explicit audit_request(answer_function then) : then_(std::move(then)) {}
  audit_request(const audit_request&) = delete;
  audit_request& operator=(const audit_request&) = delete;
  ~audit_request() { answer(nullptr); }

  void answer(const audit_report_ptr& report) {
    if (const auto then = std::exchange(then_, nullptr))
      then(report);
  }

private:
  answer_function then_;
};
using audit_request_ptr = std::shared_ptr<audit_request>;

} // namespace parcelflow::actors

#define PF_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::parcelflow::type)
PF_MESSAGE(storage::sealed_batch_ptr)
PF_MESSAGE(actors::place_ptr)
PF_MESSAGE(actors::command_ptr)
PF_MESSAGE(actors::set_stock_ptr)
PF_MESSAGE(actors::reserve_batch)
PF_MESSAGE(actors::reserved_batch)
PF_MESSAGE(actors::reservation_refs)
PF_MESSAGE(actors::resolved_batch)
PF_MESSAGE(actors::authorize_batch)
PF_MESSAGE(actors::granted_batch)
PF_MESSAGE(actors::fresh_batch)
PF_MESSAGE(actors::publish_results)
PF_MESSAGE(actors::offer_batch)
PF_MESSAGE(actors::delivery_ptr)
PF_MESSAGE(actors::resend_request)
PF_MESSAGE(actors::stream_op_ptr)
PF_MESSAGE(domain::pause_set_ptr)
PF_MESSAGE(actors::plan_request_ptr)
PF_MESSAGE(actors::show_plan_ptr)
PF_MESSAGE(actors::execute_ptr)
PF_MESSAGE(actors::cancel_ptr)
PF_MESSAGE(actors::correction_ptr)
PF_MESSAGE(actors::pause_request_ptr)
PF_MESSAGE(actors::note_ptr)
PF_MESSAGE(actors::item_result)
PF_MESSAGE(actors::neighbours_ptr)
PF_MESSAGE(actors::errand)
PF_MESSAGE(actors::tell_ptr)
PF_MESSAGE(actors::dead_letter_ref)
PF_MESSAGE(actors::audit_request_ptr)
#undef PF_MESSAGE
