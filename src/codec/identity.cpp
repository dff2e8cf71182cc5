#include "codec/identity.hpp"

#include "support/digest.hpp"

namespace parcelflow::codec {
namespace {

// 120 bits: no two records of a store meet by chance.
std::string id_of(const support::digest& hash) {
  return "dl-" + support::hex(support::bytes_of(hash).substr(0, 15));
}

} // namespace

std::string dead_letter_id(std::string_view consumer, std::string_view tenant,
                           std::string_view event_id,
                           const domain::sha256_digest& digest) {
  support::sha256 hash;
  hash.update_framed("event").update_framed(consumer).update_framed(tenant);
  hash.update_framed(event_id).update_framed(support::bytes_of(digest));
  return id_of(hash.finish());
}

std::string dead_letter_id_of_bytes(std::string_view consumer,
                                    std::string_view topic,
                                    std::string_view bytes) {
  support::sha256 hash;
  hash.update_framed("bytes").update_framed(consumer).update_framed(topic);
  hash.update_framed(bytes);
  return id_of(hash.finish());
}

domain::sha256_digest plan_digest(const domain::replay_plan& of) {
  support::sha256 hash;
  hash.update_framed("plan").update_framed(of.tenant_id);
  for (const auto& item : of.items)
    hash.update_framed(item.dead_letter_id)
      .update_framed(item.consumer)
      .update_framed(item.aggregate_id)
      .update_framed(std::to_string(item.sequence))
      .update_framed(item.event_id)
      .update_framed(support::bytes_of(item.digest));
  return hash.finish();
}

} // namespace parcelflow::codec
