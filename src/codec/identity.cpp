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

} // namespace parcelflow::codec
