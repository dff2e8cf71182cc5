// What the isolation grid asks about: tn-a has one object of every kind, tn-b
// has none of them, and each has a twin of the same form that nobody has. A
// foreign, too small or stale token must not tell the two apart.
// Owner: the test. Thread rule: one thread. Errors: fail the test.
#pragma once

#include "tests/support/process.hpp"
#include "tests/support/temp_directory.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

struct hidden_object {
  std::string kind = {};
  std::string id = {};      ///< tn-a's
  std::string missing = {}; ///< of the same form and length; nobody's
};

class isolation_world {
public:
  /// Everything is there, at rest, and the daemon stopped.
  isolation_world();

  /// Starts it; plans live in memory, so each life has its own.
  void start();
  void stop();

  /// Every kind of object; while the daemon runs.
  [[nodiscard]] const std::vector<hidden_object>& objects() const {
    return objects_;
  }
  /// An answer without what it echoes of the question: the id that was asked
  /// for, and the ULID within it, as <id> and <ulid>.
  [[nodiscard]] static std::string without(std::string text,
                                           const std::string& asked);
  /// True if it names an object of tn-a's; after `without`.
  [[nodiscard]] bool tells_of_an_object(const std::string& text) const;

  /// Every row that may not change while strangers ask, by its key in hex. Not
  /// among them: the operator log, which tells of denials; cursors, which
  /// follow; and what a stranger may write of its own tenant.
  [[nodiscard]] std::map<std::string, std::string> rows() const;
  /// Fails the test for each row that was written, changed or erased since.
  void has_still(const std::map<std::string, std::string>& before) const;

  std::string owner;   ///< a responder's of tn-a
  std::string foreign; ///< a responder's of tn-b
  std::string both;    ///< of both
  std::string small;   ///< an operator's of tn-a
  std::string admin;
  std::string revoked; ///< was a responder's of tn-a
  std::string expired; ///< too
  temp_directory files;
  daemon_process daemon{files / "data", "crash-lab"};

  /// A token of tn-a's responders, and its id.
  [[nodiscard]] std::pair<std::string, std::string> issue() const;
  void revoke(const std::string& token_id) const;
  void expire(const std::string& token_id) const;

private:
  std::string ask(const std::string& method, const std::string& target,
                  const std::string& body, int must,
                  const arguments& headers = {});
  std::string place(const std::string& key);
  void add(const std::string& kind, const std::string& id);
  std::string ready_plan();
  void make_orders();
  void make_letter();

  std::vector<hidden_object> lasting_; ///< all but the plan
  std::vector<hidden_object> objects_;
};

} // namespace parcelflow::test
