// Looks on while effects run, and holds what it sees against what is durable
// at that very moment: nothing runs that was paused when the process started
// or last came to rest (R12), and after an unclean stop a consumer's first
// effect has an attempt row before it begins (R13). The rows afterwards would
// not show either. Owner: the simulation; one watch a process. Thread rule: the
// driver's.
#pragma once

#include "domain/event.hpp"
#include "storage/store.hpp"
#include "tests/support/rows.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace parcelflow::simulation {

class effect_watch {
public:
  /// A process starts from these rows.
  void begin(const test::rows& at);
  /// Nothing is on its way: whatever is paused was heard by everybody.
  void calm(const test::rows& at);
  /// Responders pause and resume: until it is calm again nobody can tell what
  /// was heard.
  void stir() { pauses_.clear(); }

  /// An effect is about to run. Empty: it may.
  [[nodiscard]] std::string judge(std::string_view consumer,
                                  const domain::event& of,
                                  const storage::snapshot& durable);

private:
  [[nodiscard]] bool paused(std::string_view consumer, const domain::event& of,
                            const storage::snapshot& durable) const;

  std::map<std::string, std::string> pauses_;  ///< rows, as they were
  std::set<std::string, std::less<>> careful_; ///< ran nothing yet
};

} // namespace parcelflow::simulation
