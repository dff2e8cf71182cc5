// The worker of one console session: an actor on a thread of its own that
// drives a console_session, runs its commands and writes through the broker.
// Owner: the broker, which monitors it. Thread rule: an actor. Errors: none;
// its death closes its connection and nothing else.
#pragma once

#include "ops/console_dependencies.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace parcelflow::ops {

// Broker to worker.
using input_atom = caf::atom_constant<caf::atom("input")>; ///< bytes
using sent_atom = caf::atom_constant<caf::atom("sent")>;
// Worker to broker, each with the connection's number.
using output_atom = caf::atom_constant<caf::atom("output")>; ///< bytes
using read_atom = caf::atom_constant<caf::atom("read")>;
using over_atom = caf::atom_constant<caf::atom("over")>; ///< and: by force
// Whoever answers, to the worker.
using answer_atom = caf::atom_constant<caf::atom("answer")>;
using row_atom = caf::atom_constant<caf::atom("row")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;

using document_ptr = std::shared_ptr<const domain::outcome<std::string>>;

struct worker_setup {
  std::shared_ptr<const console_dependencies> with;
  session_limits limits;
  caf::actor broker;
  std::int64_t connection = 0;
};

/// Verdicts on their way to a session, which may be slower than they fall.
struct tail_flow {
  std::atomic<std::uint32_t> waiting{0}; ///< have not left yet
  std::atomic<std::uint64_t> dropped{0};
};

class console_worker_state {
public:
  static inline constexpr const char* name = "console_worker";

  void start(caf::event_based_actor* self, worker_setup with);
  void input(const std::string& bytes);
  void sent();
  void answer(std::uint64_t ticket, const domain::outcome<std::string>& what);
  void row(std::uint64_t ticket, const std::string& document);
  void tick();

private:
  [[nodiscard]] unix_ms now() const;
  /// Moves on whatever the last event made possible.
  void pump();
  void run(const admitted_command& what);
  void run_tail(const admitted_command& what);
  void set_timer();

  caf::event_based_actor* self_ = nullptr;
  worker_setup with_;
  std::unique_ptr<console_session> session_;
  bool reading_ = false;   ///< the broker has our credit
  bool in_flight_ = false; ///< output that has not left yet
  bool told_over_ = false;
  unix_ms timer_at_ = 0;           ///< 0: none is set
  std::uint64_t drain_ticket_ = 0; ///< whose answer stops the daemon
  std::uint64_t tail_ticket_ = 0;
  std::shared_ptr<tail_flow> flow_; ///< of the last tail
  std::shared_ptr<void> tail_;
  std::uint32_t rows_taken_ = 0;   ///< into the session's output
  std::uint32_t rows_written_ = 0; ///< in the output that is in flight
};

caf::behavior console_worker(caf::stateful_actor<console_worker_state>* self,
                             worker_setup with);

} // namespace parcelflow::ops

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::parcelflow::ops::document_ptr)
