#include "codec/event_json.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/order.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "tests/simulation/promises_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace parcelflow::simulation {
namespace {

using storage::owner;

/// The event stands in the outbox, bit by bit.
bool committed(const test::rows& at, const domain::event& event) {
  const auto& about = event.envelope;
  const auto row = at.get(
    owner::order, storage::order_key(about.tenant_id, about.aggregate_id));
  const auto order =
    row ? domain::decode_order(about.tenant_id, about.aggregate_id, *row)
        : domain::fault{};
  if (!order || about.aggregate_sequence > order->steps.size())
    return false;
  const auto& step = order->steps[about.aggregate_sequence - 1];
  const auto kept = at.get(
    owner::order, storage::outbox_key(storage::the_lane, step.outbox_position));
  const auto outbox = kept ? storage::decode_outbox(*kept) : domain::fault{};
  return outbox && outbox->digest == event.digest;
}

/// Its inbox entry says that it was applied, not only set aside.
bool applied(const test::rows& at, owner of, std::string_view consumer,
             const domain::event& event) {
  const auto& about = event.envelope;
  const auto row = at.get(
    of, storage::stream_key(about.tenant_id, consumer, about.aggregate_id));
  const auto stream = row ? domain::decode_stream(*row) : domain::fault{};
  return stream
         && std::any_of(stream->recent.begin(), stream->recent.end(),
                        [&](const domain::inbox_entry& one) {
                          return one.event_id == about.event_id
                                 && one.digest == event.digest
                                 && one.mark == domain::inbox_mark::applied;
                        });
}

} // namespace

void wire_promises(const test::rows& at, const outer_broker& wire,
                   std::vector<std::string>& found) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> last;
  const auto& entries = wire.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& about = entries[i]->envelope;
    if (wire.injected(i)) {
      if (about.event_version != outer_broker::unknown_version)
        continue;
      for (const auto& [of, consumer] :
           {std::pair(owner::inventory, domain::inventory_consumer),
            std::pair(owner::fulfillment, domain::fulfillment_consumer),
            std::pair(owner::notification, domain::notification_consumer)})
        if (applied(at, of, consumer, *entries[i]))
          found.push_back("R11: " + about.event_id + " of an unknown version"
                          + " was applied by " + std::string(consumer));
      continue;
    }
    if (!committed(at, *entries[i]))
      found.push_back("R2: the broker holds " + about.event_id
                      + ", which was never committed");
    auto& before = last[{about.tenant_id, about.aggregate_id}];
    if (about.aggregate_sequence > before + 1)
      found.push_back("R9: " + about.event_id
                      + " was offered before the one in front of it was "
                        "accepted");
    before = std::max(before, about.aggregate_sequence);
  }
}

} // namespace parcelflow::simulation
