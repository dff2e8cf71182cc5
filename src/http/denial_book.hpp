// Which denials were told already. One line for an actor and a route at once,
// then at most one a minute with how many there were: a client that tries
// again and again does not fill the operator log. Every denial is counted in
// the metrics; a count that no later denial makes room for is only there.
//
// Owner: the api's state. Thread rule: the door's thread. Errors: none; beyond
// `pairs_max` pairs within a minute, the rest share one line.
#pragma once

#include "http/routes.hpp"

#include <map>
#include <string>
#include <utility>

namespace parcelflow::http {

class denial_book {
public:
  static constexpr std::size_t pairs_max = 1000;
  static constexpr support::unix_ms pause_ms = 60'000;

  /// Calls `tell` for each line that is due.
  void note(denial what, support::unix_ms now,
            const std::function<void(const denial&)>& tell);

private:
  struct entry {
    std::string tenant; ///< of the latest
    std::uint64_t untold = 0;
    support::unix_ms next_at = 0;
  };
  using pair = std::pair<std::string, std::string>; ///< actor, verb

  void tell_due(support::unix_ms now,
                const std::function<void(const denial&)>& tell);

  std::map<pair, entry> entries_;
};

} // namespace parcelflow::http
