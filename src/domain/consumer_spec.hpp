// What a consumer is, apart from how it runs: a name, the topics and event
// kinds it takes, where it starts, and a pure effect. The core that every
// owner hosts (actors/consumer.hpp) adds position, inbox, waiting and retries.
//
// An effect looks at the event, at the record it left in the stream row, and
// at further rows of its own family; it answers with the new record and row
// changes, declines with a reason, or fails transiently. It never acts on the
// outside world and never looks at a clock.
#pragma once

#include "domain/sequence_rule.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::domain {

/// Rows of the consumer's own family besides its stream row. Changes count
/// only if the effect applies.
class effect_rows {
public:
  virtual ~effect_rows() = default;
  virtual std::optional<std::string> get(std::string_view key) = 0;
  virtual void put(std::string key, std::string value) = 0;
  virtual void erase(std::string key) = 0;
};

struct effect_answer {
  enum class kind : std::uint8_t { applied, declined, transient };
  kind what = kind::applied;
  std::string effect; ///< new record in the stream row, if applied
  std::string reason; ///< why declined or failed

  static effect_answer apply(std::string record) {
    return {kind::applied, std::move(record), {}};
  }
  static effect_answer decline(std::string why) {
    return {kind::declined, {}, std::move(why)};
  }
  static effect_answer fail(std::string why) {
    return {kind::transient, {}, std::move(why)};
  }
};

/// What an effect is told besides the event.
struct effect_context {
  std::string_view effect; ///< the record in the stream row, empty at first
  unix_ms now = 0;
};

using effect_function = std::function<effect_answer(
  const event&, const effect_context&, effect_rows&)>;

enum class start_at : std::uint8_t { from_history, from_now };

struct consumer_spec {
  std::string name;
  std::vector<std::string> topics;
  std::vector<event_kind> supported;
  start_at start = start_at::from_history;
  /// Added to a system that ran before: what was committed until then is
  /// offered to it from the outbox, or marked as before its time (`start`).
  bool added_later = false;
  /// A further version of that consumer: it has no subscription of its own and
  /// takes the streams that a responder redirects to it, with their effects.
  std::string takes_over;
  effect_function effect;
};

} // namespace parcelflow::domain
