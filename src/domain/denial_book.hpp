// Denials of authenticated actors, and which of them were told already. One
// line for an actor and a verb at once, then at most one a minute with how many
// there were: a client that tries again and again does not fill the operator
// log. Every denial is counted in the metrics; a count that no later denial
// makes room for is only there.
//
// Owner: whoever keeps a door. Thread rule: one thread at a time. Errors: none;
// beyond `pairs_max` pairs within a minute, the rest share one line.
#pragma once

#include "support/clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace parcelflow::domain {

using support::unix_ms;

/// An authenticated actor was refused. Holds nothing that the client wrote:
/// a path, a query, a header or a command line may carry a secret.
struct denial {
  std::string actor;       ///< the token's id
  std::string tenant;      ///< as asked for, if there is such a one
  std::string verb;        ///< e.g. "GET /v1/dead-letters/{id}", "outbox"
  std::uint64_t count = 1; ///< of this actor and verb since the last line
};

using denial_listener = std::function<void(const denial&)>;

class denial_book {
public:
  static constexpr std::size_t pairs_max = 1000;
  static constexpr unix_ms pause_ms = 60'000;

  /// Calls `tell` for each line that is due.
  void note(denial what, unix_ms now, const denial_listener& tell);

private:
  struct entry {
    std::string tenant; ///< of the latest
    std::uint64_t untold = 0;
    unix_ms next_at = 0;
  };
  using pair = std::pair<std::string, std::string>; ///< actor, verb

  void tell_due(unix_ms now, const denial_listener& tell);

  std::map<pair, entry> entries_;
};

} // namespace parcelflow::domain
