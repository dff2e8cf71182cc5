#include "tests/simulation/effect_watch.hpp"

#include "codec/identity.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/pause.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/pauses.hpp"

#include <utility>

namespace parcelflow::simulation {
namespace {

using storage::kind;
using storage::owner;

constexpr std::pair<owner, std::string_view> consumers[] = {
  {owner::inventory, domain::inventory_consumer},
  {owner::fulfillment, domain::fulfillment_consumer},
  {owner::notification, domain::notification_consumer}};

owner home_of(std::string_view consumer) {
  for (const auto& [of, name] : consumers)
    if (name == consumer)
      return of;
  return owner::fulfillment;
}

/// How an attempt is written down that has not ended yet.
constexpr std::string_view unfinished = "the process ended during";

} // namespace

void effect_watch::calm(const test::rows& at) {
  pauses_.clear();
  const auto from = storage::key_writer(kind::pause).take();
  at.scan(owner::dead_letter, from, storage::prefix_end(from),
          [&](auto key, auto value) {
            pauses_.emplace(key, value);
            return true;
          });
}

void effect_watch::begin(const test::rows& at) {
  calm(at);
  careful_.clear();
  for (const auto& [of, consumer] : consumers) {
    const auto mark = at.get(of, storage::clean_stop_key(consumer));
    if (mark && mark->size() > 2) // "running": nobody stopped it
      careful_.emplace(consumer);
  }
}

bool effect_watch::paused(std::string_view consumer, const domain::event& of,
                          const storage::snapshot& durable) const {
  const std::string name(consumer);
  const auto& tenant = of.envelope.tenant_id;
  const auto& aggregate = of.envelope.aggregate_id;
  using scope = domain::pause_scope;
  const domain::pause_target covering[] = {
    {scope::consumer, {}, name, {}},
    {scope::tenant, tenant, {}, {}},
    {scope::stream, tenant, {}, aggregate},
    {scope::stream, tenant, name, aggregate}};
  for (const auto& one : covering) {
    const auto was = pauses_.find(storage::pause_key_of(one));
    if (was != pauses_.end()
        && durable.get(owner::dead_letter, was->first) == was->second)
      return true;
  }
  return false;
}

std::string effect_watch::judge(std::string_view consumer,
                                const domain::event& of,
                                const storage::snapshot& durable) {
  const auto& about = of.envelope;
  const auto what = about.event_id + " ran at " + std::string(consumer) + " ";
  if (!pauses_.empty() && paused(consumer, of, durable))
    return "R12: " + what + "although it was paused";
  const auto first = careful_.find(consumer);
  if (first == careful_.end())
    return {};
  careful_.erase(first);
  const auto begun = [&](const std::string& key) {
    const auto row = durable.get(home_of(consumer), key);
    const auto room = row ? storage::decode_room(*row) : domain::fault{};
    return room && !room->attempts.empty()
           && room->attempts.back().cause.starts_with(unfinished);
  };
  const auto letter =
    codec::dead_letter_id(consumer, about.tenant_id, about.event_id, of.digest);
  if (!begun(storage::waiting_room_key(about.tenant_id, consumer,
                                       about.aggregate_id,
                                       about.aggregate_sequence))
      && !begun(storage::aside_key(about.tenant_id, letter)))
    return "R13: " + what + "after a crash without a durable attempt";
  return {};
}

} // namespace parcelflow::simulation
