#include "domain/operator_log.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t log_record = 1;

} // namespace

std::string encode(const log_entry& entry) {
  support::record_writer out(log_record);
  out.i64(entry.at).text(entry.actor).text(entry.tenant_id).text(entry.verb);
  out.text(entry.target).text(entry.reason).flag(entry.allowed);
  out.u64(entry.count).digest(entry.previous).digest(entry.digest);
  return out.take();
}

outcome<log_entry> decode_log_entry(std::uint64_t position,
                                    std::string_view bytes) {
  support::record_reader in(bytes, log_record);
  log_entry entry;
  entry.position = position;
  entry.at = in.i64();
  entry.actor = in.text();
  entry.tenant_id = in.text();
  entry.verb = in.text();
  entry.target = in.text();
  entry.reason = in.text();
  entry.allowed = in.flag();
  entry.count = in.u64();
  entry.previous = in.digest();
  entry.digest = in.digest();
  if (!in.complete())
    return {failure::storage_corrupt, "operator log entry "
                                        + std::to_string(position)
                                        + " does not parse"};
  return entry;
}

} // namespace parcelflow::domain
