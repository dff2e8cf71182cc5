// The way into the actors for whoever is not one: the HTTP door, the benches,
// the tests. No CAF type here. Each call hands over a message and returns; the
// answer comes once, on an actor's thread, and must not block there.
// Thread rule: any thread. Errors: faults in the answers.
#pragma once

#include "actors/answers.hpp"
#include "domain/audit_report.hpp"
#include "domain/inventory.hpp"

#include <functional>
#include <memory>
#include <string>

namespace parcelflow::actors {

struct cancel_or_complete {
  std::string tenant_id;
  std::string order_id;
  domain::order_command command = domain::order_command::cancel;
  std::string trace_id;
  std::string traceparent;
};

class gateway {
public:
  struct links; ///< the actors behind it, see gateway_links.hpp
  explicit gateway(std::unique_ptr<links> to);
  ~gateway();

  void place(domain::order_request request,
             std::function<void(place_answer)> answer);
  void command(cancel_or_complete what,
               std::function<void(domain::outcome<command_answer>)> answer);
  void set_stock(std::string tenant_id, std::string sku, std::int64_t on_hand,
                 std::function<void(domain::outcome<domain::stock>)> answer);
  /// An audit that begins now, or once the one that runs is over. The answer
  /// is empty if none could be made: too many wait, or the daemon stops.
  void audit(
    std::function<void(std::shared_ptr<const domain::audit_report>)> answer);

private:
  std::unique_ptr<links> to_;
};

} // namespace parcelflow::actors
