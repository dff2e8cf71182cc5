// An outside client with a ledger: two tenants place orders, repeat keys,
// cancel, complete and are declined. Each intent stands in the ledger before
// its request leaves, each result as soon as it came; so after the daemon died
// the ledger knows what was acknowledged, and what is only a "maybe", to be
// asked again with the same key.
// Owner: the test. Thread rule: one thread. Errors: an answer other than the
// one that the intent must get fails the test.
#pragma once

#include "tests/support/process.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

class order_ledger {
public:
  /// Issues the tokens; before the daemon's first start.
  explicit order_ledger(daemon_process& of);

  /// Asks for everything that has no result yet, in order. False as soon as an
  /// answer stays away.
  bool run();
  /// Another order of tn-b, and another that is declined.
  void one_more();

  /// True when every acknowledged order has arrived everywhere: the evidence
  /// route shows each consumer at the order's last event.
  [[nodiscard]] bool at_rest();

  /// After the daemon has gone: what its directory holds against the ledger and
  /// the invariants. Lost, unexpected and duplicated must be none.
  void audit() const;

  [[nodiscard]] http_answer get(const std::string& tenant,
                                const std::string& target);

private:
  struct intent {
    std::string tenant;
    std::string name; ///< of the order; also its idempotency key
    std::function<http_answer()> ask;
    int must = 0; ///< status
    bool acknowledged = false;
  };
  void stock(const std::string& tenant);
  void place(const std::string& tenant, const std::string& name,
             const std::string& payment = "tok_ok", int must = 201);
  void close(const std::string& tenant, const std::string& name,
             const std::string& verb);
  [[nodiscard]] std::uint64_t
  events_of(const std::pair<std::string, std::string>& order) const;
  void note(const intent& of, const http_answer& answer);

  daemon_process& daemon_;
  std::map<std::string, std::string> tokens_;
  std::vector<intent> intents_;
  /// (tenant, key) to the acknowledged order's id and how it was closed.
  std::map<std::pair<std::string, std::string>, std::string> orders_;
  std::map<std::pair<std::string, std::string>, std::string> closed_;
};

} // namespace parcelflow::test
