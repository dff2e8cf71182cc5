// The dead-letter owner: the registry of what could not be applied. Consumers
// park first and tell it after; telling it twice meets the same record. It
// answers only when the record is durable.
// Thread rule: an actor. Errors: none; a failing store is fail-stop.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/round_writer.hpp"
#include "support/clock.hpp"
#include "support/metrics.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace parcelflow::actors {

struct dead_letter_dependencies {
  storage::family rows;
  commit_way way;
  const support::clock* clock = nullptr;
  support::metrics* metrics = nullptr;
};

class dead_letter_state {
public:
  static inline constexpr const char* name = "dead_letter";

  void init(dead_letter_actor::pointer self, dead_letter_dependencies with);

  void hear(const dead_letter_tell& what, const told_listener& from);
  void seen_again(const dead_letter_ref& which);
  void flush() { writer_->flush(self_); }
  void durable();
  caf::result<bool> drain();

private:
  std::optional<domain::dead_letter> load(const std::string& tenant,
                                          const std::string& id);
  void save(const domain::dead_letter& letter);
  void open(const domain::dead_letter& told);
  void close(const std::string& tenant, const std::string& id,
             const domain::dead_letter_step& step);
  void after();

  dead_letter_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  const support::clock* clock_ = nullptr;
  support::metrics* metrics_ = nullptr;
  support::counter seen_again_;
  std::optional<caf::typed_response_promise<bool>> drained_;
};

dead_letter_actor::behavior_type
dead_letter(dead_letter_actor::stateful_pointer<dead_letter_state> self,
            dead_letter_dependencies with);

} // namespace parcelflow::actors
