#include "codec/log_chain.hpp"

#include "support/digest.hpp"

namespace parcelflow::codec {

domain::sha256_digest chain_digest(const domain::log_entry& entry) {
  support::sha256 hash;
  hash.update_framed("operator-log-1")
    .update_framed(std::to_string(entry.position))
    .update_framed(std::to_string(entry.at))
    .update_framed(entry.actor)
    .update_framed(entry.tenant_id)
    .update_framed(entry.verb)
    .update_framed(entry.target)
    .update_framed(entry.reason)
    .update_framed(entry.allowed ? "allowed" : "denied")
    .update_framed(std::to_string(entry.count))
    .update_framed(support::bytes_of(entry.previous));
  return hash.finish();
}

domain::status chain_check::take(const domain::log_entry& entry) {
  const auto wrong = [&](const char* what) {
    return domain::status{domain::failure::storage_corrupt,
                          "operator log entry " + std::to_string(entry.position)
                            + what};
  };
  if (entry.position != length_ + 1)
    return wrong(entry.position > length_ + 1
                   ? " follows a gap: an entry before it was removed"
                   : " is out of order");
  if (entry.digest != chain_digest(entry))
    return wrong(" was changed: its digest does not match");
  if (entry.previous != head_)
    return wrong(" does not follow the entry before it");
  length_ = entry.position;
  head_ = entry.digest;
  return domain::done();
}

} // namespace parcelflow::codec
