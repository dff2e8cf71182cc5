#include "domain/pause.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t pause_record = 1;

} // namespace

std::string_view to_string(pause_scope scope) noexcept {
  switch (scope) {
  case pause_scope::relay: return "relay";
  case pause_scope::consumer: return "consumer";
  case pause_scope::tenant: return "tenant";
  case pause_scope::stream: return "stream";
  }
  return "unknown";
}

std::string to_text(const pause_target& target) {
  std::string text(to_string(target.scope));
  for (const auto* part :
       {&target.tenant_id, &target.consumer, &target.aggregate_id})
    if (!part->empty())
      text.append(" ").append(*part);
  return text;
}

bool pause_set::relay() const {
  return paused.contains({pause_scope::relay, {}, {}, {}});
}

bool pause_set::consumer(std::string_view name) const {
  return !paused.empty()
         && paused.contains({pause_scope::consumer, {}, std::string(name), {}});
}

bool pause_set::stream(std::string_view tenant, std::string_view consumer_name,
                       std::string_view aggregate) const {
  if (paused.empty())
    return false;
  const std::string of(tenant);
  const std::string id(aggregate);
  return paused.contains({pause_scope::tenant, of, {}, {}})
         || paused.contains({pause_scope::stream, of, {}, id})
         || paused.contains(
           {pause_scope::stream, of, std::string(consumer_name), id});
}

std::string encode(const pause& of) {
  support::record_writer out(pause_record);
  out.text(of.actor).text(of.reason).i64(of.since);
  return out.take();
}

outcome<pause> decode_pause(std::string_view bytes) {
  support::record_reader in(bytes, pause_record);
  pause of;
  of.actor = in.text();
  of.reason = in.text();
  of.since = in.i64();
  if (!in.complete())
    return {failure::storage_corrupt, "pause record does not parse"};
  return of;
}

} // namespace parcelflow::domain
